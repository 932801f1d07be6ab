"""The sign-flip test of score differences."""

from __future__ import annotations

import time
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from toolgauge.compare.sign_flip import p_value

SIXTIETHS = st.integers(-60, 60)


def _p(sixtieths: list[int]) -> float:
    """Return p of differences in sixtieths, as floats with their rounding errors."""
    return p_value([count / 60 for count in sixtieths], Random(7))


def _by_enumeration(values: list[int]) -> float:
    patterns = list(product((-1, 1), repeat=len(values)))
    totals = [sum(s * v for s, v in zip(signs, values, strict=True)) for signs in patterns]
    return sum(total <= sum(values) for total in totals) / len(patterns)


@given(st.lists(SIXTIETHS, max_size=9))
@settings(max_examples=60, deadline=None)
def test_few_differences_agree_with_all_sign_patterns_in_exact_arithmetic(
    sixtieths: list[int],
) -> None:
    assert _p(sixtieths) == _by_enumeration(sixtieths)


def test_rounding_errors_do_not_break_ties() -> None:
    thirds = [2 / 3 - 1, 1 / 3 - 2 / 3, 0 - 1 / 3, 1 - 2 / 3]
    assert len({abs(third) for third in thirds}) > 1
    assert p_value(thirds, Random(1)) == _by_enumeration([-1, -1, -1, 1])


def test_equal_losses_are_the_sign_test() -> None:
    assert p_value([-0.25] * 5, Random(1)) == 2**-5


@given(st.lists(SIXTIETHS, max_size=16), st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_cases_changes_nothing(sixtieths: list[int], rng: Random) -> None:
    shuffled = sixtieths.copy()
    rng.shuffle(shuffled)
    assert _p(shuffled) == _p(sixtieths)


@given(st.lists(SIXTIETHS, min_size=1, max_size=10), st.data())
@settings(max_examples=60, deadline=None)
def test_a_better_score_of_one_case_never_lowers_p(
    sixtieths: list[int], data: st.DataObject
) -> None:
    position = data.draw(st.integers(0, len(sixtieths) - 1))
    better = sixtieths.copy()
    better[position] += data.draw(st.integers(1, 30))
    assert _p(better) >= _p(sixtieths)


@given(st.lists(SIXTIETHS, max_size=10))
@settings(max_examples=40, deadline=None)
def test_p_and_the_mirrored_p_overlap_in_the_observed_sum_alone(sixtieths: list[int]) -> None:
    mirrored = [-count for count in sixtieths]
    assert _p(sixtieths) + _p(mirrored) >= 1


@pytest.mark.parametrize("differences", [[], [0.0], [0.0, -0.0] * 20])
def test_without_a_difference_p_is_one(differences: list[float]) -> None:
    assert p_value(differences, Random(1)) == 1.0


def test_zeros_do_not_count_towards_the_exact_limit() -> None:
    assert p_value([-0.5] * 16 + [0.0] * 100, Random(1)) == 2**-16


def test_many_differences_are_sampled_and_agree_with_the_exact_p() -> None:
    # equal sizes: the exact p is a binomial's; 4 standard errors of 9,999 flips
    exact = float(stats.binom.cdf(22, 60, 0.5))
    sampled = p_value([-0.2] * 38 + [0.2] * 22, Random(3))
    assert abs(sampled - exact) < 4 * (exact * (1 - exact) / 9999) ** 0.5


def test_a_sampled_p_is_never_zero() -> None:
    assert p_value([-0.5] * 100, Random(3), flips=199) == 1 / 200


def test_the_same_seed_gives_the_same_p_in_whatever_order() -> None:
    rng = Random(5)
    differences = [rng.uniform(-0.6, 0.5) for _ in range(40)]
    assert p_value(differences, Random(9)) == p_value(differences[::-1], Random(9))


def test_two_hundred_cases_take_less_than_100_ms() -> None:
    rng = Random(1)
    differences = [rng.uniform(-1, 1) for _ in range(200)]
    times_s = []
    for _ in range(5):
        begun = time.process_time()
        p_value(differences, rng)
        times_s.append(time.process_time() - begun)
    assert min(times_s) < 0.1
