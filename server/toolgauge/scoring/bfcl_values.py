"""Whether a sent value is acceptable to the Berkeley leaderboard (section 10, points 5 to 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

LEFT_OUT = ""
"""Among acceptable values: the parameter may be left out."""

_PYTHON_TYPES: dict[str, type] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_DELETED = str.maketrans({"'": '"'} | dict.fromkeys(" ,./-_*^", ""))


def error_of(value: Any, acceptable: Sequence[Any], schema: Any) -> str | None:
    """Return the leaderboard's type of error for a value that was sent, None for none.

    ``schema`` is the parameter's. Where it states no single known type, no type is
    checked, and the value is compared by the rules of its own type.

    >>> error_of("New-York", ["new york"], {"type": "string"})
    >>> error_of(5.0, [5], {"type": "integer"})
    'type_error:simple'
    """
    wanted = _python_type(schema)
    kind = type(value) if wanted is None else wanted
    item_type = _python_type(schema.get("items")) if wanted is list else None
    answer_type = _answer_type(acceptable)
    if _has_type(value, kind):
        if item_type and not _items_fit(value, acceptable, item_type):
            return "type_error:nested" if answer_type is list else "type_error:simple"
    elif answer_type is None or type(value) is not answer_type:
        return "type_error:simple"
    if answer_type not in (None, kind):
        # the answers are not of the schema's type: they name a variable, say
        return None if value in acceptable else "value_error:others"
    return _value_error(value, acceptable, is_objects=item_type is dict)


def normalised(value: Any) -> Any:
    """Return a text as the leaderboard compares it; any other value as it is.

    >>> normalised("It's 5 p.m.")
    'it"s5pm'
    """
    return value.translate(_DELETED).lower() if isinstance(value, str) else value


def _python_type(schema: Any) -> type | None:
    if not isinstance(schema, dict):
        return None
    if schema.get("x-bfcl-type") == "any":
        return str
    stated = schema.get("type")
    return _PYTHON_TYPES.get(stated) if isinstance(stated, str) else None


def _has_type(value: Any, kind: type) -> bool:
    return type(value) is kind or (kind is float and type(value) is int)


def _answer_type(acceptable: Sequence[Any]) -> type | None:
    """Return the type of the first answer that is a value; None where there is none."""
    return next((type(answer) for answer in acceptable if answer != LEFT_OUT), None)


def _items_fit(value: Sequence[Any], acceptable: Sequence[Any], item_type: type) -> bool:
    return any(
        not isinstance(answer, list)
        or all(type(item) in (item_type, _answer_type(answer)) for item in value)
        for answer in acceptable
    )


def _value_error(value: Any, acceptable: Sequence[Any], *, is_objects: bool) -> str | None:
    if isinstance(value, dict):
        return _object_error(value, acceptable)
    if is_objects:
        return _objects_error(value, acceptable)
    if isinstance(value, str):
        answers = [normalised(answer) for answer in acceptable if isinstance(answer, str)]
        return None if normalised(value) in answers else "value_error:string"
    if isinstance(value, list):
        answers = [_normalised_list(answer) for answer in acceptable]
        return None if _normalised_list(value) in answers else "value_error:list/tuple"
    return None if value in acceptable else "value_error:others"


def _normalised_list(answer: Any) -> Any:
    if answer == LEFT_OUT:
        return []  # an empty list may be sent in place of nothing
    return [normalised(item) for item in answer] if isinstance(answer, list) else answer


def _object_error(value: dict[str, Any], acceptable: Sequence[Any]) -> str | None:
    """Return None where some answer fits, else the error with the last answer tried."""
    error: str | None = "dict_checker:unclear"
    for answer in acceptable:
        if isinstance(answer, dict):
            error = _fields_error(value, answer)
            if error is None:
                return None
    return error


def _fields_error(value: dict[str, Any], answer: dict[str, Any]) -> str | None:
    needed = (key for key, values in answer.items() if LEFT_OUT not in _as_list(values))
    if not all(key in value for key in needed):
        return "value_error:dict_key"
    for key, sent in value.items():
        if key not in answer:
            return "value_error:dict_key"
        if normalised(sent) not in [normalised(one) for one in _as_list(answer[key])]:
            return "value_error:dict_value"
    return None


def _objects_error(value: Sequence[Any], acceptable: Sequence[Any]) -> str | None:
    error: str | None = "list_dict_checker:unclear"
    for answer in acceptable:
        items = [] if answer == LEFT_OUT else answer
        if not isinstance(items, list) or len(items) != len(value):
            error = "value_error:list_dict_count"
            continue
        errors = (
            _object_error(sent, [item]) if isinstance(sent, dict) else "dict_checker:unclear"
            for sent, item in zip(value, items, strict=True)
        )
        error = next((one for one in errors if one), None)
        if error is None:
            return None
    return error


def _as_list(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]
