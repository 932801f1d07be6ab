from __future__ import annotations

import pytest

from toolgauge.model.mocks import answer
from toolgauge.model.tools import ToolCall


def call(name: str = "t", **arguments: object) -> ToolCall:
    return ToolCall(name, arguments)


def test_a_tool_without_a_mock_says_that_it_is_ok() -> None:
    assert answer({}, (), call()) == {"status": "ok"}


@pytest.mark.parametrize("value", [{"flights": []}, {}, [], None, 0, "text", {"error": 1, "x": 2}])
def test_a_plain_value_is_returned_each_time(value: object) -> None:
    assert answer({"t": value}, (call(),), call()) == value


def test_the_first_condition_whose_params_are_contained_in_the_calls_wins() -> None:
    mock = {
        "when": [
            {"params": {"to": "LON", "n": 1}, "return": "both"},
            {"params": {"to": "LON"}, "return": "one"},
        ],
        "default": "other",
    }
    assert answer({"t": mock}, (), call(to="LON", n=1.0, more=True)) == "both"
    assert answer({"t": mock}, (), call(to="LON", n=True)) == "one"
    assert answer({"t": mock}, (), call(to="lon")) == "other"


def test_a_sequence_is_used_up_in_order_and_its_last_entry_repeats() -> None:
    mocks = {"t": {"sequence": ["a", "b"]}}
    past: tuple[ToolCall, ...] = ()
    seen = []
    for _ in range(4):
        seen.append(answer(mocks, past, call()))
        past += (call(), call("other"))
    assert seen == ["a", "b", "b", "b"]


def test_calls_that_a_condition_answered_do_not_use_up_the_sequence() -> None:
    mocks = {"t": {"when": [{"params": {"x": 1}, "return": "w"}], "sequence": ["a", "b"]}}
    assert answer(mocks, (call(x=1), call(x=1)), call()) == "a"


@pytest.mark.parametrize(
    ("mock", "expected"),
    [
        ({"error": "boom"}, {"error": "boom"}),
        ({"error": "boom", "default": 1}, {"error": "boom"}),
        ({"default": 1}, 1),
        ({"when": []}, None),
        ({"sequence": [], "error": "boom"}, {"error": "boom"}),
        ({"when": [{"params": {"x": 1}, "return": 2}], "error": "e"}, {"error": "e"}),
    ],
)
def test_then_the_error_then_the_default(mock: object, expected: object) -> None:
    assert answer({"t": mock}, (), call()) == expected


def test_names_are_matched_exactly_first_and_without_case_after_that() -> None:
    mocks = {"Search": 1, "search": 2}
    assert (answer(mocks, (), call("search")), answer(mocks, (), call("SEARCH"))) == (2, 1)


def test_arguments_that_are_no_object_match_only_conditions_without_params() -> None:
    mocks = {"t": {"when": [{"params": {"x": 1}, "return": "w"}], "default": "d"}}
    assert answer(mocks, (), ToolCall("t", "not an object", "failed")) == "d"
