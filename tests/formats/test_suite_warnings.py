from __future__ import annotations

import copy
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from suite_documents import BARE, CASE, TOOLS, suite, tool, warnings

from toolgauge.formats.suite_file import parse_suite


def test_a_plain_suite_has_no_warnings() -> None:
    assert warnings(suite()) == {}


@pytest.mark.parametrize(
    ("case", "path"),
    [
        ({"expected_tool": "get_wether"}, "expected_tool"),
        ({"expected_tool": ["search", "get_wether"]}, "expected_tool[1]"),
        ({"expected_tool": None, "forbidden_tools": ["search", "x"]}, "forbidden_tools[1]"),
        ({"expected_tool": None, "valid_prerequisites": ["x"]}, "valid_prerequisites[0]"),
        ({"expected_tool": None, "mock_responses": {"x": 1}}, "mock_responses.x"),
        ({"expected_calls": [{"tool": "search"}, {"tool": "x"}]}, "expected_calls[1].tool"),
        ({"expected_calls": [{"tool": ["search", "x"]}]}, "expected_calls[0].tool[1]"),
    ],
)
def test_a_name_that_no_tool_has_is_told(case: dict[str, Any], path: str) -> None:
    (where,) = warnings(suite(BARE | case))
    assert where == f"test_cases[0].{path}"


def test_a_near_tool_is_named() -> None:
    (message,) = warnings(suite(CASE | {"expected_tool": "get_wether"})).values()
    assert message == "'get_wether' is not among the tools; did you mean `get_weather`?"


def test_names_are_compared_without_letter_case_as_scoring_does() -> None:
    assert warnings(suite(CASE | {"expected_tool": "Get_Weather"})) == {}


def test_names_in_defaults_are_looked_up_among_the_suites_tools() -> None:
    defaults = {"forbidden_tools": ["x"]}
    assert list(warnings(suite(defaults=defaults))) == ["defaults.forbidden_tools[0]"]
    own = CASE | {"tools": TOOLS}
    assert warnings(suite(own, defaults=defaults, tools=[])) == {}


def test_a_cases_own_tools_replace_the_suites() -> None:
    own = CASE | {"tools": [tool("search")]}
    assert list(warnings(suite(own))) == ["test_cases[0].expected_tool"]
    assert warnings(suite(CASE | {"tools": [tool("get_weather")]}, tools=[])) == {}


def test_tools_of_a_server_may_have_any_name() -> None:
    assert warnings(suite(CASE | {"expected_tool": "x"}, tools=[{"mcp": "files"}])) == {}


def test_cases_without_tools_are_counted_once() -> None:
    data = suite(CASE, CASE | {"id": "b"}, CASE | {"id": "c", "tools": TOOLS}, tools=[])
    assert warnings(data) == {"tools": "2 cases have no tools to call; add `tools`"}
    assert "1 case has" in warnings(suite(tools=[]))["tools"]


def test_repeated_tool_names_are_told_in_any_letter_case() -> None:
    twice = [*TOOLS, tool("SEARCH")]
    assert list(warnings(suite(tools=twice))) == ["tools[3].function.name"]
    own = suite(CASE | {"tools": twice})
    assert list(warnings(own)) == ["test_cases[0].tools[3].function.name"]


@pytest.mark.parametrize("expectation", [{"expected_tool": None}, {"expect_no_call": True}])
def test_a_required_call_where_none_is_expected_is_told(expectation: dict[str, Any]) -> None:
    case = BARE | expectation
    assert list(warnings(suite(case | {"tool_choice": "required"}))) == [
        "test_cases[0].tool_choice"
    ]
    assert warnings(suite(case | {"tool_choice": "none"})) == {}
    assert warnings(suite(case, defaults={"tool_choice": "required"})) == {}


@pytest.mark.parametrize(
    "schema",
    [
        {"trim_id": {"description": "The trim.", "type": "int", "default": ""}},
        {"type": "object", "properties": {"a": {"type": "str"}}},
        {"type": "dict"},
        {"type": "object", "required": True},
        {"type": "object", "properties": ["a"]},
        ["a"],
        "object",
        None,
    ],
)
def test_what_is_no_json_schema_is_sent_as_an_open_object(schema: object) -> None:
    data = suite(CASE | {"tools": [tool("get_weather", parameters=schema)]})
    data["tools"] = [tool("get_weather", parameters=schema)]
    before = copy.deepcopy(data)
    loaded = parse_suite(data, file="s")
    assert [problem.path for problem in loaded.warnings] == [
        "tools[0].function.parameters",
        "test_cases[0].tools[0].function.parameters",
    ]
    assert "is no JSON Schema (" in loaded.warnings[0].message
    for tools in (loaded.document.tools, loaded.document.test_cases[0].tools or []):
        assert tools[0].model_dump(exclude_unset=True)["function"]["parameters"] == {
            "type": "object"
        }
    assert data == before


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}},
        {"anyOf": [{"type": "object"}, {"type": "null"}]},
        {"type": "object", "properties": {"a": {"type": ["string", "null"], "x-hint": 1}}},
        {"description": "Takes nothing."},
    ],
)
def test_json_schema_stays_as_it_was_written(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    loaded = parse_suite(suite(tools=[tool("get_weather", parameters=schema)]), file="s")
    assert loaded.warnings == ()
    (kept,) = loaded.document.tools
    assert kept.model_dump()["function"]["parameters"] == schema


def test_a_schema_too_deep_to_be_checked_is_replaced() -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(2000):
        schema = {"not": schema}
    (message,) = warnings(suite(tools=[tool("get_weather", parameters=schema)])).values()
    assert "nests too deeply" in message


def test_a_schema_of_any_one_keyword_is_not_taken_for_a_list_of_parameters() -> None:
    for keyword in Draft202012Validator.VALIDATORS:
        listed = suite() | {"tools": [tool("get_weather", parameters={keyword: 1})]}
        said = [problem.message for problem in parse_suite(listed, file="s").warnings]
        assert not any("belong under" in message for message in said), keyword
