from __future__ import annotations

from typing import Any

import pytest
from suite_documents import CASE, problems, suite

from toolgauge.formats.field_problems import fields_at, validate
from toolgauge.model.suite import SuiteDocument


def message(**case: Any) -> str:
    (problem,) = problems(suite(CASE | case))
    return problem.message


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("prompt", 12, "must be text, not a number; put it in quotes"),
        ("prompt", ["a"], "must be text, not a list"),
        ("multi_turn", "no", "must be true or false, not 'no'"),
        ("multi_turn", 1, "must be true or false, not 1"),
        ("optimal_hops", 1.5, "must be a whole number, not 1.5"),
        ("optimal_hops", True, "must be a whole number, not true"),
        ("max_rounds", 101, "must be at most 100, not 101"),
        ("pass_threshold", "1", "must be a number, not '1'"),
        ("pass_threshold", float("nan"), "must be a finite number"),
        ("expected_params", ["Paris"], "must be an object, not a list"),
        ("scoring_config", 3, "must be an object, not 3"),
        ("forbidden_tools", "search", "must be a list, not 'search'"),
        ("id", "", "must not be empty"),
        (
            "tool_choice",
            "Auto",
            "must be 'required', 'auto' or 'none', not 'Auto'; did you mean `auto`?",
        ),
        ("expected_tool", 3, "must be a tool name, a list of at least one name, or null"),
        ("expected_tool", ["a", 3], "must be a tool name, a list of at least one name, or null"),
        ("expected_tool", {"str": 1}, "must be a tool name, a list of at least one name, or null"),
    ],
)
def test_messages_say_what_to_write(field: str, value: object, told: str) -> None:
    assert message(**{field: value}) == told


def test_an_empty_list_of_messages_is_told() -> None:
    case = {"id": "a", "messages": [], "expected_tool": None}
    assert [str(p) for p in problems(suite(case))] == [
        "test_cases[0].messages: needs at least one entry"
    ]


def test_a_field_that_resembles_none_lists_those_that_are() -> None:
    told = message(scoring_config={"zzz": 1})
    assert told == (
        "is no known field; known are: by, epsilon, mode, params, relative, threshold, type, values"
    )


def test_a_misspelt_required_field_is_told_once() -> None:
    data = {"nam": "s", "test_cases": [CASE]}
    assert [p.path for p in problems(data)] == ["nam"]
    assert [p.path for p in problems({"test_cases": [CASE]})] == ["name"]


@pytest.mark.parametrize("tool", [{}, {"name": "f", "parameters": {}}, "f", None, 3, []])
def test_what_is_no_tool_definition_is_told_as_a_whole(tool: object) -> None:
    (problem,) = problems(suite(tools=[tool]))
    assert problem.path == "tools[0]"
    assert "{type: function, function: {name: …" in problem.message


@pytest.mark.parametrize(
    ("tool", "path"),
    [
        ({"function": {"nme": "f"}}, "tools[0].function.nme"),
        ({"function": {"name": ""}}, "tools[0].function.name"),
        ({"type": "tool", "function": {"name": "f"}}, "tools[0].type"),
        ({"mcp": ""}, "tools[0].mcp"),
        ({"mcp": "files", "only": ["a"]}, "tools[0].only"),
    ],
)
def test_problems_of_a_tool_are_those_of_the_kind_that_was_meant(
    tool: dict[str, Any], path: str
) -> None:
    assert [p.path for p in problems(suite(tools=[tool]))] == [path]
    assert [p.path for p in problems(suite(CASE | {"tools": [tool]}))] == [f"test_cases[0].{path}"]


def test_an_expected_calls_tool_is_told_as_a_whole() -> None:
    case = {"id": "a", "prompt": "p", "expected_calls": [{"tool": []}, {"tool": 3}, {}]}
    assert [str(p) for p in problems(suite(case))] == [
        "test_cases[0].expected_calls[0].tool: must be a tool name, or a list of at least one name",
        "test_cases[0].expected_calls[1].tool: must be a tool name, or a list of at least one name",
        "test_cases[0].expected_calls[2].tool: is required",
    ]


def test_a_parameter_may_have_the_name_of_a_field_that_is_told_as_a_whole() -> None:
    rules = {"params": {"expected_tool": {"epsilon": -1}}}
    case = CASE | {"expected_params": {"expected_tool": 1}, "scoring_config": rules}
    assert [p.path for p in problems(suite(case))] == [
        "test_cases[0].scoring_config.params.expected_tool.epsilon"
    ]


def test_fields_are_those_of_the_place() -> None:
    assert "scoring_config" in fields_at(SuiteDocument, ("test_cases", 3))
    assert fields_at(SuiteDocument, ("weights",)) == ["tool", "params"]
    assert "$schema" in fields_at(SuiteDocument, ())
    assert fields_at(SuiteDocument, ("test_cases", 0, "expected_params", "city")) == []
    assert fields_at(SuiteDocument, ("tools", 0, "McpTools")) == ["mcp"]


def test_nothing_is_converted() -> None:
    document, found = validate(SuiteDocument, {"name": 1, "test_cases": []}, lambda *_: None)
    assert document is None
    assert {item.loc for item in found} == {("name",), ("test_cases",)}
