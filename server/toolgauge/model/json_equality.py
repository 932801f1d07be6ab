"""Two equalities of JSON values: by value (numbers compare as numbers), and identity."""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, isnan
from typing import Any


def equal_by_value(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal, numbers compared by value.

    ``1`` equals ``1.0``; ``true`` does not equal ``1``; text is case-sensitive; key
    order does not matter; NaN equals NaN. Source: ``scoring.md`` section 7.

    >>> equal_by_value({"a": [1, None]}, {"a": [1.0, None]}), equal_by_value(True, 1)
    (True, False)
    """
    return _equal(left, right, _numbers_equal)


def identical(left: Any, right: Any) -> bool:
    """Return whether two JSON values are the same JSON.

    ``1`` differs from ``1.0``, ``-0.0`` from ``0.0``, ``true`` from ``1``; NaN is NaN;
    key order does not matter. Source: ``scoring.md`` section 5.

    >>> identical({"a": 1, "b": 2}, {"b": 2, "a": 1}), identical(1, 1.0)
    (True, False)
    """
    return _equal(left, right, _numbers_identical)


def _equal(left: Any, right: Any, numbers: Callable[[Any, Any], bool]) -> bool:
    pairs = [(left, right)]  # a stack, not recursion: hostile values may be nested deeply
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pairs.extend((value, b[key]) for key, value in a.items())
        elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            if len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif not _scalars_equal(a, b, numbers):
            return False
    return True


def _scalars_equal(a: Any, b: Any, numbers: Callable[[Any, Any], bool]) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return numbers(a, b)
    return type(a) is type(b) and bool(a == b)


def _numbers_equal(a: float, b: float) -> bool:
    return a == b or (_is_nan(a) and _is_nan(b))


def _numbers_identical(a: float, b: float) -> bool:
    if type(a) is not type(b):
        return False
    if _is_nan(a) or _is_nan(b):
        return _is_nan(a) and _is_nan(b)
    return a == b and (isinstance(a, int) or copysign(1, a) == copysign(1, b))


def _is_nan(value: float) -> bool:
    return isinstance(value, float) and isnan(value)
