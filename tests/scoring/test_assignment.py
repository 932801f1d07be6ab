from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.scoring.assignment import Gains, Limits, Pairs, in_any_order, in_order

Solver = Callable[[Gains, Limits], Pairs]


@st.composite
def problems(draw: st.DrawFn, most_gain: int = 6) -> tuple[Gains, Limits]:
    rows, columns = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    line = st.lists(st.integers(0, most_gain), min_size=columns, max_size=columns)
    gains = draw(st.lists(line, min_size=rows, max_size=rows))
    groups = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    return gains, Limits(groups, draw(st.integers(0, 4)), draw(st.integers(0, 4)))


def all_pairings(rows: int, columns: int) -> Iterator[Pairs]:
    for size in range(min(rows, columns) + 1):
        for chosen in combinations(range(rows), size):
            for taken in permutations(range(columns), size):
                yield list(zip(chosen, taken, strict=True))


def is_allowed(pairs: Pairs, gains: Gains, limits: Limits) -> bool:
    groups = [limits.groups[row] for row, _ in pairs]
    return (
        all(gains[row][column] for row, column in pairs)
        and groups.count(2) <= limits.inner
        and len(groups) - groups.count(0) <= limits.outer
    )


def crosses(pairs: Pairs) -> bool:
    columns = [column for _, column in sorted(pairs)]
    return columns != sorted(columns)


def total(pairs: Pairs, gains: Gains) -> int:
    return sum(gains[row][column] for row, column in pairs)


def best_total(gains: Gains, limits: Limits, *, ordered: bool) -> int:
    columns = len(gains[0]) if gains else 0
    return max(
        total(pairs, gains)
        for pairs in all_pairings(len(gains), columns)
        if is_allowed(pairs, gains, limits) and not (ordered and crosses(pairs))
    )


@settings(max_examples=250, deadline=None)
@given(problem=problems())
def test_in_order_no_allowed_pairs_that_do_not_cross_gain_more(problem: Any) -> None:
    gains, limits = problem
    found = in_order(gains, limits)
    assert is_allowed(found, gains, limits)
    assert not crosses(found)
    assert total(found, gains) == best_total(gains, limits, ordered=True)


@settings(max_examples=250, deadline=None)
@given(problem=problems())
def test_in_any_order_no_allowed_pairs_gain_more(problem: Any) -> None:
    gains, limits = problem
    found = in_any_order(gains, limits)
    assert is_allowed(found, gains, limits)
    assert len({column for _, column in found}) == len(found)
    assert total(found, gains) == best_total(gains, limits, ordered=False)


@pytest.mark.parametrize("solve", [in_order, in_any_order])
def test_integers_beyond_floats_are_told_apart(solve: Solver) -> None:
    huge = 10**40
    assert solve([[huge, huge + 1]], Limits((0,), 0, 0)) == [(0, 1)]


@pytest.mark.parametrize("solve", [in_order, in_any_order])
def test_fifty_by_fifty_takes_well_under_a_second(solve: Solver) -> None:
    gains = [[1 + (row * 31 + column * 17) % 101 for column in range(50)] for row in range(50)]
    start = perf_counter()
    found = solve(gains, Limits((0,) * 50, 0, 0))
    assert perf_counter() - start < 1
    assert len(found) > 25
