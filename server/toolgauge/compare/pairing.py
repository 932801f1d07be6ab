"""Which sides of a gate belong together, and which of their cases may be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolgauge.model.comparison import CasePair, CaseTally, Measurement, Pairing, Side


def pair_cases(baseline: Mapping[str, CaseTally], head: Mapping[str, CaseTally]) -> Pairing:
    """Return how the cases of two sides relate, by id and expectation fingerprint.

    A case whose request changed (an edited tool description) is compared; one whose
    expectation changed is not. Source: ``gate.md`` section 1.
    """
    compared: list[CasePair] = []
    unmeasured: list[CasePair] = []
    changed: list[str] = []
    for case_id, tally in head.items():
        before = baseline.get(case_id)
        if before is None:
            continue
        if before.case.fingerprint.expectation != tally.case.fingerprint.expectation:
            changed.append(case_id)
        elif before.runs and tally.runs:
            compared.append(CasePair(before, tally))
        else:
            unmeasured.append(CasePair(before, tally))
    return Pairing(
        compared=tuple(compared),
        unmeasured=tuple(unmeasured),
        changed=tuple(changed),
        new=tuple(case_id for case_id in head if case_id not in baseline),
        removed=tuple(case_id for case_id in baseline if case_id not in head),
    )


@dataclass(frozen=True, slots=True)
class GatePart:
    """One suite and target of a gate: its head, and what it is compared with, if anything.

    ``can_repeat`` is whether more head repeats can be had at all (they cannot where two
    result files are compared).
    """

    head: Measurement
    baseline: Measurement | None
    can_repeat: bool = True

    @property
    def key(self) -> tuple[str, str]:
        return self.head.side.key

    @property
    def may_repeat(self) -> bool:
        """Whether asking again is possible and could say anything new."""
        return self.can_repeat and not self.head.side.deterministic


def pair_sides(
    heads: Sequence[Measurement], baselines: Sequence[Measurement], *, can_repeat: bool = True
) -> tuple[tuple[GatePart, ...], tuple[Side, ...]]:
    """Return the parts of a gate in the head's order, and the baseline sides left over.

    Sides are paired by suite and target. Where a suite then has one target left on both
    sides, these are paired too (the target was renamed or replaced), and so are a single
    head and a single baseline, whatever they are called.
    """
    by_key = {run.side.key: run for run in baselines}
    found = {head.side.key: by_key.pop(head.side.key, None) for head in heads}
    for suite in {head.side.suite for head in heads}:
        unpaired = [key for key, run in found.items() if run is None and key[0] == suite]
        left = [key for key in by_key if key[0] == suite]
        if len(unpaired) == len(left) == 1:
            found[unpaired[0]] = by_key.pop(left[0])
    if len(heads) == len(baselines) == len(by_key) == 1:
        found[heads[0].side.key] = by_key.popitem()[1]
    parts = tuple(GatePart(head, found[head.side.key], can_repeat) for head in heads)
    return parts, tuple(run.side for run in by_key.values())
