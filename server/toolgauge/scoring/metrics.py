"""Many trials to numbers: the one place where scores are averaged.

Live summaries, history, timelines and the gate all ask here, and the same trials give
the same numbers to the last bit whatever order they arrive in: values are counted, and
means are computed exactly from the counts at the end. Memory grows with the number of
distinct values, and by some bytes per trial for latencies and costs.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import fsum
from typing import get_args

from toolgauge.model.run import Mean, Summary
from toolgauge.model.trial import FailureKind, Score, Trial
from toolgauge.scoring import ALWAYS, JUDGED, NAMES

_FRACTIONS = ("tsa", "ahr")
"""Scores that always have a micro average, even over nothing."""


@dataclass(slots=True)
class _Tally:
    """All values of one score: how often each came, and the sums of its fractions."""

    values: Counter[float] = field(default_factory=Counter)
    numerator: int = 0
    denominator: int = 0
    has_fractions: bool = False

    def add(self, score: Score) -> None:
        if score.value is not None:
            self.values[score.value] += 1
        if score.denominator is not None:
            self.has_fractions = True
            self.numerator += score.numerator or 0
            self.denominator += score.denominator

    def mean(self, n_scored: int, n_errored: int) -> Mean:
        n = self.values.total()
        total = sum((Fraction(value) * count for value, count in self.values.items()), Fraction())
        micro = self.numerator / self.denominator if self.denominator else None
        return Mean(
            macro=float(total / n) if n else None,
            n=n,
            n_unscored=n_scored - n,
            n_errored=n_errored,
            micro=micro if self.has_fractions else None,
            numerator=self.numerator if self.has_fractions else None,
            denominator=self.denominator if self.has_fractions else None,
        )


class Accumulator:
    """Takes trials one by one, in any order, and says what they amount to at any time."""

    def __init__(self) -> None:
        self._n_scored = self._n_errored = self._n_passed = self._n_cached = 0
        self._input_tokens = self._output_tokens = self._n_cost_unknown = 0
        self._failure_kinds: Counter[str] = Counter()
        self._error_codes: Counter[str] = Counter()
        self._costs_usd = array("d")
        self._latencies_ms = array("d")
        self._tallies = {name: _Tally() for name in (*JUDGED, *ALWAYS)}
        for name in _FRACTIONS:
            self._tallies[name].has_fractions = True

    def add(self, trial: Trial) -> None:
        """Count one trial; an errored one has no scores, but its cost and time count."""
        self._n_cached += trial.cached
        if trial.latency_ms is not None:
            self._latencies_ms.append(trial.latency_ms)
        self._add_usage(trial)
        if trial.scored is None:
            self._n_errored += 1
            if trial.error:
                self._error_codes[trial.error.code or trial.error.kind] += 1
            return
        self._n_scored += 1
        self._n_passed += trial.scored.passed
        if trial.scored.failure_kind:
            self._failure_kinds[trial.scored.failure_kind] += 1
        for name, score in trial.scored.scores.items():
            tally = self._tallies.get(name)
            if tally is None:
                tally = self._tallies[name] = _Tally()
            tally.add(score)

    def means(self) -> dict[str, Mean]:
        """Return each score's mean, ours in their usual order, then others by name.

        The scores that every case has are there even before the first trial.
        """
        others = sorted(self._tallies.keys() - set(NAMES))
        names = [name for name in NAMES if name in self._tallies] + others
        return {name: self._tallies[name].mean(self._n_scored, self._n_errored) for name in names}

    def summary(self, target: str) -> Summary:
        """Return what the trials so far amount to, as those of ``target``.

        ``pass_rate`` is passes over scored trials, None where there are none. The median
        is the middle latency (of an even number, the mean of the two), the 95th
        percentile the smallest latency that 95 % of the trials do not exceed; None
        without latencies.
        """
        latencies = sorted(self._latencies_ms)
        return Summary(
            target=target,
            n_trials=self._n_scored + self._n_errored,
            n_errored=self._n_errored,
            n_passed=self._n_passed,
            pass_rate=self._n_passed / self._n_scored if self._n_scored else None,
            scores=self.means(),
            failure_kinds=_in_order(self._failure_kinds, get_args(FailureKind)),
            error_codes=_in_order(self._error_codes, sorted(self._error_codes)),
            input_tokens=self._input_tokens,
            output_tokens=self._output_tokens,
            cost_usd=fsum(self._costs_usd),
            n_cost_unknown=self._n_cost_unknown,
            n_cached=self._n_cached,
            latency_median_ms=_median(latencies),
            latency_p95_ms=latencies[(95 * len(latencies) + 99) // 100 - 1] if latencies else None,
            n_latency=len(latencies),
        )

    def _add_usage(self, trial: Trial) -> None:
        self._input_tokens += trial.usage.input_tokens or 0
        self._output_tokens += trial.usage.output_tokens or 0
        if trial.usage.cost_usd is None:
            self._n_cost_unknown += 1
        else:
            self._costs_usd.append(trial.usage.cost_usd)


def aggregate(trials: Iterable[Trial]) -> dict[str, Mean]:
    """Return each score's mean over all the trials, with its ``n``; see ``Accumulator.means``."""
    accumulator = Accumulator()
    for trial in trials:
        accumulator.add(trial)
    return accumulator.means()


def _in_order(counts: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    return {name: counts[name] for name in names if name in counts}


def _median(ordered: Sequence[float]) -> float | None:
    if not ordered:
        return None
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2
