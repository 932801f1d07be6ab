"""Whether arguments validate against the JSON Schema of a tool (``scoring.md`` section 3).

Draft 2020-12 by the ``jsonschema`` library (``any_schema``), with a faster way for everyday
schemas (``plain_schema``).
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from toolgauge.model.tools import ToolCall, ToolSpec
from toolgauge.scoring import patterns
from toolgauge.scoring.matching import Undecided
from toolgauge.scoring.plain_schema import Check, compile_schema
from toolgauge.scoring.quoting import quote


def find_tool(tools: tuple[ToolSpec, ...], name: str) -> ToolSpec | None:
    """Return the tool of that name, exact letter case first, else any; None where none is."""
    for tool in tools:
        if tool.name == name:
            return tool
    folded = name.casefold()
    return next((tool for tool in tools if tool.name.casefold() == folded), None)


def is_valid(tools: tuple[ToolSpec, ...], call: ToolCall) -> bool | None:
    """Return whether a call's arguments validate against the schema of the tool it names.

    None where no such tool is offered. Arguments that are no object: False. A schema
    that is itself invalid, or refers to what it does not hold, accepts every object.

    Raises:
        Undecided: a pattern ran out of time, or the arguments are nested too deeply.

    >>> tool = ToolSpec.model_validate({"function": {"name": "f", "parameters": {
    ...     "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}})
    >>> is_valid((tool,), ToolCall("F", {"n": 1})), is_valid((tool,), ToolCall("f", {}))
    (True, False)
    """
    tool = find_tool(tools, call.name)
    if tool is None:
        return None
    if not isinstance(call.arguments, dict):
        return False
    try:
        return _check_of(_Identity(tool))(call.arguments)
    except patterns.PatternTimeout as timeout:
        why = f"pattern {quote(timeout.pattern, 200)} of tool {quote(tool.name)} ran out of time"
    except RecursionError:
        why = f"the arguments of {quote(tool.name)}, or its schema, are nested too deeply"
    except Exception as error:  # noqa: BLE001 - strangers' schemas meet a library that may raise anything
        why = f"the schema of tool {quote(tool.name)} cannot be applied: {type(error).__name__}"
    raise Undecided(why, key="schema_valid")


class _Identity:
    """A tool as a cache key: the same object, not an equal one; it keeps the tool alive."""

    __slots__ = ("tool",)

    def __init__(self, tool: ToolSpec) -> None:
        self.tool = tool

    def __hash__(self) -> int:
        return id(self.tool)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.tool is self.tool


@lru_cache(maxsize=4096)
def _check_of(key: _Identity) -> Check:
    schema = key.tool.parameters
    plain = compile_schema(schema)
    if plain is not None:
        return plain
    from toolgauge.scoring.any_schema import check_of  # noqa: PLC0415 - 35 ms, and rarely needed

    try:
        return check_of(json.dumps(schema)) or _accept
    except (TypeError, ValueError, RecursionError):  # no JSON at all, so no schema
        return _accept


def _accept(_arguments: Any) -> bool:
    return True
