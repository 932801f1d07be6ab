from __future__ import annotations

from typing import Any

import pytest

from toolgauge.gateway.lexical_parameters import parameters_of
from toolgauge.gateway.lexical_results import known_values, value_for
from toolgauge.model.tools import ToolCall


def result(value: Any, name: str = "search_flights") -> ToolCall:
    return ToolCall(name, {}, result=value, has_result=True)


def found(parameter: str, *calls: ToolCall, kind: str = "string") -> Any:
    (described,) = parameters_of({"properties": {parameter: {"type": kind}}})
    return value_for(described, known_values(calls))


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("flight_id", {"flight_id": "FL1"}),
        ("flight_id", {"flights": [{"price": 450, "id": "FL1"}, {"id": "FL2"}]}),
        ("flightId", [{"id": "FL1"}]),
        ("id", {"flight_id": "FL1"}),
    ],
)
def test_a_value_is_found_by_the_name_of_the_parameter(parameter: str, value: Any) -> None:
    assert found(parameter, result(value)) == "FL1"


def test_the_same_name_wins_over_a_name_in_context() -> None:
    assert found("flight_id", result({"id": "X", "deep": {"flight_id": "FL1"}})) == "FL1"


def test_the_latest_result_wins() -> None:
    assert found("id", result({"id": "old"}), result({"id": "new"})) == "new"


def test_a_value_of_another_thing_is_not_taken() -> None:
    assert found("hotel_id", result({"id": "FL1"})) is None
    assert found("flight_id", result({"price": 1}), result("FL1")) is None


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (5, "string", "5"),
        (5, "integer", 5),
        (5.5, "integer", None),
        (5.5, "number", 5.5),
        (True, "integer", None),
        (True, "string", None),
        (False, "boolean", False),
        ("x", "number", None),
        ("x", "array", None),
    ],
)
def test_a_value_is_taken_in_the_type_of_the_parameter(
    value: Any, kind: str, expected: Any
) -> None:
    assert found("id", result({"id": value}), kind=kind) == expected


@pytest.mark.parametrize("kind", ["string", "integer", "number"])
def test_an_integer_that_cannot_be_written_is_not_taken(kind: str) -> None:
    assert found("id", result({"id": 10**5000}), kind=kind) is None


def test_a_call_without_a_result_knows_nothing() -> None:
    assert known_values([ToolCall("search", {})]) == ()


def test_a_huge_result_is_read_up_to_a_bound() -> None:
    deep: Any = "bottom"
    for _ in range(100_000):
        deep = [deep]
    assert known_values([result(deep)]) == ()
    assert len(known_values([result({"rows": [{"id": n} for n in range(10_000)]})])) == 200
