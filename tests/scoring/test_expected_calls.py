from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest
from golden_vectors import Vector, vectors
from hypothesis import given, settings
from hypothesis import strategies as st
from made import calls, case, json_values

from toolgauge.model.case import Case
from toolgauge.scoring.expected_calls import MOST_PAIRS, Alignment, align

params = st.none() | st.dictionaries(st.sampled_from("ab"), st.integers(0, 1))
expected_calls = st.lists(
    st.fixed_dictionaries(
        {
            "tool": st.sampled_from(["f", "g", ["f", "g"]]),
            "params": params,
            "optional": st.booleans(),
        }
    ),
    max_size=4,
)
made_calls = st.lists(
    st.tuples(
        st.sampled_from(["f", "F", "g", "h"]),
        st.dictionaries(st.sampled_from("ab"), st.integers(0, 1)),
    ),
    max_size=4,
)


def aligned(expected: list[Any], *made: Any, **fields: Any) -> Alignment:
    return align(case(expected_calls=expected, **fields), calls(*made), {})


def values(found: Alignment) -> tuple[float | None, float | None, int]:
    return found.tool.value, found.params.value, len(found.pairs)


def overall(case: Case, found: Alignment) -> float | None:
    if found.params.value is None or found.tool.value is None:
        return found.tool.value
    return case.weights.tool * found.tool.value + case.weights.params * found.params.value


@pytest.mark.parametrize("vector", list(vectors("expected_calls")), ids=lambda v: v.case.id)
def test_a_golden_vector_gets_its_scores(vector: Vector) -> None:
    found = align(vector.case, vector.trajectory, {})
    expected = vector.expected["scores"]
    assert found.tool.value == pytest.approx(expected["tool"], abs=1e-9)
    assert found.params.value == pytest.approx(expected["params"], abs=1e-9)
    if not vector.case.forbidden_tools:
        assert overall(vector.case, found) == pytest.approx(expected["overall"], abs=1e-9)
    if vector.expected.get("failure_kind") == "wrong_order":
        assert found.missing
        assert found.surplus
        assert found.matches_in_any_order > len(found.pairs)


def test_pairs_missing_and_surplus_are_positions_of_their_own_lists() -> None:
    expected = [{"tool": "f"}, {"tool": "g"}, {"tool": "h", "optional": True}]
    found = aligned(expected, "x", "f", "y")
    assert [(pair.expected, pair.actual) for pair in found.pairs] == [(0, 1)]
    assert (found.missing, found.surplus, found.matches_in_any_order) == ((1,), (0, 2), 1)


def test_the_reasons_say_what_is_missing_surplus_and_wrong() -> None:
    expected = [{"tool": "f", "params": {"a": 1}}, {"tool": "g", "params": {}}]
    found = aligned(expected, ("f", {"a": 2}), "x")
    assert found.tool.reason == "1 of 2 calls match: missing 'g'; surplus 'x' (call 2)"
    assert found.params.reason == (
        "mean over 2 calls: 'f' 0 (0 of 1 expected parameter agrees: a expected 1, got 2); "
        "'g' 0 (missing)"
    )


def test_calls_out_of_order_would_match_in_any_order() -> None:
    found = aligned([{"tool": "f"}, {"tool": "g"}, {"tool": "h"}], "h", "g", "f")
    assert (len(found.pairs), found.matches_in_any_order) == (1, 3)


@pytest.mark.parametrize("order", ["strict", "any"])
def test_nothing_expected_and_nothing_called_is_perfect(order: str) -> None:
    assert values(aligned([], order=order)) == (1.0, None, 0)


@pytest.mark.parametrize("order", ["strict", "any"])
def test_calls_where_none_is_expected_are_all_surplus(order: str) -> None:
    found = aligned([], "f", "g", order=order)
    assert (found.tool.value, found.surplus) == (0.0, (0, 1))


def test_the_best_pairs_depend_on_the_weights() -> None:
    expected = [
        {"tool": "f", "params": {"a": 1}},
        {"tool": "f", "params": {"a": 2}},
        {"tool": "f", "params": {"a": 3}},
    ]
    made = [("f", {"a": 3}), ("f", {"a": 0})]
    by_tool, by_params = (
        aligned(expected, *made, weights={"tool": share, "params": round(1 - share, 1)})
        for share in (0.6, 0.1)
    )
    assert values(by_tool) == (2 / 3, 0.0, 2)
    assert values(by_params) == (1 / 3, 1 / 3, 1)


def test_fifty_calls_against_fifty_take_well_under_a_second() -> None:
    expected = [{"tool": "f", "params": {"n": n, "even": not n % 2}} for n in range(50)]
    made = [("f", {"n": (n * 7) % 50, "even": bool(n % 2)}) for n in range(50)]
    for order, least in (("any", 0.5), ("strict", 0.2)):
        start = perf_counter()
        found = aligned(expected, *made, order=order)
        assert perf_counter() - start < 1
        assert (found.params.value or 0) >= least


@pytest.mark.parametrize("order", ["strict", "any"])
def test_more_calls_than_can_be_paired_in_time_are_surplus(order: str) -> None:
    expected = [{"tool": "f", "params": {"n": 1}}] * 50
    made = [("f", {"n": 1})] * (MOST_PAIRS // 50 + 500)
    found = aligned(expected, *made, order=order)
    assert len(found.pairs) == 50
    assert len(found.surplus) == len(made) - 50


@settings(max_examples=150, deadline=None)
@given(expected=expected_calls, made=made_calls, data=st.data())
def test_shuffling_either_side_of_any_changes_no_score(
    expected: list[Any], made: list[Any], data: Any
) -> None:
    before = values(aligned(expected, *made, order="any"))
    shuffled = data.draw(st.permutations(expected)), data.draw(st.permutations(made))
    assert values(aligned(shuffled[0], *shuffled[1], order="any")) == before


@settings(max_examples=100, deadline=None)
@given(expected=expected_calls, made=made_calls)
def test_strict_never_scores_higher_than_any(expected: list[Any], made: list[Any]) -> None:
    strict, freely = (case(expected_calls=expected, order=order) for order in ("strict", "any"))
    answer = calls(*made)
    best = overall(freely, align(freely, answer, {}))
    assert (overall(strict, align(strict, answer, {})) or 0) <= (best or 0) + 1e-12


@settings(max_examples=60, deadline=None)
@given(
    made=st.lists(
        st.tuples(st.sampled_from("fg"), st.dictionaries(st.text(), json_values)), max_size=4
    ),
    order=st.sampled_from(["strict", "any"]),
)
def test_the_expected_calls_themselves_are_perfect(made: list[Any], order: str) -> None:
    expected = [{"tool": name, "params": arguments} for name, arguments in made]
    found = aligned(expected, *made, order=order)
    assert values(found) == (1.0, 1.0 if made else None, len(made))
    assert (found.missing, found.surplus) == ((), ())


@settings(max_examples=100, deadline=None)
@given(
    expected=expected_calls,
    made=st.lists(st.tuples(st.sampled_from("fgh"), json_values), max_size=4),
    order=st.sampled_from(["strict", "any"]),
)
def test_any_calls_give_scores_in_range(expected: list[Any], made: list[Any], order: str) -> None:
    found = aligned(expected, *made, order=order)
    assert 0 <= (found.tool.value or 0) <= 1
    assert found.params.value is None or 0 <= found.params.value <= 1
    assert len(found.pairs) + len(found.surplus) == len(made)
