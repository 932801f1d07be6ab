from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import given, settings
from made import json_values, nested, tool

from toolgauge.model.tools import ToolCall
from toolgauge.scoring.matching import Undecided
from toolgauge.scoring.schema_match import find_tool, is_valid

EXPLODING = "^(a|aa)+$"


def accepts(schema: dict[str, Any], arguments: Any) -> bool | None:
    return is_valid((tool("f", schema),), ToolCall("f", arguments))


def test_the_exact_name_is_found_before_one_in_other_letter_case() -> None:
    tools = (tool("F", {"required": ["a"]}), tool("f", {}))
    assert find_tool(tools, "f") is tools[1]
    assert find_tool(tools[:1], "f") is tools[0]
    assert find_tool(tools, "g") is None


def test_no_tool_no_verdict() -> None:
    assert is_valid((tool("f"),), ToolCall("g", {"city": "x"})) is None


@pytest.mark.parametrize("arguments", [None, [], "{}", 1])
def test_arguments_that_are_no_object_are_invalid(arguments: Any) -> None:
    assert accepts({}, arguments) is False


def test_a_recursive_schema_is_followed() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"next": {"$ref": "#"}, "n": {"$ref": "#/$defs/count"}},
        "$defs": {"count": {"type": "integer", "multipleOf": 2}},
    }
    assert accepts(schema, {"next": {"next": {"n": 4}}}) is True
    assert accepts(schema, {"next": {"next": {"n": 3}}}) is False


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "dict"},
        {"properties": []},
        {"type": "object", "required": "city"},
        {"oneOf": []},
        {"uniqueItems": True, "properties": {"a": {"pattern": "("}}},
        {"patternProperties": {"(": {}}},
        {"properties": {"a": {"$ref": "#/$defs/missing"}}},
        {"patternProperties": {"^x": {}}, "unevaluatedProperties": False},
        {"oneOf": [{}], "default": {1, 2}},
    ],
)
def test_a_schema_that_cannot_be_used_accepts_every_object(schema: dict[str, Any]) -> None:
    assert accepts(schema, {"a": "x", "b": [1]}) is True
    assert accepts(schema, "text") is False


def test_no_reference_is_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        remote = f"http://127.0.0.1:{server.getsockname()[1]}/schema.json"
        assert accepts({"properties": {"a": {"$ref": remote}}}, {"a": 1}) is True
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"pattern": EXPLODING}}},
        {"properties": {"a": {"pattern": EXPLODING, "oneOf": [{}]}}},
        {"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#", "not": {
            "pattern": EXPLODING}}}},
        {"propertyNames": {"pattern": EXPLODING}},
        {"patternProperties": {EXPLODING: {}}},
        {"patternProperties": {EXPLODING: {}}, "additionalProperties": False},
    ],
)  # fmt: skip
def test_a_pattern_that_explodes_is_undecided(schema: dict[str, Any]) -> None:
    text = "a" * 64 + "!"
    with pytest.raises(Undecided, match="ran out of time") as caught:
        accepts(schema, {"a": text, text: 1})
    assert caught.value.key == "schema_valid"


def test_pattern_properties_and_additional_properties_work_together() -> None:
    schema = {
        "properties": {"a": {}},
        "patternProperties": {"^x": {"type": "integer"}},
        "additionalProperties": {"type": "string"},
    }
    assert accepts(schema, {"a": None, "x1": 1, "other": "text"}) is True
    assert accepts(schema, {"x1": "1"}) is False
    assert accepts(schema, {"other": 1}) is False
    assert accepts(schema | {"additionalProperties": False}, {"other": "text"}) is False


def test_a_schema_that_refers_to_itself_forever_is_undecided() -> None:
    with pytest.raises(Undecided, match="nested too deeply"):
        accepts({"$ref": "#"}, {})


def test_arguments_too_deep_for_the_library_are_undecided() -> None:
    with pytest.raises(Undecided, match="nested too deeply"):
        accepts({"properties": {"a": {"type": "string", "oneOf": [{}]}}}, {"a": nested(100_000)})


def test_a_schema_too_deep_to_be_checked_accepts_every_object() -> None:
    for levels in (300, 100_000):
        deep: Any = {"type": "string"}
        for _ in range(levels):
            deep = {"not": deep}
        assert accepts({"properties": {"a": deep}}, {"a": 1}) is True


def test_what_the_library_cannot_compute_is_undecided() -> None:
    with pytest.raises(Undecided, match="cannot be applied: OverflowError"):
        accepts({"properties": {"a": {"multipleOf": 0.5}}}, {"a": 10**400})


def test_patterns_leave_values_of_other_types_alone() -> None:
    schema = {"not": {"required": ["b"]}, "properties": {"a": {"pattern": "^x"}}}
    inner = {"patternProperties": {"^x": False}, "additionalProperties": False}
    assert accepts(schema, {"a": 1}) is True
    assert accepts({"properties": {"a": inner}}, {"a": [1]}) is True


def test_changing_the_tool_changes_the_verdict() -> None:
    strict, loose = tool("f", {"required": ["a"]}), tool("f", {})
    for _ in range(3):
        assert is_valid((strict,), ToolCall("f", {})) is False
        assert is_valid((loose,), ToolCall("f", {})) is True


@settings(max_examples=60, deadline=None)
@given(json_values)
def test_whatever_a_schema_is_there_is_a_verdict(schema: Any) -> None:
    parameters = schema if isinstance(schema, dict) else {"properties": {"a": schema}}
    assert accepts(parameters, {"a": 1}) in (True, False)
