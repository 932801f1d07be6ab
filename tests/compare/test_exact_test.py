"""The stratified exact test, against other ways to compute it."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from toolgauge.compare.exact_test import SMALLEST_P, p_value

Counts = tuple[int, int]
Design = list[tuple[Counts, Counts]]


def _counts(most_runs: int) -> st.SearchStrategy[Counts]:
    return st.integers(0, most_runs).flatmap(
        lambda runs: st.tuples(st.integers(0, runs), st.just(runs))
    )


DESIGNS = st.lists(st.tuples(_counts(4), _counts(6)), max_size=12)
SMALL_DESIGNS = st.lists(st.tuples(_counts(3), _counts(3)), max_size=3)


def _p(design: Design) -> float:
    return p_value([head for head, _ in design], [baseline for _, baseline in design])


def _by_enumeration(design: Design) -> Fraction:
    """Deal every case's outcomes to head and baseline in all ways, and count."""
    sums_of_cases = []
    for (head_passes, head_runs), (passes, runs) in design:
        outcomes = [1] * (head_passes + passes) + [0] * (head_runs + runs - head_passes - passes)
        sums_of_cases.append([sum(dealt) for dealt in combinations(outcomes, head_runs)])
    observed = sum(head_passes for (head_passes, _), _ in design)
    totals = [sum(dealt) for dealt in product(*sums_of_cases)]
    return Fraction(sum(total <= observed for total in totals), len(totals))


def test_three_failures_of_three_against_three_passes_are_exactly_one_in_twenty() -> None:
    assert p_value([(0, 3)], [(3, 3)]) == 0.05


def test_a_fresh_case_against_its_pooled_baseline_is_fishers_exact_test() -> None:
    fisher = stats.fisher_exact([[1, 4], [14, 1]], alternative="less").pvalue
    assert p_value([(1, 5)], [(14, 15)]) == pytest.approx(fisher, rel=1e-12)


@pytest.mark.parametrize(("lost", "gained"), [(5, 0), (4, 1), (0, 3), (30, 14), (7, 7)])
def test_one_run_each_is_mcnemars_exact_test(lost: int, gained: int) -> None:
    head = [(0, 1)] * lost + [(1, 1)] * gained + [(1, 1)] * 40 + [(0, 1)] * 3
    baseline = [(1, 1)] * lost + [(0, 1)] * gained + [(1, 1)] * 40 + [(0, 1)] * 3
    mcnemar = stats.binomtest(gained, lost + gained, alternative="less").pvalue
    assert p_value(head, baseline) == pytest.approx(mcnemar, rel=1e-12)


@given(SMALL_DESIGNS)
@settings(max_examples=60, deadline=None)
def test_small_unequal_designs_agree_with_brute_force(design: Design) -> None:
    compared = [case for case in design if case[0][1] and case[1][1]]
    assert _p(design) == float(_by_enumeration(compared))


@given(DESIGNS)
@settings(max_examples=80, deadline=None)
def test_p_is_a_probability_above_zero(design: Design) -> None:
    assert 0 < _p(design) <= 1


@given(DESIGNS, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_the_cases_changes_nothing(design: Design, rng: Random) -> None:
    shuffled = design.copy()
    rng.shuffle(shuffled)
    assert _p(shuffled) == _p(design)


@given(DESIGNS)
@settings(max_examples=50, deadline=None)
def test_a_drop_and_the_mirrored_gain_overlap_in_the_observed_sum_alone(design: Design) -> None:
    swapped = [(baseline, head) for head, baseline in design]
    assert _p(design) + _p(swapped) >= 1


@given(DESIGNS.filter(bool), st.data())
@settings(max_examples=80, deadline=None)
def test_one_more_head_pass_never_lowers_p(design: Design, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(design) - 1))
    (passes, runs), baseline = design[position]
    if passes < runs:
        better = [*design[:position], ((passes + 1, runs), baseline), *design[position + 1 :]]
        assert _p(better) >= _p(design)


@given(DESIGNS, st.lists(st.sampled_from([((0, 0), (2, 3)), ((1, 2), (0, 0))]), max_size=3))
@settings(max_examples=30, deadline=None)
def test_cases_that_did_not_run_on_a_side_change_nothing(design: Design, more: Design) -> None:
    assert _p(design + more) == _p(design)


def test_cases_that_always_or_never_pass_change_nothing() -> None:
    silent = [((3, 3), (15, 15)), ((0, 3), (0, 5))]
    assert _p([((1, 3), (5, 5)), *silent]) == _p([((1, 3), (5, 5))])


@pytest.mark.parametrize("design", [[], [((3, 3), (5, 5))], [((0, 0), (5, 5))]])
def test_without_information_p_is_one(design: Design) -> None:
    assert _p(design) == 1.0


def test_a_p_too_small_for_a_float_is_the_smallest_float_not_zero() -> None:
    assert p_value([(0, 3)] * 200, [(15, 15)] * 200) == SMALLEST_P > 0


def test_two_hundred_cases_of_3_against_15_take_less_than_50_ms() -> None:
    rng = Random(1)
    head = [(sum(rng.random() < 0.5 for _ in range(3)), 3) for _ in range(200)]
    baseline = [(sum(rng.random() < 0.5 for _ in range(15)), 15) for _ in range(200)]
    times_s = []
    for _ in range(5):
        begun = time.process_time()
        p_value(head, baseline)
        times_s.append(time.process_time() - begun)
    assert min(times_s) < 0.05


def test_sides_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        p_value([(1, 1)], [])
