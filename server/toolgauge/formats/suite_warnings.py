"""What is odd in a suite but does not stop it: tools and the names that mean them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolgauge.formats.places import Found, Loc, as_list, as_object, did_you_mean
from toolgauge.formats.suite_checks import expects_no_call
from toolgauge.scoring.plain_schema import compile_schema

_OPEN_OBJECT = {"type": "object"}
_ANNOTATIONS = {"title", "description", "$schema", "$id", "$defs", "$comment", "default"}
# those that the library knows, which takes too long to import for their sake
# fmt: off
_KEYWORDS = _ANNOTATIONS | {
    "$dynamicRef", "$ref", "additionalProperties", "allOf", "anyOf", "const", "contains",
    "dependentRequired", "dependentSchemas", "enum", "exclusiveMaximum", "exclusiveMinimum",
    "format", "if", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
    "minLength", "minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern",
    "patternProperties", "prefixItems", "properties", "propertyNames", "required", "type",
    "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
}
# fmt: on


def with_open_schemas(suite: dict[str, Any]) -> tuple[dict[str, Any], list[Found]]:
    """Return the suite with an open object where a tool's ``parameters`` is no JSON Schema.

    What was replaced is told beside it. The given data is not changed.
    """
    found: list[Found] = []
    cases = [
        _with_tools(case, ("test_cases", position), found) if isinstance(case, dict) else case
        for position, case in enumerate(as_list(suite.get("test_cases")))
    ]
    replaced = _with_tools(suite, (), found)
    if found and "test_cases" in replaced:
        replaced = replaced | {"test_cases": cases}
    return (replaced if found else suite), found


def find_oddities(suite: dict[str, Any]) -> Iterator[Found]:
    """Yield warnings: unknown and repeated tool names, no tools, a ``tool_choice`` in the way."""
    shared = _Toolbox.of(suite.get("tools"))
    yield from _repeated_names(suite.get("tools"), ("tools",))
    defaults = as_object(suite.get("defaults"))
    if not shared.is_empty:
        yield from shared.unknown(_names_in_fields(defaults, ("defaults",)))
    without_tools = 0
    for position, case in enumerate(as_list(suite.get("test_cases"))):
        if not isinstance(case, dict):
            continue
        loc: Loc = ("test_cases", position)
        yield from _repeated_names(case.get("tools"), (*loc, "tools"))
        tools = shared if case.get("tools") is None else _Toolbox.of(case["tools"])
        without_tools += tools.is_empty
        yield from tools.unknown(_names_in_case(case, loc))
        if case.get("tool_choice") == "required" and expects_no_call(case):
            yield Found(
                (*loc, "tool_choice"),
                "`required` forces a call where none is expected; use `auto`",
            )
    if without_tools:
        cases = "1 case has" if without_tools == 1 else f"{without_tools} cases have"
        yield Found(("tools",), f"{cases} no tools to call; add `tools`")


@dataclass(frozen=True, slots=True)
class _Toolbox:
    """Names of the tools that a case may call; ``is_open`` where a server adds unknown ones."""

    names: dict[str, str]
    is_open: bool

    @classmethod
    def of(cls, tools: Any) -> _Toolbox:
        names = [name for _, name in _named_tools(tools, ())]
        is_open = any("mcp" in as_object(tool) for tool in as_list(tools))
        return cls({name.casefold(): name for name in names}, is_open)

    @property
    def is_empty(self) -> bool:
        return not self.names and not self.is_open

    def unknown(self, mentioned: Iterator[tuple[Loc, Any]]) -> Iterator[Found]:
        """Yield the mentioned names that no tool has, in any letter case."""
        if self.is_open or self.is_empty:
            return
        for loc, name in mentioned:
            if isinstance(name, str) and name.casefold() not in self.names:
                hint = did_you_mean(name, self.names.values(), otherwise="add it, or correct this")
                yield Found(loc, f"{name!r} is not among the tools; {hint}")


def _with_tools(owner: dict[str, Any], loc: Loc, found: list[Found]) -> dict[str, Any]:
    tools = owner.get("tools")
    if not isinstance(tools, list):
        return owner
    before = len(found)
    checked = [
        _with_open_schema(tool, (*loc, "tools", position), found)
        for position, tool in enumerate(tools)
    ]
    return owner | {"tools": checked} if len(found) > before else owner


def _with_open_schema(tool: Any, loc: Loc, found: list[Found]) -> Any:
    function = as_object(tool).get("function")
    if not isinstance(function, dict) or "parameters" not in function:
        return tool
    why = _why_no_schema(function["parameters"])
    if why is None:
        return tool
    message = f"is no JSON Schema ({why}); any arguments are taken until it is corrected"
    found.append(Found((*loc, "function", "parameters"), message))
    return tool | {"function": function | {"parameters": dict(_OPEN_OBJECT)}}


def _why_no_schema(schema: Any) -> str | None:
    """Return why ``parameters`` is not JSON Schema (Draft 2020-12); None where it is.

    An object without a single keyword of JSON Schema lists parameters directly, as some
    datasets do; that is no schema of theirs, though the letter of the draft allows it.
    """
    if not isinstance(schema, dict):
        return "it must be an object"
    if schema and _KEYWORDS.isdisjoint(schema):
        return "parameters belong under `properties`"
    if compile_schema(schema) is not None:
        return None
    from toolgauge.scoring.any_schema import why_invalid  # noqa: PLC0415 - 35 ms, rarely needed

    return why_invalid(schema)


def _named_tools(tools: Any, loc: Loc) -> Iterator[tuple[Loc, str]]:
    for position, tool in enumerate(as_list(tools)):
        name = as_object(as_object(tool).get("function")).get("name")
        if isinstance(name, str):
            yield (*loc, position, "function", "name"), name


def _repeated_names(tools: Any, loc: Loc) -> Iterator[Found]:
    seen: set[str] = set()
    for name_loc, name in _named_tools(tools, loc):
        if name.casefold() in seen:
            yield Found(name_loc, f"{name!r} is the name of another tool too; rename one of them")
        seen.add(name.casefold())


def _names_in_case(case: dict[str, Any], loc: Loc) -> Iterator[tuple[Loc, Any]]:
    yield from _one_or_more(case.get("expected_tool"), (*loc, "expected_tool"))
    for position, call in enumerate(as_list(case.get("expected_calls"))):
        call_loc: Loc = (*loc, "expected_calls", position, "tool")
        yield from _one_or_more(as_object(call).get("tool"), call_loc)
    yield from _names_in_fields(case, loc)


def _names_in_fields(owner: dict[str, Any], loc: Loc) -> Iterator[tuple[Loc, Any]]:
    for field in ("forbidden_tools", "valid_prerequisites"):
        for position, name in enumerate(as_list(owner.get(field))):
            yield (*loc, field, position), name
    for name in as_object(owner.get("mock_responses")):
        yield (*loc, "mock_responses", name), name


def _one_or_more(names: Any, loc: Loc) -> Iterator[tuple[Loc, Any]]:
    if isinstance(names, list):
        yield from (((*loc, position), name) for position, name in enumerate(names))
    else:
        yield loc, names
