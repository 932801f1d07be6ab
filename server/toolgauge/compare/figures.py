"""The numbers of a report: rates, effects with their intervals, and what could be seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import TYPE_CHECKING

from toolgauge.compare.intervals import delta_interval, mean_interval, wilson
from toolgauge.compare.looks import Standing, drop_of, p_of
from toolgauge.compare.power import smallest_drop
from toolgauge.model.comparison import CasePair, CaseTally, Measurement
from toolgauge.model.interval import Interval
from toolgauge.model.policy import Metric
from toolgauge.model.report import Effect, Estimate, Numbers, Rate

if TYPE_CHECKING:
    from random import Random


def numbers_of(standing: Standing, metric: Metric, rng: Random) -> Numbers:
    """Return the numbers of one suite and target; the head's alone without a baseline."""
    pairs, part = standing.pairing.compared, standing.part
    if not pairs or part.baseline is None:
        return Numbers(0, rate_of(part.head, part.head.tallies.values()))
    return Numbers(
        cases=len(pairs),
        head=rate_of(part.head, [pair.head for pair in pairs]),
        baseline=rate_of(part.baseline, [pair.baseline for pair in pairs]),
        passed=_effect(pairs, "passed", rng, standing if metric == "passed" else None),
        overall=_effect(pairs, "overall", rng, standing if metric == "overall" else None),
        smallest_drop=_smallest_drop(pairs),
    )


def totals_of(standings: Sequence[Standing], each: Sequence[Numbers], rng: Random) -> Numbers:
    """Return the numbers over the compared cases of all parts; of one part, its own."""
    if len(each) == 1:
        return each[0]
    pairs = [pair for standing in standings for pair in standing.pairing.compared]
    if not pairs:
        tallies = [t for standing in standings for t in standing.part.head.tallies.values()]
        return Numbers(0, _rate(tallies, errored=sum(numbers.head.errored for numbers in each)))
    heads = [numbers.head for numbers in each]
    baselines = [numbers.baseline for numbers in each if numbers.baseline]
    # what a suite without a baseline scored is in no difference
    alone = sum(numbers.head.runs for numbers in each if not numbers.cases)
    return Numbers(
        cases=len(pairs),
        head=_rate(
            [pair.head for pair in pairs],
            errored=sum(rate.errored for rate in heads),
            left_out=sum(rate.left_out for rate in heads) + alone,
        ),
        baseline=_rate(
            [pair.baseline for pair in pairs],
            errored=sum(rate.errored for rate in baselines),
            left_out=sum(rate.left_out for rate in baselines),
        ),
        passed=_effect(pairs, "passed", rng),
        overall=_effect(pairs, "overall", rng),
        smallest_drop=_smallest_drop(pairs),
    )


def rate_of(run: Measurement, counted: Iterable[CaseTally]) -> Rate:
    """Return how a side did on the counted cases; what else it scored is left out."""
    tallies = tuple(counted)
    left_out = run.n_scored - sum(tally.runs for tally in tallies)
    return _rate(tallies, errored=run.n_errored, left_out=left_out)


def _rate(tallies: Sequence[CaseTally], *, errored: int, left_out: int = 0) -> Rate:
    rates = [rate for tally in tallies if (rate := tally.pass_rate) is not None]
    scores = [score for tally in tallies if (score := tally.score) is not None]
    passes, runs = sum(tally.passes for tally in tallies), sum(tally.runs for tally in tallies)
    return Rate(
        pass_rate=_estimate(_mean(rates), wilson(passes, runs)) if rates else None,
        score=_mean(scores) if scores else None,
        passes=passes,
        runs=runs,
        errored=errored,
        left_out=left_out,
    )


def _effect(
    pairs: Sequence[CasePair], metric: Metric, rng: Random, decided: Standing | None = None
) -> Effect:
    """Return the effect on a metric; ``decided`` where its p was found already, by a look."""
    p = decided.p if decided else None
    return Effect(
        delta=_estimate(drop_of(pairs, metric), _interval(pairs, metric)),
        p=p_of(pairs, metric, rng) if p is None else p,
        p_adjusted=decided.p_adjusted if decided else None,
    )


def _interval(pairs: Sequence[CasePair], metric: Metric) -> Interval | None:
    if metric == "overall":
        interval = mean_interval([pair.delta or 0.0 for pair in pairs])
        return interval.within(-1.0, 1.0) if interval else None
    return delta_interval(
        [pair.head.counts for pair in pairs], [pair.baseline.counts for pair in pairs]
    )


def _smallest_drop(pairs: Sequence[CasePair]) -> float | None:
    return smallest_drop(
        [pair.head.counts for pair in pairs], [pair.baseline.counts for pair in pairs]
    )


def _estimate(value: float, interval: Interval | None) -> Estimate:
    return Estimate(value, interval.low, interval.high) if interval else Estimate(value)


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
