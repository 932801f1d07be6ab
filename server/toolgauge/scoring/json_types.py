"""The seven types of JSON Schema, as Python values have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def is_integer(value: Any) -> bool:
    """Return whether a value is an integral number: ``5.0`` is, ``true`` is not."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Return whether a value is a number: ``true`` is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


TYPES: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": is_number,
    "integer": is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}
"""Type name to test. Source: ``scoring.md`` section 6, JSON Schema 2020-12."""
