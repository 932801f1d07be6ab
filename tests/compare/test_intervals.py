"""Intervals, against scipy and against their definitions."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from toolgauge.compare.intervals import (
    Interval,
    delta,
    delta_interval,
    mean_interval,
    t_critical,
    wilson,
)


def _rate(most_runs: int) -> st.SearchStrategy[tuple[int, int]]:
    return st.integers(1, most_runs).flatmap(
        lambda runs: st.tuples(st.integers(0, runs), st.just(runs))
    )


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999])
@pytest.mark.parametrize("freedom", [*range(1, 40), 99, 100, 199, 999, 5000, 20_001])
def test_student_quantiles_agree_with_scipy(confidence: float, freedom: int) -> None:
    expected = float(stats.t.ppf((1 + confidence) / 2, freedom))
    assert t_critical(confidence, freedom) == pytest.approx(expected, rel=1e-9)


@given(_rate(60), st.sampled_from([0.8, 0.95, 0.99]))
@settings(max_examples=60, deadline=None)
def test_wilson_agrees_with_scipy(rate: tuple[int, int], confidence: float) -> None:
    passes, runs = rate
    expected = stats.binomtest(passes, runs).proportion_ci(confidence, method="wilson")
    found = wilson(passes, runs, confidence=confidence)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0 <= found.low <= passes / runs <= found.high <= 1


def test_wilson_of_no_runs_is_none() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize("runs", range(1, 60))
def test_wilson_reaches_the_exact_end_where_all_runs_agree(runs: int) -> None:
    never, always = wilson(0, runs), wilson(runs, runs)
    assert never is not None
    assert always is not None
    assert (never.low, always.high) == (0.0, 1.0)
    assert never.high == pytest.approx(1 - always.low) != 0


def test_delta_weighs_cases_alike_however_often_they_ran() -> None:
    assert delta([(0, 1), (20, 20)], [(4, 4), (1, 1)]) == -0.5


def test_delta_leaves_out_cases_that_did_not_run_on_a_side() -> None:
    assert delta([(0, 2), (0, 0)], [(1, 2), (3, 3)]) == -0.5
    assert delta([(0, 0)], [(3, 3)]) is None
    assert delta([], []) is None


def test_the_interval_of_delta_follows_the_formula() -> None:
    # p̃: 3.5/4 and 14.5/16, then 0.5/4 and 8.5/11
    variance = (7 / 64 / 3 + (29 / 32) * (3 / 32) / 15) + (7 / 64 / 3 + (17 / 22) * (5 / 22) / 10)
    reach = stats.norm.ppf(0.975) * sqrt(variance) / 2
    centre = ((1 - 14 / 15) + (0 - 0.8)) / 2
    found = delta_interval([(3, 3), (0, 3)], [(14, 15), (8, 10)])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((centre - reach, centre + reach))


def test_one_run_on_both_sides_gives_the_t_interval_of_the_paired_differences() -> None:
    head = [(0, 1), (1, 1), (1, 1), (0, 1), (1, 1)]
    baseline = [(1, 1), (1, 1), (0, 1), (1, 1), (1, 1)]
    expected = stats.ttest_1samp([-1, 0, 1, -1, 0], 0).confidence_interval()
    found = delta_interval(head, baseline)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((max(expected.low, -1.0), expected.high))


def test_one_case_of_several_runs_is_enough_for_the_formula() -> None:
    paired = delta_interval([(1, 1), (0, 1)], [(1, 1), (1, 1)])
    by_formula = delta_interval([(1, 1), (0, 1)], [(1, 1), (2, 2)])
    assert paired == Interval(-1.0, 1.0)
    assert by_formula is not None
    assert by_formula.high - by_formula.low < 2


def test_the_interval_of_a_total_loss_ends_at_minus_one() -> None:
    found = delta_interval([(0, 3)] * 4, [(3, 3)] * 4)
    assert found is not None
    assert found.low == -1.0 < found.high < 0


def test_equal_paired_differences_have_an_interval_of_no_width() -> None:
    assert delta_interval([(1, 1)] * 9, [(1, 1)] * 9) == Interval(0.0, 0.0)


def test_repeats_that_always_passed_still_leave_a_width() -> None:
    found = delta_interval([(3, 3)] * 9, [(3, 3)] * 9)
    assert found is not None
    assert found.low < -0.05 < 0.05 < found.high


@pytest.mark.parametrize(
    ("head", "baseline"), [([], []), ([(1, 1)], [(0, 1)]), ([(0, 0)], [(1, 1)])]
)
def test_too_few_cases_have_no_interval(
    head: list[tuple[int, int]], baseline: list[tuple[int, int]]
) -> None:
    assert delta_interval(head, baseline) is None


@given(st.lists(st.tuples(_rate(4), _rate(6)), min_size=2, max_size=12))
@settings(max_examples=60, deadline=None)
def test_the_interval_holds_delta_and_mirrors_when_the_sides_are_swapped(
    design: list[tuple[tuple[int, int], tuple[int, int]]],
) -> None:
    head, baseline = [case[0] for case in design], [case[1] for case in design]
    found, swapped = delta_interval(head, baseline), delta_interval(baseline, head)
    centre = delta(head, baseline)
    assert found is not None
    assert swapped is not None
    assert centre is not None
    assert -1 <= found.low <= centre <= found.high <= 1
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low))


def test_the_interval_of_a_mean_agrees_with_scipy() -> None:
    scores = [0.2, 0.9, 1.0, 0.45, 0.8, 0.8]
    expected = stats.ttest_1samp(scores, 0).confidence_interval(0.9)
    found = mean_interval(scores, confidence=0.9)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_a_mean_of_equal_values_has_no_width_and_of_one_value_no_interval() -> None:
    found = mean_interval([0.1] * 7)
    assert found is not None
    assert found.low == found.high == pytest.approx(0.1)
    assert mean_interval([0.5]) is None
    assert mean_interval([]) is None


def test_an_interval_is_cut_to_what_can_be() -> None:
    assert Interval(-0.2, 1.3).within(0.0, 1.0) == Interval(0.0, 1.0)
    assert Interval(1.2, 1.3).within(0.0, 1.0) == Interval(1.0, 1.0)
