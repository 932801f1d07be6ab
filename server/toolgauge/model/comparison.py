"""What is compared: one case's trials in numbers, and how two runs relate case by case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import fsum
from typing import Any

from toolgauge.model.run import CaseInfo


@dataclass(frozen=True, slots=True)
class Sample:
    """How one trial went, to show a reader.

    ``calls`` are the calls made, in order (an empty tuple: nothing was called).
    ``failure_kind`` is None where it passed, or where only its score was too low.
    """

    calls: tuple[dict[str, Any], ...]
    failure_kind: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CaseTally:
    """The trials of one case and one target, in the numbers that a comparison needs.

    ``runs`` counts scored trials, ``passes`` those of them that passed; ``errored``
    trials are in neither. ``score_sum`` and ``score_sq_sum`` are over ``overall``.
    Tokens and ``cost_usd`` are sums over the scored trials, None where that of any is
    unknown. ``called_tools`` counts calls by name, ``""`` for trials that called
    nothing. ``passing`` and ``failing`` are the first trials (by repeat) that passed
    and failed; None where there is none, or where it was not kept.
    """

    case: CaseInfo
    passes: int
    runs: int
    errored: int
    score_sum: float
    score_sq_sum: float
    latency_median_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    called_tools: dict[str, int] = field(default_factory=dict)
    passing: Sample | None = None
    failing: Sample | None = None

    @property
    def pass_rate(self) -> float | None:
        """Passes over scored trials; None where none was scored."""
        return self.passes / self.runs if self.runs else None

    @property
    def score(self) -> float | None:
        """The mean of ``overall``; None where nothing was scored."""
        return self.score_sum / self.runs if self.runs else None

    @property
    def counts(self) -> tuple[int, int]:
        """Passes and runs: what the tests of pass rates take."""
        return self.passes, self.runs

    @property
    def sample_calls(self) -> tuple[dict[str, Any], ...] | None:
        """The calls of the most telling trial: a failed one, else a passed one."""
        telling = self.failing or self.passing
        return telling.calls if telling else None


@dataclass(frozen=True, slots=True)
class CasePair:
    """One case on both sides."""

    baseline: CaseTally
    head: CaseTally

    @property
    def id(self) -> str:
        return self.head.case.id

    @property
    def delta(self) -> float | None:
        """Head's mean ``overall`` minus the baseline's; None where a side has none."""
        if self.head.score is None or self.baseline.score is None:
            return None
        return self.head.score - self.baseline.score


@dataclass(frozen=True, slots=True)
class Pairing:
    """What of two runs may be compared, and what may not.

    ``compared`` pairs cases whose expectation is the same on both sides;
    ``changed`` holds those with another expectation. ``unmeasured`` are pairs where a
    side has no scored trial. All in the head's order, ``removed`` in the baseline's.
    """

    compared: tuple[CasePair, ...]
    unmeasured: tuple[CasePair, ...] = ()
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """One target of one suite: what it is called, how it was asked, where it was read from.

    ``source`` is where the numbers come from (a file, an artifact, a run id).
    ``model`` is ``provider/model`` as asked, ``model_served`` what the provider said had
    answered; None where unknown. ``suite_hash`` is over all cases, ``tools_hash`` over the
    tool definitions. ``run_ids`` holds several where runs were pooled, newest first;
    ``measured_at`` (with its time zone) and ``commit`` are then the newest run's.
    ``repeats`` is how often each case was asked, over all pooled runs; None where unknown.
    ``commits_behind`` counts the commits from the one that the baseline was wanted for
    back to ``commit``.
    """

    suite: str
    target: str
    source: str
    model: str | None = None
    model_served: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    deterministic: bool = False
    truncated: bool = False
    engine_version: str | None = None
    suite_hash: str | None = None
    tools_hash: str | None = None
    commit: str | None = None
    commits_behind: int | None = None
    measured_at: datetime | None = None
    repeats: int | None = None
    run_ids: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Suite and target: unique within one side of a gate."""
        return self.suite, self.target


@dataclass(frozen=True, slots=True)
class Measurement:
    """One target of one suite with a tally per case id, in the suite's order."""

    side: Side
    tallies: Mapping[str, CaseTally]

    @property
    def n_scored(self) -> int:
        return sum(tally.runs for tally in self.tallies.values())

    @property
    def n_errored(self) -> int:
        return sum(tally.errored for tally in self.tallies.values())


@dataclass(frozen=True, slots=True)
class Comparison:
    """One target before and after, over the cases that may be compared.

    Means are over cases, each case's repeats averaged first; None without a compared case.
    """

    baseline: Side
    head: Side
    pairing: Pairing

    @property
    def baseline_mean(self) -> float | None:
        return _mean([pair.baseline.score for pair in self.pairing.compared])

    @property
    def head_mean(self) -> float | None:
        return _mean([pair.head.score for pair in self.pairing.compared])

    @property
    def delta(self) -> float | None:
        """Head's mean minus the baseline's; None without a compared case."""
        before, after = self.baseline_mean, self.head_mean
        return None if before is None or after is None else after - before

    @property
    def changed_cases(self) -> tuple[CasePair, ...]:
        """The compared cases whose score differs, the largest drop first."""
        differing = [pair for pair in self.pairing.compared if pair.delta]
        return tuple(sorted(differing, key=lambda pair: pair.delta or 0.0))


def _mean(scores: list[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return fsum(known) / len(known) if known else None
