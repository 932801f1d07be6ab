"""What a comparison can see: the smallest drop, and the repeats that a case needs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import comb, fsum, sqrt
from operator import mul
from statistics import fmean, harmonic_mean

from toolgauge.compare.counts import Counts, counts_of_both

Z_OF_LEVEL_AND_POWER = 2.486
"""The normal quantiles of 0.95 (one-sided 5 %) and 0.80 (power), added."""

FEWEST_FRESH_REPEATS = 5
MOST_FRESH_REPEATS = 20


def smallest_drop(head: Sequence[Counts], baseline: Sequence[Counts]) -> float | None:
    """Return the smallest drop of the pass rate that this comparison could have detected.

    A number in (0, 1] (0.13: 13 points), for a one-sided test at 5 % with power 80 %:
    ``planned_drop`` of the baseline's rate, the correlation of both sides' repeats,
    and the harmonic means of the runs per case. That approximation says 0 where every
    case always passed or always failed; so the drop is never less than that of the
    fewest cases which, all runs passing before and failing now, give p ≤ 0.05
    (5 cases at one run each, one case from 3 runs each on).

    None: no drop could have been detected. There is no case to compare, too few runs,
    or a drop so large would be more than the baseline's rate.

    Raises:
        ValueError: the sequences differ in length, or a count is impossible.
    """
    both = counts_of_both(head, baseline)
    fewest = _fewest_broken_cases(both)
    if fewest is None:
        return None
    rate = fmean(passes / runs for _, (passes, runs) in both)
    by_formula = planned_drop(
        rate,
        case_correlation([counts for pair in both for counts in pair]),
        cases=len(both),
        head_runs=harmonic_mean([runs for (_, runs), _ in both]),
        baseline_runs=harmonic_mean([runs for _, (_, runs) in both]),
    )
    drop = max(by_formula, fewest / len(both))
    return drop if drop <= rate else None


def planned_drop(
    rate: float, correlation: float, *, cases: int, head_runs: float, baseline_runs: float
) -> float:
    """Return the drop that a suite of ``cases`` detects, one-sided at 5 %, power 80 %.

    2.486·√(p(1 - p)(1 - r)(1/k + 1/l)/n) with p the pass rate, r the correlation of a
    case's repeats, k and l the runs per case, n the cases. A normal approximation:
    too hopeful below some 20 cases, 0 at p = 0, p = 1 or r = 1. All counts above 0.
    """
    variance_within = rate * (1 - rate) * (1 - correlation)
    return Z_OF_LEVEL_AND_POWER * sqrt(
        variance_within * (1 / head_runs + 1 / baseline_runs) / cases
    )


def case_correlation(counts: Sequence[Counts]) -> float:
    """Return the intra-case correlation, how alike repeats of one case are: in [0, 1].

    1: every case always passes or always fails; 0: all cases have one pass rate. The
    analysis-of-variance estimator: (B - W) / (B + (n₀ - 1)W) with B and W the mean
    squares between and within cases and n₀ = (N - Σk²/N)/(cases - 1), N = Σk; below 0
    it is 0. Cases without runs are left out.

    0.0 where it cannot be estimated (fewer than two cases, no case run twice, no
    variation at all): the cautious answer, since it makes the smallest drop largest.

    Source: Ridout, Demétrio and Firth, Estimating Intraclass Correlation for Binary
    Data, 1999.
    """
    ran = [(passes, runs) for passes, runs in counts if runs]
    runs_in_all = sum(runs for _, runs in ran)
    if len(ran) < 2 or runs_in_all == len(ran):
        return 0.0
    rate = sum(passes for passes, _ in ran) / runs_in_all
    between = fsum(runs * (passes / runs - rate) ** 2 for passes, runs in ran) / (len(ran) - 1)
    within = fsum(passes * (runs - passes) / runs for passes, runs in ran)
    within /= runs_in_all - len(ran)
    typical_runs = runs_in_all - fsum(runs * runs for _, runs in ran) / runs_in_all
    typical_runs /= len(ran) - 1
    variance = between + (typical_runs - 1) * within
    return max(0.0, (between - within) / variance) if variance > 0 else 0.0


def fresh_repeats_needed(baseline_runs: int, screened: int) -> int:
    """Return how many fresh head repeats can confirm one of ``screened`` cases: at least 5.

    The least k with 1/C(l + k, l) ≤ 0.05/m, where l are the case's baseline runs and m
    the screened cases: if the case now always fails and always passed before, the
    exact test of the fresh repeats then stays below 0.05 after Holm's adjustment.

    Raises:
        ValueError: ``baseline_runs`` or ``screened`` is below 1; nothing can be
            confirmed against a baseline that never ran.
    """
    if baseline_runs < 1 or screened < 1:
        raise ValueError("a confirmation needs a baseline run and a screened case")
    repeats = FEWEST_FRESH_REPEATS
    while comb(baseline_runs + repeats, baseline_runs) < 20 * screened:
        repeats += 1
    return repeats


def screen_repeats(baseline_runs: int, screened: int) -> int | None:
    """Return how many fresh head repeats to ask for, 5 to 20.

    ``fresh_repeats_needed``, or None where that is more than 20: the case stays
    suspect, and the report names the number needed.

    Raises:
        ValueError: as ``fresh_repeats_needed``.
    """
    needed = fresh_repeats_needed(baseline_runs, screened)
    return needed if needed <= MOST_FRESH_REPEATS else None


def _fewest_broken_cases(both: Sequence[tuple[Counts, Counts]]) -> int | None:
    """Return how many cases must break altogether for p ≤ 0.05; None where all are too few.

    A case that passed all of l runs and now fails all of k has p = 1/C(k + l, k).
    """
    arrangements = sorted((comb(k + ran, k) for (_, k), (_, ran) in both), reverse=True)
    for cases, product in enumerate(accumulate(arrangements, mul), 1):
        if product >= 20:
            return cases
    return None
