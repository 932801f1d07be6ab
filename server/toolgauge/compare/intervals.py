"""How large a rate, a mean or a difference is, with its confidence interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, exp, fsum, lgamma, pi, sqrt
from statistics import NormalDist, fmean, stdev

from toolgauge.compare.counts import Counts, counts_of_both
from toolgauge.model.interval import Interval


def wilson(passes: int, runs: int, *, confidence: float = 0.95) -> Interval | None:
    """Return Wilson's score interval of one pass rate, within [0, 1].

    (p + z²/2n ± z√(p(1 - p)/n + z²/4n²)) / (1 + z²/n). It treats runs as
    independent; repeats of one case are, repeats of several cases are only roughly.
    No runs: None.

    Source: Wilson, Probable Inference, the Law of Succession, and Statistical
    Inference, 1927.
    """
    if runs == 0:
        return None
    z = _z(confidence)
    rate = passes / runs
    centre = rate + z * z / (2 * runs)
    reach = z * sqrt(rate * (1 - rate) / runs + (z / (2 * runs)) ** 2)
    scale = 1 + z * z / runs
    # rounding leaves 1e-17 where the ends are 0 and 1
    low = 0.0 if passes == 0 else (centre - reach) / scale
    high = 1.0 if passes == runs else (centre + reach) / scale
    return Interval(low, high)


def delta(head: Sequence[Counts], baseline: Sequence[Counts]) -> float | None:
    """Return Δ: the mean over cases of head rate minus baseline rate, in [-1, 1].

    Both sequences hold ``(passes, runs)`` per case, in the same order. Every case
    weighs the same, however often it ran; cases without a run on one side are left
    out. No case left: None.

    Raises:
        ValueError: the sequences differ in length, or a count is impossible.
    """
    differences = _differences(head, baseline)
    return fsum(differences) / len(differences) if differences else None


def delta_interval(
    head: Sequence[Counts], baseline: Sequence[Counts], *, confidence: float = 0.95
) -> Interval | None:
    """Return the interval of Δ (see ``delta``), within [-1, 1].

    Δ ± z·SE with SE² = (1/n²) Σ [p̃(1 - p̃)/k of the head + the same of the baseline],
    p̃ = (passes + ½)/(runs + 1): the cases are the suite, chance is in the repeats.
    Where no case ran more than once on either side, repeats tell nothing, and it is
    the t interval of the paired differences (``mean_interval``): width 0 where all
    differences are equal, None for one case. No case to compare: None.

    Raises:
        ValueError: the sequences differ in length, or a count is impossible.
    """
    differences = _differences(head, baseline)
    if not differences:
        return None
    both = counts_of_both(head, baseline)
    if all(runs == 1 for pair in both for _, runs in pair):
        paired = mean_interval(differences, confidence=confidence)
        return paired.within(-1.0, 1.0) if paired else None
    variances = [_variance_of_rate(counts) for pair in both for counts in pair]
    reach = _z(confidence) * sqrt(fsum(variances)) / len(both)
    centre = fsum(differences) / len(differences)
    return Interval(centre - reach, centre + reach).within(-1.0, 1.0)


def mean_interval(values: Sequence[float], *, confidence: float = 0.95) -> Interval | None:
    """Return the t interval of a mean: m ± t·s/√n with n - 1 degrees of freedom.

    For scores, or differences of scores, one value per case (repeats averaged
    first). It is not cut to any range: see ``Interval.within``. All values equal:
    width 0. Fewer than two values: None.
    """
    if len(values) < 2:
        return None
    centre = fmean(values)
    spread = stdev(values) / sqrt(len(values))
    reach = t_critical(confidence, len(values) - 1) * spread
    return Interval(centre - reach, centre + reach)


def t_critical(confidence: float, freedom: int) -> float:
    """Return t with P(|T| ≤ t) = confidence for Student's T with ``freedom`` degrees.

    Newton's method on the finite series for whole degrees of freedom. P(|T| ≤ t) is
    concave in t and the normal quantile lies left of the root, so every step goes
    right and none passes it. Relative error below 1e-9 for confidences up to 0.9999.
    ``freedom`` is at least 1, ``confidence`` in (0, 1).

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3, 26.7.4.
    """
    t, step = _z(confidence), 1.0
    while step > 1e-13 * t:
        step = (confidence - _central_probability(t, freedom)) / (2 * _density(t, freedom))
        t += max(step, 0.0)
    return t


def _central_probability(t: float, freedom: int) -> float:
    """Return P(|T| ≤ t) for t ≥ 0."""
    sine, cosine = t / sqrt(freedom + t * t), sqrt(freedom / (freedom + t * t))
    is_odd = freedom % 2
    term, terms = 1.0, []
    for j in range(1 + is_odd, freedom, 2):
        terms.append(term)
        term *= cosine * cosine * j / (j + 1)
    if is_odd:
        return 2 / pi * (atan2(t, sqrt(freedom)) + sine * cosine * fsum(terms))
    return sine * fsum(terms)


def _density(t: float, freedom: int) -> float:
    half = freedom / 2
    scale = exp(lgamma(half + 0.5) - lgamma(half)) / sqrt(pi * freedom)
    return float(scale * (1 + t * t / freedom) ** (-half - 0.5))


def _differences(head: Sequence[Counts], baseline: Sequence[Counts]) -> list[float]:
    both = counts_of_both(head, baseline)
    return [passes / runs - before / ran for (passes, runs), (before, ran) in both]


def _variance_of_rate(counts: Counts) -> float:
    """Return p̃(1 - p̃)/k; the half pass added keeps "always passed" from meaning certainty."""
    passes, runs = counts
    rate = (passes + 0.5) / (runs + 1)
    return rate * (1 - rate) / runs


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)
