"""Function documentation of the Berkeley leaderboard to OpenAI tools and back.

Its types are Python's; the two that JSON Schema cannot tell apart are kept under
``x-bfcl-type``, and a name with dots, which providers refuse, under ``x-bfcl-name``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolgauge.formats.places import did_you_mean, kind_of, shown
from toolgauge.formats.records import BadRecord

NAME, TYPE = "x-bfcl-name", "x-bfcl-type"

_TO_JSON: dict[str, dict[str, Any]] = {
    "dict": {"type": "object"},
    "object": {"type": "object"},
    "float": {"type": "number", "format": "float"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "string": {"type": "string"},
    "boolean": {"type": "boolean"},
    "array": {"type": "array"},
    "null": {"type": "null"},
    "bool": {"type": "boolean", TYPE: "bool"},
    "list": {"type": "array", TYPE: "list"},
    "tuple": {"type": "array", TYPE: "tuple"},
    "any": {"type": "string", TYPE: "any"},
}
_Schema = dict[str, Any]


def tool_name(name: str) -> str:
    """Return the name under which a function is offered, as the leaderboard sends it.

    >>> tool_name("spotify.play")
    'spotify_play'
    """
    return name.replace(".", "_")


def tool_of(function: Any, field: str) -> dict[str, Any]:
    """Return an OpenAI tool from one entry of ``function``.

    Raises:
        BadRecord: it has no name, or a type that the leaderboard does not document.
    """
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise BadRecord(field, "must be a function: {name, description, parameters}")
    name = function["name"]
    parameters = _to_json(function.get("parameters", {"type": "dict"}), f"{field}.parameters")
    if tool_name(name) != name:
        parameters[NAME] = name
    kept = {key: function[key] for key in ("description",) if key in function}
    return {
        "type": "function",
        "function": {"name": tool_name(name), **kept, "parameters": parameters},
    }


def function_of(tool: Any) -> dict[str, Any]:
    """Return an entry of ``function`` from an OpenAI tool.

    Raises:
        BadRecord: an MCP server has the tool.
    """
    if "mcp" in tool:
        raise BadRecord("tools", "are an MCP server's; write them into the suite")
    function = tool["function"]
    parameters = _to_python(function.get("parameters", {"type": "object", "properties": {}}))
    name = parameters.pop(NAME, function["name"])
    kept = {key: function[key] for key in ("description",) if key in function}
    return {"name": name, **kept, "parameters": parameters}


def original_names(tools: list[Any]) -> Mapping[str, str]:
    """Return the leaderboard's name of each tool by the name under which it is offered."""
    functions = [tool["function"] for tool in tools]
    return {
        function["name"]: function.get("parameters", {}).get(NAME, function["name"])
        for function in functions
    }


def _to_json(schema: Any, field: str) -> _Schema:
    if not isinstance(schema, dict):
        raise BadRecord(field, f"must be a schema, not {kind_of(schema)}")
    stated = schema.get("type")
    converted = _with_subschemas(schema, lambda inner, step: _to_json(inner, f"{field}.{step}"))
    if stated is None:
        return converted
    if not isinstance(stated, str) or stated not in _TO_JSON:
        hint = did_you_mean(str(stated), _TO_JSON, otherwise="known are: " + ", ".join(_TO_JSON))
        raise BadRecord(f"{field}.type", f"is no type of the leaderboard: {shown(stated)}; {hint}")
    # a format of its own (date, say) stays: only floats are told by theirs
    return {**converted, **_TO_JSON[stated]}


def _to_python(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    converted = _with_subschemas(schema, lambda inner, _: _to_python(inner))
    original = converted.pop(TYPE, None)
    if original is not None:
        converted["type"] = original
    elif converted.get("type") == "number" and converted.get("format") == "float":
        converted["type"] = "float"
        del converted["format"]
    elif converted.get("type") == "object":
        converted["type"] = "dict"
    return converted


def _with_subschemas(schema: _Schema, convert: Callable[[Any, str], Any]) -> _Schema:
    """Return the schema with ``convert`` applied where it holds schemas of parts."""
    converted = dict(schema)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        converted["properties"] = {
            name: convert(inner, f"properties.{name}") for name, inner in properties.items()
        }
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            converted[keyword] = convert(schema[keyword], keyword)
    return converted
