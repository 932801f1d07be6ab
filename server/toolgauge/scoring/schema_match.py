"""Whether arguments validate against the JSON Schema of a tool (``scoring.md`` section 3).

Draft 2020-12 by the ``jsonschema`` library, with a faster way for everyday schemas
(``plain_schema``). A schema may come from a stranger: no reference is fetched, and a
``pattern`` has a time limit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

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
    try:
        return _library_check(json.dumps(schema))
    except (TypeError, ValueError, RecursionError):  # no JSON at all, so no schema
        return _accept


@lru_cache(maxsize=1024)
def _library_check(schema_json: str) -> Check:
    """Return the library's test; by text, because checking a schema itself takes milliseconds."""
    schema = json.loads(schema_json)
    if not _is_usable(schema):
        return _accept
    validator = _Bounded(schema, registry=Registry())

    def check(arguments: Any) -> bool:
        try:
            return bool(validator.is_valid(arguments))
        except Unresolvable:
            return True

    return check


def _accept(_arguments: Any) -> bool:
    return True


def _is_usable(schema: Any) -> bool:
    try:
        if not _META_SCHEMA.is_valid(schema):
            return False
    except RecursionError:
        return False
    keywords: set[str] = set()
    for part in _objects_in(schema):
        keywords |= part.keys()
        stated = [part.get("pattern"), *(part.get("patternProperties") or ())]
        if not all(patterns.can_compile(text) for text in stated if isinstance(text, str)):
            return False
    # together these two search with a pattern where no time limit can be set
    return not {"unevaluatedProperties", "patternProperties"} <= keywords


def _objects_in(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(instance, str) and not patterns.found(pattern, instance):
        yield ValidationError("does not match the pattern")


def _pattern_properties(
    validator: Any, stated: dict[str, Any], instance: Any, _schema: Any
) -> Iterator[Any]:
    if isinstance(instance, dict):
        for pattern, subschema in stated.items():
            for name, value in instance.items():
                if patterns.found(pattern, name):
                    yield from validator.descend(value, subschema)


def _additional_properties(
    validator: Any, subschema: Any, instance: Any, schema: dict[str, Any]
) -> Iterator[Any]:
    if isinstance(instance, dict):
        named, by_pattern = schema.get("properties", {}), schema.get("patternProperties", {})
        for name, value in instance.items():
            if name not in named and not any(patterns.found(each, name) for each in by_pattern):
                yield from validator.descend(value, subschema)


def _evolve(validator: Any, **changes: Any) -> Any:
    """Return the same kind of validator for a subschema, whatever dialect that one declares."""
    return _Bounded(
        changes.get("schema", validator.schema),
        registry=validator._registry,  # noqa: SLF001 - the library's own ``evolve`` hands these on
        _resolver=changes.get("_resolver", validator._resolver),  # noqa: SLF001 - likewise
    )


_META_SCHEMA = Draft202012Validator(Draft202012Validator.META_SCHEMA)
# the library's stubs leave ``extend`` untyped
_Bounded = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    },
)
_Bounded.evolve = _evolve  # the library's own would leave the time limits at a nested "$schema"
