"""Holm's adjustment."""

from __future__ import annotations

from itertools import pairwise
from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.compare.holm import adjust

P_VALUES = st.lists(st.floats(0, 1, exclude_min=True), max_size=12)


def _rejected_step_by_step(p_values: list[float], level: float) -> set[int]:
    """Reject from the smallest p on, at level/m, level/(m-1), ..., until one fails."""
    rejected: set[int] = set()
    for position in sorted(range(len(p_values)), key=lambda i: p_values[i]):
        if p_values[position] * (len(p_values) - len(rejected)) > level:
            break
        rejected.add(position)
    return rejected


def test_the_smallest_is_multiplied_most_and_the_order_is_kept() -> None:
    assert adjust([0.04, 0.01, 0.03]) == pytest.approx((0.06, 0.03, 0.06))


def test_none_given_none_returned_and_one_stays_as_it_is() -> None:
    assert adjust([]) == ()
    assert adjust([0.2]) == (0.2,)


def test_an_adjusted_p_is_at_most_one() -> None:
    assert adjust([0.7, 0.9]) == (1.0, 1.0)


@given(P_VALUES)
@settings(max_examples=80, deadline=None)
def test_adjusting_lowers_nothing_and_keeps_the_ranks(p_values: list[float]) -> None:
    adjusted = adjust(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    ranked = [q for _, q in sorted(zip(p_values, adjusted, strict=True))]
    assert all(before <= after for before, after in pairwise(ranked))


@given(P_VALUES, st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=80, deadline=None)
def test_it_rejects_what_the_step_down_procedure_rejects(
    p_values: list[float], level: float
) -> None:
    adjusted = adjust(p_values)
    assert {i for i, q in enumerate(adjusted) if q <= level} == _rejected_step_by_step(
        p_values, level
    )


@given(P_VALUES, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_each_p_keeps_its_adjustment_when_the_order_changes(
    p_values: list[float], rng: Random
) -> None:
    shuffled = p_values.copy()
    rng.shuffle(shuffled)
    assert sorted(zip(shuffled, adjust(shuffled), strict=True)) == sorted(
        zip(p_values, adjust(p_values), strict=True)
    )


def test_the_least_possible_p_of_a_confirmation_is_not_lost_to_rounding() -> None:
    # 1/C(l + k, l) is exactly 0.05/m for these: the product must not round above 0.05
    ties = [
        (count // 20, count)
        for ran in range(1, 40)
        for fresh in range(1, 21)
        if (count := comb(ran + fresh, ran)) % 20 == 0 and count <= 20 * 200
    ]
    assert len(ties) > 10
    assert all(adjust([1 / count] * cases)[0] <= 0.05 for cases, count in ties)
