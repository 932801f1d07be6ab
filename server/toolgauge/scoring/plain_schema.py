"""The everyday part of JSON Schema, compiled to closures.

Most tools describe their arguments with a dozen keywords. For those, a closure per
(sub)schema answers in about a microsecond, twenty times sooner than the library that
knows all of JSON Schema. Anything else, invalid schemas included, is declined, and the
library decides. Begin with ``compile_schema``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolgauge.model.json_equality import equal_by_value
from toolgauge.scoring import patterns
from toolgauge.scoring.json_types import TYPES, is_integer, is_number

Check = Callable[[Any], bool]
_DEEPEST = 24


class _Declined(Exception):
    """The schema uses what this module does not know; it never leaves the module."""


def compile_schema(schema: Any) -> Check | None:
    """Return a test of values against ``schema``, None where the library has to decide.

    The test raises ``patterns.PatternTimeout`` where a ``pattern`` runs out of time.

    >>> check = compile_schema({"type": "object", "properties": {"n": {"type": "integer"}}})
    >>> check({"n": 1.0}), check({"n": "1"}), compile_schema({"$ref": "#/$defs/n"})
    (True, False, None)
    """
    try:
        return _compile(schema, _DEEPEST)
    except _Declined:
        return None


def _compile(schema: Any, levels: int) -> Check:
    if isinstance(schema, bool):
        return lambda _value: schema
    if not isinstance(schema, dict) or not levels:
        raise _Declined
    checks: list[Check] = []
    for keyword, stated in schema.items():
        if keyword in _ANNOTATIONS:
            _demand(_ANNOTATIONS[keyword](stated))
        elif keyword in _KEYWORDS:
            checks.append(_KEYWORDS[keyword](stated, levels))
        elif keyword not in _OF_OBJECTS:
            raise _Declined
    if not _OF_OBJECTS.isdisjoint(schema):
        checks.append(_object(schema, levels))
    return checks[0] if len(checks) == 1 else lambda value: all(check(value) for check in checks)


def _demand(is_well_formed: bool) -> None:  # noqa: FBT001 - an assertion with a name
    if not is_well_formed:
        raise _Declined


def _type(stated: Any, _levels: int) -> Check:
    if isinstance(stated, str):
        _demand(stated in TYPES)
        return TYPES[stated]
    _demand(isinstance(stated, list) and bool(stated) and _are_distinct_texts(stated))
    _demand(all(name in TYPES for name in stated))
    checks = [TYPES[name] for name in stated]
    return lambda value: any(check(value) for check in checks)


def _enum(stated: Any, _levels: int) -> Check:
    _demand(isinstance(stated, list))
    if all(isinstance(choice, str) for choice in stated):
        choices = frozenset(stated)
        return lambda value: isinstance(value, str) and value in choices
    return lambda value: any(equal_by_value(choice, value) for choice in stated)


def _const(stated: Any, _levels: int) -> Check:
    return lambda value: equal_by_value(stated, value)


def _pattern(stated: Any, _levels: int) -> Check:
    _demand(isinstance(stated, str) and patterns.can_compile(stated))
    return lambda value: not isinstance(value, str) or patterns.found(stated, value)


def _items(stated: Any, levels: int) -> Check:
    check = _compile(stated, levels - 1)
    return lambda value: not isinstance(value, list) or all(check(item) for item in value)


def _any_of(stated: Any, levels: int) -> Check:
    checks = _branches(stated, levels)
    return lambda value: any(check(value) for check in checks)


def _all_of(stated: Any, levels: int) -> Check:
    checks = _branches(stated, levels)
    return lambda value: all(check(value) for check in checks)


def _branches(stated: Any, levels: int) -> list[Check]:
    _demand(isinstance(stated, list) and bool(stated))
    return [_compile(branch, levels - 1) for branch in stated]


def _bound(holds: Callable[[Any, Any], bool]) -> Callable[[Any, int], Check]:
    def keyword(stated: Any, _levels: int) -> Check:
        _demand(is_number(stated))
        return lambda value: not is_number(value) or holds(value, stated)

    return keyword


def _size(
    of: type[str | list[Any]], holds: Callable[[int, Any], bool]
) -> Callable[[Any, int], Check]:
    def keyword(stated: Any, _levels: int) -> Check:
        _demand(is_integer(stated) and stated >= 0)
        return lambda value: not isinstance(value, of) or holds(len(value), stated)

    return keyword


def _object(schema: dict[str, Any], levels: int) -> Check:
    required = schema.get("required", [])
    _demand(isinstance(required, list) and _are_distinct_texts(required))
    stated = schema.get("properties", {})
    _demand(isinstance(stated, dict))
    properties = {name: _compile(each, levels - 1) for name, each in stated.items()}
    others = _compile(schema.get("additionalProperties", True), levels - 1)

    def check(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for name in required:
            if name not in value:
                return False
        return all(properties.get(name, others)(given) for name, given in value.items())

    return check


def _are_distinct_texts(names: list[Any]) -> bool:
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


def _is_anything(_stated: Any) -> bool:
    return True


_OF_OBJECTS = frozenset({"properties", "required", "additionalProperties"})
_ANNOTATIONS: Mapping[str, Check] = {
    "title": TYPES["string"],
    "description": TYPES["string"],
    "$comment": TYPES["string"],
    "format": TYPES["string"],
    "default": _is_anything,
    "examples": TYPES["array"],
    "deprecated": TYPES["boolean"],
    "readOnly": TYPES["boolean"],
    "writeOnly": TYPES["boolean"],
}
_KEYWORDS: Mapping[str, Callable[[Any, int], Check]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "pattern": _pattern,
    "items": _items,
    "anyOf": _any_of,
    "allOf": _all_of,
    # "not … <" rather than ">=": NaN is outside no bound, as in the library
    "minimum": _bound(lambda value, bound: not value < bound),
    "maximum": _bound(lambda value, bound: not value > bound),
    "exclusiveMinimum": _bound(lambda value, bound: not value <= bound),
    "exclusiveMaximum": _bound(lambda value, bound: not value >= bound),
    "minLength": _size(str, lambda length, bound: length >= bound),
    "maxLength": _size(str, lambda length, bound: length <= bound),
    "minItems": _size(list, lambda length, bound: length >= bound),
    "maxItems": _size(list, lambda length, bound: length <= bound),
}
