"""All of JSON Schema (Draft 2020-12), by the ``jsonschema`` library.

A schema may come from a stranger: no reference is fetched, and a ``pattern`` has a time limit.
Imported only where a schema says more than ``plain_schema`` knows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from toolgauge.scoring import patterns
from toolgauge.scoring.plain_schema import Check


@lru_cache(maxsize=1024)
def check_of(schema_json: str) -> Check | None:
    """Return the library's test of values, None where the schema cannot be used.

    By text, because checking a schema itself takes milliseconds.
    """
    schema = json.loads(schema_json)
    if not _is_usable(schema):
        return None
    validator = _Bounded(schema, registry=Registry())

    def check(arguments: Any) -> bool:
        try:
            return bool(validator.is_valid(arguments))
        except Unresolvable:
            return True

    return check


def why_invalid(schema: Any) -> str | None:
    """Return where and why a value is no schema, None where it is one."""
    try:
        error = best_match(_META_SCHEMA.iter_errors(schema))
    except RecursionError:
        return "it nests too deeply"
    return None if error is None else f"{error.json_path}: {error.message}"


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
