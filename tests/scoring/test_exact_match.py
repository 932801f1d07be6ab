from __future__ import annotations

from typing import Any

import pytest
from golden_vectors import Vector, vectors
from hypothesis import given, settings
from hypothesis import strategies as st
from made import calls, case, json_values, nested

from toolgauge.scoring import exact_match

objects = st.dictionaries(st.text(max_size=3), json_values, max_size=3)
call_lists = st.lists(st.tuples(st.sampled_from(["f", "g", "F"]), objects), max_size=4)


def expecting(made: list[tuple[str, Any]]) -> Any:
    return case(expected_calls=[{"tool": name, "params": params} for name, params in made])


@pytest.mark.parametrize("vector", list(vectors("exact_match")), ids=lambda vector: vector.case.id)
def test_a_golden_vector_gets_its_score(vector: Vector) -> None:
    score = exact_match.score(vector.case, vector.trajectory)
    assert score.value == vector.expected["scores"]["exact_match"]


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ([], "call 1, call: expected 'f' with {'a': 1, 'b': 'x'}, got nothing"),
        ([("g", {})], "call 1, name: expected 'f', got 'g'"),
        ([("f", {"a": True, "b": "x"})], "call 1, arguments.a: expected 1, got True"),
        ([("f", {"a": 1})], "call 1, arguments.b: expected 'x', got nothing"),
        ([("f", {"a": 1, "b": "x", "c": 0})], "call 1, arguments.c: expected nothing, got 0"),
        ([("f", "[1]")], "call 1, arguments: expected {'a': 1, 'b': 'x'}, got '[1]'"),
        ([("f", {"a": 1, "b": "x"})], "call 2, call: expected 'g' with {}, got nothing"),
        (
            [("f", {"a": 1, "b": "x"}), ("g", {}), ("g", {"z": 1})],
            "call 3, call: expected nothing, got 'g' with {'z': 1}",
        ),
    ],
)
def test_the_reason_is_the_first_difference(made: list[tuple[str, Any]], reason: str) -> None:
    expected = expecting([("f", {"a": 1, "b": "x"}), ("g", {})])
    score = exact_match.score(expected, calls(*made))
    assert (score.value, score.reason) == (0.0, reason)


def test_a_long_value_is_clipped_in_the_reason() -> None:
    score = exact_match.score(
        expecting([("f", {"a": "x" * 10_000})]), calls(("f", {"a": "y" * 10_000}))
    )
    assert len(score.reason) < 300


def test_an_expected_tool_with_alternatives_is_the_first_that_was_called() -> None:
    either = case(expected_tool=["search", "get_weather"], expected_params={"q": "x"})
    assert exact_match.score(either, calls(("get_weather", {"q": "x"}))).value == 1.0
    both = exact_match.expected_list(either, calls("get_weather", "search").calls)
    assert both == [("search", {"q": "x"})]
    assert exact_match.expected_list(either, ()) == [("search", {"q": "x"})]


def test_alternatives_of_expected_calls_are_taken_place_by_place() -> None:
    either = case(expected_calls=[{"tool": ["f", "g"], "params": {}}] * 2)
    assert exact_match.score(either, calls("g", "f")).value == 1.0


@pytest.mark.parametrize(
    "fields",
    [
        {"expect_any_call": True},
        {"expected_tool": "f", "expected_params": {}, "multi_turn": True},
        {"expected_tool": "f"},
        {"expected_calls": [{"tool": "f", "params": {}}, {"tool": "g"}]},
    ],
)
def test_where_no_list_is_stated_nothing_is_scored(fields: dict[str, Any]) -> None:
    assert exact_match.score(case(**fields), calls("f")).value is None


def test_where_nothing_is_expected_only_silence_is_exact() -> None:
    silence = case(expected_tool=None)
    assert exact_match.score(silence, calls()).value == 1.0
    assert exact_match.score(silence, calls("f")).value == 0.0


def test_values_nested_deeper_than_python_recurses_are_compared() -> None:
    deep = expecting([("f", {"a": nested(20_000, 1)})])
    assert exact_match.score(deep, calls(("f", {"a": nested(20_000, 1)}))).value == 1.0
    assert exact_match.score(deep, calls(("f", {"a": nested(20_000, 2)}))).value == 0.0


@settings(max_examples=60, deadline=None)
@given(made=call_lists)
def test_a_list_is_exactly_itself(made: list[tuple[str, Any]]) -> None:
    assert exact_match.score(expecting(made), calls(*made)).value == 1.0


@settings(max_examples=100, deadline=None)
@given(
    expected=call_lists,
    made=st.lists(st.tuples(st.sampled_from(["f", "g", "F"]), json_values), max_size=4),
)
def test_any_arguments_give_zero_or_one(
    expected: list[tuple[str, Any]], made: list[tuple[str, Any]]
) -> None:
    score = exact_match.score(expecting(expected), calls(*made))
    assert (score.value, bool(score.reason)) in {(0.0, True), (1.0, False)}
