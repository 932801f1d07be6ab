from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.model.case import ExpectedCall, Weights
from toolgauge.scoring.assignment import Pairs
from toolgauge.scoring.best_pairs import Order, Problem, best_pairs

WEIGHTS = [Weights(), Weights(0.5, 0.5), Weights(1.0, 0.0), Weights(0.0, 1.0), Weights(0.1, 0.9)]
TWELFTHS = st.integers(0, 4).map(lambda quarter: Fraction(quarter, 4))


class Instance(NamedTuple):
    expected: list[ExpectedCall]
    shares: list[list[Fraction | None]]
    calls: int
    weights: Weights

    def problem(self) -> Problem:
        shares = [[None if s is None else float(s) for s in row] for row in self.shares]
        return Problem.of(self.expected, shares, calls=self.calls, weights=self.weights)

    def rank(self, pairs: Pairs) -> tuple[Fraction, int, Fraction]:
        """Return overall, number of pairs and params straight from the definition."""
        matched = dict(pairs)
        required = [i for i, call in enumerate(self.expected) if not call.optional]
        optional = [i for i in matched if self.expected[i].optional]
        places = max(len(required) + len(optional), self.calls)
        tool = Fraction(len(pairs), places) if places else Fraction(1)
        counted = [i for i in (*required, *optional) if self.expected[i].params is not None]
        if not counted:
            return tool, len(pairs), Fraction(1)
        right = sum(self.shares[i][matched[i]] or 0 for i in counted if i in matched)
        params = Fraction(right, len(counted))
        for_tool, for_params = (
            Fraction(str(weight)) for weight in (self.weights.tool, self.weights.params)
        )
        return for_tool * tool + for_params * params, len(pairs), params


@st.composite
def instances(draw: st.DrawFn, most: int = 4) -> Instance:
    kinds = draw(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=most))
    columns = draw(st.integers(0, most))
    expected = [
        ExpectedCall(("f",), dict.fromkeys("abcd") if stated else None, optional=optional)
        for optional, stated in kinds
    ]
    shares = [
        [draw(st.none() | (TWELFTHS if stated else st.just(Fraction(0)))) for _ in range(columns)]
        for _, stated in kinds
    ]
    # calls beyond the columns can be paired with nothing
    surplus = draw(st.integers(0, 3))
    return Instance(expected, shares, columns + surplus, draw(st.sampled_from(WEIGHTS)))


def pairings(instance: Instance, order: Order) -> Iterator[Pairs]:
    rows, columns = len(instance.expected), len(instance.shares[0]) if instance.shares else 0
    for size in range(min(rows, columns) + 1):
        for chosen in combinations(range(rows), size):
            ways = combinations if order == "strict" else permutations
            for taken in ways(range(columns), size):
                pairs = list(zip(chosen, taken, strict=True))
                if all(instance.shares[row][column] is not None for row, column in pairs):
                    yield pairs


@pytest.mark.parametrize("order", ["strict", "any"])
@settings(max_examples=400, deadline=None)
@given(instance=instances())
def test_no_pairs_rank_higher_by_the_definition(order: Order, instance: Instance) -> None:
    found = best_pairs(instance.problem(), order)
    assert found in list(pairings(instance, order))
    assert instance.rank(found) == max(map(instance.rank, pairings(instance, order)))


@settings(max_examples=150, deadline=None)
@given(instance=instances(), data=st.data())
def test_shuffling_either_side_of_any_changes_nothing(instance: Instance, data: Any) -> None:
    rows = data.draw(st.permutations(range(len(instance.expected))))
    columns = data.draw(st.permutations(range(len(instance.shares[0]) if instance.shares else 0)))
    shuffled = instance._replace(
        expected=[instance.expected[row] for row in rows],
        shares=[[instance.shares[row][column] for column in columns] for row in rows],
    )
    before = instance.rank(best_pairs(instance.problem(), "any"))
    assert shuffled.rank(best_pairs(shuffled.problem(), "any")) == before


def test_an_optional_call_with_bad_params_is_left_out_where_it_costs_more_than_it_brings() -> None:
    expected = [
        ExpectedCall(("f",), {"a": 1}),
        ExpectedCall(("g",), {"a": 1}, optional=True),
    ]
    shares = [[Fraction(1), None], [None, Fraction(0)]]
    few, many = (Instance(expected, shares, calls, Weights()) for calls in (2, 20))
    assert best_pairs(few.problem(), "strict") == [(0, 0), (1, 1)]
    assert best_pairs(many.problem(), "strict") == [(0, 0)]


@pytest.mark.parametrize("order", ["strict", "any"])
@pytest.mark.parametrize("optional", [0, 10, 25, 50])
@pytest.mark.parametrize("calls", [25, 50])
def test_fifty_expected_calls_of_one_tool_take_about_a_second(
    order: Order, optional: int, calls: int
) -> None:
    random = Random(optional + calls)
    expected = [
        ExpectedCall(("f",), dict.fromkeys("abcd"), optional=number < optional)
        for number in random.sample(range(50), 50)
    ]
    shares = [[Fraction(random.randrange(5), 4) for _ in range(calls)] for _ in expected]
    problem = Instance(expected, shares, calls, Weights()).problem()
    start = perf_counter()
    found = best_pairs(problem, order)
    assert perf_counter() - start < 5
    assert len(found) > calls / 2
