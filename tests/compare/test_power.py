"""Smallest detectable drop, correlation of repeats, fresh repeats."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.compare.exact_test import p_value
from toolgauge.compare.holm import adjust
from toolgauge.compare.power import (
    case_correlation,
    fresh_repeats_needed,
    planned_drop,
    screen_repeats,
    smallest_drop,
)


@pytest.mark.parametrize(
    ("cases", "correlation", "head_runs", "baseline_runs", "points"),
    [
        (10, 0.6, 1, 1, 25),
        (20, 0.6, 3, 3, 10.3),
        (50, 0.6, 3, 15, 5.0),
        (12, 0.6, 3, 3, 13),
        (10, 0.0, 1, 1, 40),
        (100, 0.0, 5, 5, 5.6),
        (500, 0.0, 3, 3, 3.2),
    ],
)
def test_planned_drops_are_those_of_the_published_table(
    *, cases: int, correlation: float, head_runs: int, baseline_runs: int, points: float
) -> None:
    found = planned_drop(
        0.85, correlation, cases=cases, head_runs=head_runs, baseline_runs=baseline_runs
    )
    assert 100 * found == pytest.approx(points, rel=0.02)


def test_repeats_that_always_agree_are_fully_correlated() -> None:
    assert case_correlation([(3, 3), (0, 3), (3, 3), (0, 3)]) == pytest.approx(1.0)


def test_repeats_that_differ_more_within_cases_than_between_have_no_correlation() -> None:
    assert case_correlation([(1, 2)] * 10) == 0.0


def test_the_correlation_follows_the_analysis_of_variance() -> None:
    # rate 3/4: B = (1/8 + 1/8)/1, W = (1/2 + 0)/2
    assert case_correlation([(1, 2), (2, 2)]) == pytest.approx(0.0)
    # rate 2/3: B = (2/9 + 2/9 + 8/9)/2, W = 0
    assert case_correlation([(2, 2), (2, 2), (0, 2)]) == pytest.approx(1.0)
    # rate 5/9: deviations of 4/9, 1/9 and 5/9
    between, within = 3 * (16 + 1 + 25) / 81 / 2, (0 + 2 / 3 + 0) / 6
    expected = (between - within) / (between + 2 * within)
    assert case_correlation([(3, 3), (2, 3), (0, 3)]) == pytest.approx(expected)


def test_the_correlation_of_a_known_mixture_is_found() -> None:
    # rates 0.9 and 0.3, half each: between 0.09, in all 0.24
    rng = Random(4)
    counts = [
        (sum(rng.random() < rate for _ in range(runs)), runs)
        for rate in (0.9, 0.3)
        for runs in (2, 3, 5)
        for _ in range(1000)
    ]
    assert case_correlation(counts) == pytest.approx(0.09 / 0.24, abs=0.03)


@pytest.mark.parametrize(
    "counts", [[], [(1, 3)], [(1, 1), (0, 1), (1, 1)], [(3, 3)] * 5, [(1, 3), (0, 0)]]
)
def test_where_the_correlation_cannot_be_estimated_it_is_zero(
    counts: list[tuple[int, int]],
) -> None:
    assert case_correlation(counts) == 0.0


def test_the_smallest_drop_of_uneven_repeats_is_the_planned_one_at_their_harmonic_means() -> None:
    head = [(3, 3), (3, 6), (2, 3), (6, 6)] * 10
    baseline = [(14, 15), (5, 10), (9, 15), (10, 10)] * 10
    rate = (14 / 15 + 0.5 + 0.6 + 1) / 4
    correlation = case_correlation([*head, *baseline])
    expected = planned_drop(rate, correlation, cases=40, head_runs=4, baseline_runs=12)
    assert 0 < correlation < 1
    assert smallest_drop(head, baseline) == pytest.approx(expected)


def test_cases_that_never_vary_still_need_enough_broken_ones() -> None:
    # 5 lost pairs: p = 1/32; one lost case of 3 against 3: p = 1/20
    assert smallest_drop([(1, 1)] * 20, [(1, 1)] * 20) == 5 / 20
    assert smallest_drop([(3, 3)] * 20, [(3, 3)] * 20) == 1 / 20
    assert smallest_drop([(2, 2)] * 20, [(2, 2)] * 20) == 2 / 20
    # the case of many runs tells most
    assert smallest_drop([(1, 1)] * 19 + [(3, 3)], [(1, 1)] * 19 + [(15, 15)]) == 1 / 20


def test_a_comparison_that_can_see_no_drop_says_so() -> None:
    assert smallest_drop([], []) is None
    assert smallest_drop([(0, 0)], [(3, 3)]) is None
    # four lost pairs of four are p = 1/16
    assert smallest_drop([(1, 1)] * 4, [(1, 1)] * 4) is None
    # nothing passed before, nothing can be lost
    assert smallest_drop([(0, 3)] * 30, [(0, 3)] * 30) is None


@given(
    st.integers(5, 30),
    st.integers(1, 5),
    st.integers(1, 5),
)
@settings(max_examples=40, deadline=None)
def test_losing_the_smallest_drop_of_certain_cases_is_significant_and_one_case_less_is_not(
    cases: int, head_runs: int, runs: int
) -> None:
    baseline = [(runs, runs)] * cases
    drop = smallest_drop([(head_runs, head_runs)] * cases, baseline)
    assert drop is not None
    broken = round(drop * cases)

    def p_of(lost: int) -> float:
        head = [(0, head_runs)] * lost + [(head_runs, head_runs)] * (cases - lost)
        return p_value(head, baseline)

    assert p_of(broken) <= 0.05
    assert p_of(broken - 1) > 0.05


@pytest.mark.parametrize(
    ("baseline_runs", "screened", "needed"),
    [
        (1, 1, 19),
        (1, 10, 199),
        (3, 3, 6),
        (3, 5, 7),
        (3, 10, 9),
        (5, 10, 5),
        (3, 1, 5),  # 3 would do
        (15, 10, 5),  # 3 would do
    ],
)
def test_fresh_repeats_needed_are_those_of_the_published_table(
    baseline_runs: int, screened: int, needed: int
) -> None:
    assert fresh_repeats_needed(baseline_runs, screened) == needed


def test_more_than_twenty_fresh_repeats_are_not_asked_for() -> None:
    assert screen_repeats(1, 1) == 19
    assert screen_repeats(1, 2) is None
    assert screen_repeats(15, 10) == 5
    assert screen_repeats(2, 11) == 20
    assert screen_repeats(2, 12) is None


@given(st.integers(1, 20), st.integers(1, 12))
@settings(max_examples=50, deadline=None)
def test_the_repeats_needed_confirm_a_broken_case_and_fewer_would_not(
    baseline_runs: int, screened: int
) -> None:
    needed = fresh_repeats_needed(baseline_runs, screened)

    def adjusted_p(repeats: int) -> float:
        p = p_value([(0, repeats)], [(baseline_runs, baseline_runs)])
        return max(adjust([p] * screened))

    assert adjusted_p(needed) <= 0.05
    assert needed == 5 or adjusted_p(needed - 1) > 0.05


@pytest.mark.parametrize(("baseline_runs", "screened"), [(0, 1), (3, 0)])
def test_nothing_to_confirm_against_is_refused(baseline_runs: int, screened: int) -> None:
    with pytest.raises(ValueError, match="baseline run"):
        fresh_repeats_needed(baseline_runs, screened)
