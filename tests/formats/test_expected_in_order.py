from __future__ import annotations

from typing import Any

import pytest

from builders import suite
from toolgauge.formats.expected_in_order import (
    arguments_of,
    expected_calls,
    openai_calls,
    plain_calls,
)
from toolgauge.formats.records import BadRecord
from toolgauge.model.case import Case


def case(**fields: Any) -> Case:
    return suite({"id": "a", "prompt": "p"} | fields).cases[0]


def test_one_expected_tool_is_a_list_of_one_call() -> None:
    one = case(expected_tool="f", expected_params={"a": 1})
    assert plain_calls(one) == [("f", {"a": 1})]


@pytest.mark.parametrize("nothing", [{"expected_tool": None}, {"expected_calls": []}])
def test_nothing_expected_is_an_empty_list(nothing: dict[str, Any]) -> None:
    assert plain_calls(case(**nothing)) == []


CALL = {"tool": "f", "params": {"a": 1}}
INEXPRESSIBLE: dict[str, dict[str, Any]] = {
    "alternatives": {"expected_tool": ["f", "g"], "expected_params": {}},
    "any call": {"expect_any_call": True},
    "conversation": {"expected_tool": "f", "expected_params": {}, "multi_turn": True},
    "any order": {"expected_calls": [CALL, CALL], "order": "any"},
    "optional": {"expected_calls": [CALL | {"optional": True}]},
    "forbidden": {"expected_calls": [CALL], "forbidden_tools": ["g"]},
    "pattern": {"expected_calls": [CALL | {"param_scoring": "regex"}]},
    "leaderboard": {"expected_calls": [{"tool": "f", "params": {"a": [1]}}], "match": "bfcl"},
    "unstated parameters": {"expected_tool": "f"},
}


@pytest.mark.parametrize("fields", INEXPRESSIBLE.values(), ids=INEXPRESSIBLE.keys())
def test_what_a_fixed_list_cannot_say_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadRecord):
        plain_calls(case(**fields))


def test_parameters_that_are_not_stated_may_be_given_a_stand_in() -> None:
    assert plain_calls(case(expected_tool="f"), unstated={}) == [("f", {})]


def test_the_order_of_a_single_call_does_not_matter() -> None:
    assert plain_calls(case(expected_calls=[CALL], order="any")) == [("f", {"a": 1})]


@pytest.mark.parametrize("sent", [None, "", "  ", "null", "{}", {}])
def test_no_arguments_are_an_empty_object(sent: Any) -> None:
    assert arguments_of(sent, "here") == {}


@pytest.mark.parametrize("sent", ["{", "[1]", [1], 7, "nonsense"])
def test_arguments_that_are_no_object_are_refused_by_their_place(sent: Any) -> None:
    with pytest.raises(BadRecord) as refused:
        arguments_of(sent, "here")
    assert refused.value.field == "here"


def test_calls_survive_being_written_as_openai_calls() -> None:
    calls = [("f", {"a": 1.0, "b": "ü"}), ("g", {})]
    read = expected_calls(openai_calls(calls), "calls")
    assert [(call["tool"], call["params"]) for call in read] == calls


@pytest.mark.parametrize("entries", [7, [7], [{}], [{"function": {"name": ""}}]])
def test_what_is_no_list_of_calls_is_refused(entries: Any) -> None:
    with pytest.raises(BadRecord):
        expected_calls(entries, "calls")
