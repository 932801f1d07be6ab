from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataset_samples import question
from toolgauge.formats.bfcl_tools import function_of, original_names, tool_of
from toolgauge.formats.records import BadRecord

TYPES = st.sampled_from(
    ["string", "integer", "float", "number", "boolean", "bool", "any", "tuple", "array", "list"]
)
LEAVES = st.fixed_dictionaries(
    {"type": TYPES}, optional={"description": st.text(max_size=5), "default": st.integers()}
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries(
            {
                "type": st.just("dict"),
                "properties": st.dictionaries(st.sampled_from(["type", "items", "a"]), inner),
            },
            optional={"required": st.just(["a"])},
        ),
        st.fixed_dictionaries({"type": st.sampled_from(["array", "tuple"]), "items": inner}),
        st.fixed_dictionaries({"type": st.just("dict"), "additionalProperties": inner}),
    ),
    max_leaves=8,
)
FUNCTIONS = st.fixed_dictionaries(
    {"name": st.sampled_from(["play", "spotify.play", "a.b.c"]), "parameters": SCHEMAS},
    optional={"description": st.text(max_size=5)},
)


@settings(max_examples=100, deadline=None)
@given(FUNCTIONS)
def test_a_function_survives_becoming_a_tool(function: dict[str, Any]) -> None:
    assert function_of(tool_of(function, "function")) == function


def test_types_become_those_of_json_schema_and_dots_go_out_of_names() -> None:
    (function,) = question("simple_0")["function"]
    tool = tool_of(function, "function")["function"]
    properties = tool["parameters"]["properties"]
    assert tool["name"] == "spotify_play"
    assert tool["parameters"]["type"] == "object"
    assert properties["volume"] == {"type": "number", "format": "float"}
    assert properties["size"] == {
        "type": "array",
        "items": {"type": "integer"},
        "x-bfcl-type": "tuple",
    }
    extra = properties["options"]["properties"]["extra"]
    assert extra == {"type": "string", "x-bfcl-type": "any"}
    assert original_names([{"function": tool}]) == {"spotify_play": "spotify.play"}


def test_a_type_that_the_leaderboard_does_not_have_is_told_by_its_place() -> None:
    parameters = {"type": "dict", "properties": {"a": {"type": "HashMap"}}}
    with pytest.raises(BadRecord, match="HashMap") as refused:
        tool_of({"name": "f", "parameters": parameters}, "function[0]")
    assert refused.value.field == "function[0].parameters.properties.a.type"


@pytest.mark.parametrize("function", [7, {}, {"name": 7}, {"name": "f", "parameters": 7}])
def test_what_is_no_function_is_refused(function: Any) -> None:
    with pytest.raises(BadRecord):
        tool_of(function, "function[0]")


def test_tools_of_an_mcp_server_cannot_be_written() -> None:
    with pytest.raises(BadRecord, match="MCP"):
        function_of({"mcp": "files"})
