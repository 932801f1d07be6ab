"""Cost, tokens and latency of both sides: totals, medians over cases, and their ratios."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from toolgauge.compare.pooling import known_sum
from toolgauge.model.comparison import CasePair, CaseTally
from toolgauge.model.report import Resources, Spend


def spend_of(tallies: Iterable[CaseTally]) -> Spend:
    """Return what these cases used; cases without a scored trial are left out."""
    ran = [tally for tally in tallies if tally.runs]
    costs = [cost for tally in ran if (cost := _cost(tally)) is not None]
    latencies = [t.latency_median_ms for t in ran if t.latency_median_ms is not None]
    return Spend(
        trials=sum(tally.runs for tally in ran),
        cost_usd=known_sum([tally.cost_usd for tally in ran]),
        input_tokens=known_sum([tally.input_tokens for tally in ran]),
        output_tokens=known_sum([tally.output_tokens for tally in ran]),
        cost_median_usd=median(costs) if costs else None,
        latency_median_ms=median(latencies) if latencies else None,
    )


def resources_of(pairs: Sequence[CasePair], head: Iterable[CaseTally]) -> Resources:
    """Return both sides over the compared cases; the head alone where there are none."""
    if not pairs:
        return Resources(spend_of(head))
    cost_ratio, latency_ratio = ratios(pairs)
    return Resources(
        head=spend_of(pair.head for pair in pairs),
        baseline=spend_of(pair.baseline for pair in pairs),
        cost_ratio=cost_ratio,
        latency_ratio=latency_ratio,
    )


def ratios(pairs: Sequence[CasePair]) -> tuple[float | None, float | None]:
    """Return head over baseline of the median cost per trial, and of the median latency.

    The medians are over the cases where both sides are known. None where there is no
    such case, or the baseline's median is 0.
    """
    costs = [(_cost(pair.head), _cost(pair.baseline)) for pair in pairs]
    times = [(pair.head.latency_median_ms, pair.baseline.latency_median_ms) for pair in pairs]
    return _ratio(costs), _ratio(times)


def _ratio(values: Iterable[tuple[float | None, float | None]]) -> float | None:
    known = [(head, before) for head, before in values if head is not None and before is not None]
    if not known or not (usual := median(before for _, before in known)):
        return None
    return median(head for head, _ in known) / usual


def _cost(tally: CaseTally) -> float | None:
    """Return a case's cost per scored trial."""
    return None if tally.cost_usd is None or not tally.runs else tally.cost_usd / tally.runs
