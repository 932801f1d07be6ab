"""How a gate does on a suite of one's own: how often it alarms falsely, what it finds.

The recorded repeats of every case are split anew, many times, into a pretend baseline and
a pretend head. Nothing changed between them, so every failure is a false alarm. Then the
head is made worse on purpose, and every failure is a find. The gate that is tested is the
real one, with its second batch and its confirmations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgauge.compare.counts import Counts
from toolgauge.compare.intervals import wilson
from toolgauge.compare.looks import first_look, second_look
from toolgauge.compare.pairing import GatePart
from toolgauge.compare.screening import confirm, screen
from toolgauge.compare.verdict import rule_on
from toolgauge.model.comparison import CaseTally, Measurement, Side
from toolgauge.model.fingerprint import Fingerprint
from toolgauge.model.policy import Policy
from toolgauge.model.report import Verdict
from toolgauge.model.run import CaseInfo
from toolgauge.model.selftest import SelfTest, Tried

if TYPE_CHECKING:
    from random import Random

DROPS = (0.02, 0.05, 0.10)

Again = Callable[[str, int], int]
"""How many of so many more head repeats of a case pass."""

_SIDE = Side("rehearsal", "rehearsal", "rehearsal")


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What one made-up gate came to, and how many head repeats it bought beyond the first."""

    verdict: Verdict
    extra_repeats: int


def selftest(
    recorded: Measurement,
    policy: Policy,
    rng: Random,
    *,
    repeats: int = 3,
    gates: int = 1000,
    drops: tuple[float, ...] = DROPS,
) -> SelfTest:
    """Return the gate's measured false-alarm rate and power on a suite's recorded repeats.

    The pretend head gets ``repeats`` of each case, at most half of what was recorded; the
    baseline the rest. More head repeats (second batch, confirmation) pass with the case's
    recorded rate. A drop d breaks cases in random order, each for good, until the mean
    pass rate is down by d; the last only in part. Pass rates alone are looked at, without
    ``min_score`` and ratios, and ``report-only`` is tested as what it warns of.

    Raises:
        ValueError: no case was recorded twice, or ``gates`` or ``repeats`` is below 1.
    """
    if gates < 1 or repeats < 1:
        raise ValueError("a self-test takes one gate and one repeat at least")
    counts = {case_id: t.counts for case_id, t in recorded.tallies.items() if t.runs > 1}
    if not counts:
        raise ValueError("no case was recorded more than once, so nothing can be split")
    rehearsed = _only_drops(policy)
    unchanged, *dropped = (
        _try(counts, rehearsed, rng, drop=drop, repeats=repeats, gates=gates)
        for drop in (0.0, *drops)
    )
    on_head = sum(_head_runs(runs, repeats) for _, runs in counts.values())
    return SelfTest(
        cases=len(counts),
        left_out=len(recorded.tallies) - len(counts),
        head_runs=on_head / len(counts),
        baseline_runs=(sum(runs for _, runs in counts.values()) - on_head) / len(counts),
        unchanged=unchanged,
        dropped=tuple(dropped),
    )


def rehearse(
    baseline: Mapping[str, Counts],
    head: Mapping[str, Counts],
    policy: Policy,
    *,
    again: Again,
    rng: Random,
) -> Rehearsal:
    """Return what the whole gate says of made-up counts per case, buying what it asks for.

    A second batch repeats every case as often as the first did.
    """
    part = GatePart(_measurement(head), _measurement(baseline))
    look = first_look([part], policy, seeded=lambda _: rng)
    extra = 0
    if look.wants_second_batch:
        more = {case_id: (again(case_id, runs), runs) for case_id, (_, runs) in head.items()}
        look = second_look(look, {part.key: _measurement(more)})
        extra += sum(runs for _, runs in more.values())
    screened = screen(look)
    fresh = {
        one.case_key: _tally(one.pair.id, (again(one.pair.id, one.repeats), one.repeats))
        for one in screened
        if one.repeats
    }
    ruling = rule_on(look.standings[0], confirm(screened, fresh), policy)
    return Rehearsal(ruling.verdict, extra + sum(tally.runs for tally in fresh.values()))


def _try(
    counts: Mapping[str, Counts],
    policy: Policy,
    rng: Random,
    *,
    drop: float,
    repeats: int,
    gates: int,
) -> Tried:
    rehearsals = [_one_gate(counts, policy, rng, drop=drop, repeats=repeats) for _ in range(gates)]
    verdicts = [rehearsal.verdict for rehearsal in rehearsals]
    failed = verdicts.count("fail")
    return Tried(
        drop=drop,
        gates=gates,
        failed=failed,
        warned=verdicts.count("warn"),
        extra_repeats=sum(rehearsal.extra_repeats for rehearsal in rehearsals),
        interval=wilson(failed, gates),
    )


def _one_gate(
    counts: Mapping[str, Counts], policy: Policy, rng: Random, *, drop: float, repeats: int
) -> Rehearsal:
    kept = _shares_kept(counts, drop, rng)
    head: dict[str, Counts] = {}
    baseline: dict[str, Counts] = {}
    for case_id, (passes, runs) in counts.items():
        on_head = _head_runs(runs, repeats)
        outcomes = [True] * passes + [False] * (runs - passes)
        taken = sum(rng.sample(outcomes, on_head))
        baseline[case_id] = (passes - taken, runs - on_head)
        head[case_id] = (_passing(taken, kept[case_id], rng), on_head)

    def again(case_id: str, more: int) -> int:
        passes, runs = counts[case_id]
        return _passing(more, kept[case_id] * passes / runs, rng)

    return rehearse(baseline, head, policy, again=again, rng=rng)


def _shares_kept(counts: Mapping[str, Counts], drop: float, rng: Random) -> dict[str, float]:
    """Return which part of each case's passes is left after a drop of the mean pass rate."""
    to_lose = drop * len(counts)
    kept = dict.fromkeys(counts, 1.0)
    for case_id in rng.sample(list(counts), len(counts)):
        rate = counts[case_id][0] / counts[case_id][1]
        lost = min(rate, to_lose)
        if lost > 0:
            kept[case_id] = 1 - lost / rate
            to_lose -= lost
    return kept


def _passing(tries: int, rate: float, rng: Random) -> int:
    return sum(rng.random() < rate for _ in range(tries))


def _head_runs(runs: int, repeats: int) -> int:
    return min(repeats, runs // 2)


def _only_drops(policy: Policy) -> Policy:
    return policy.model_copy(
        update={
            "policy": "strict" if policy.policy == "strict" else "statistical",
            "metric": "passed",
            "min_score": None,
            "max_cost_ratio": None,
            "max_latency_ratio": None,
        }
    )


def _measurement(counts: Mapping[str, Counts]) -> Measurement:
    return Measurement(_SIDE, {case_id: _tally(case_id, of) for case_id, of in counts.items()})


def _tally(case_id: str, counts: Counts) -> CaseTally:
    passes, runs = counts
    info = CaseInfo(case_id, Fingerprint(case_id, case_id))
    return CaseTally(info, passes, runs, 0, float(passes), float(passes))
