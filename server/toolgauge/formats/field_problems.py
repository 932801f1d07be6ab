"""What pydantic found wrong, in words for people and at paths of the document."""

from __future__ import annotations

from collections.abc import Callable
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from toolgauge.formats.places import Found, Loc, did_you_mean, kind_of, nearest, shown

Wording = Callable[[Loc, Any], str | None]
"""Answers with the one message for a field that is told as a whole, given its value."""

Model = type[BaseModel]
_Document = TypeVar("_Document", bound=BaseModel)

_MUST_BE = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}


def validate(
    model: type[_Document], data: Any, wording: Wording
) -> tuple[_Document | None, list[Found]]:
    """Return the document, or None and every field that ``model`` does not take.

    Nothing is converted: ``"1"`` is no number, ``1`` no text. A field for which ``wording``
    has a message is told once, whatever is wrong within it, and branches of a union that
    the data does not mean are left out.
    """
    try:
        return model.model_validate(data, strict=True), []
    except ValidationError as error:
        details = error.errors(include_url=False)
        misspelt = {_meant(model, detail) for detail in details}
        return None, [
            found
            for detail in details
            if (found := _found(model, data, detail, wording)) is not None
            # a field that is only misspelt is told once, not missed as well
            and not (detail["type"] == "missing" and detail["loc"] in misspelt)
        ]


def fields_at(model: Model, loc: Loc) -> list[str]:
    """Return the names of the fields that a document takes at ``loc``."""
    kinds: list[Any] = [model]
    for step in loc:
        kinds = [inner for kind in kinds for inner in _inside(kind, step)]
    return [name for kind in kinds if _is_model(kind) for name in _fields(kind)]


def _meant(model: Model, detail: ErrorDetails) -> Loc | None:
    """Return where an unknown field would stand if it were spelt like the nearest known one."""
    if detail["type"] != "extra_forbidden":
        return None
    *parent, name = detail["loc"]
    meant = nearest(str(name), fields_at(model, tuple(parent)))
    return None if meant is None else (*parent, meant)


def _found(model: Model, data: Any, detail: ErrorDetails, wording: Wording) -> Found | None:
    loc: Loc = ()
    here = data
    for position, step in enumerate(detail["loc"]):
        is_last = position == len(detail["loc"]) - 1
        inside, value = _step_into(here, step)
        if not inside:
            if is_last and detail["type"] == "missing":
                loc = (*loc, step)
            elif not _is_meant(step, here):
                return None
            continue
        loc, here = (*loc, step), value
        whole = wording(loc, here)
        if whole is not None:
            return Found(loc, whole)
    return Found(loc, _message(model, detail))


def _step_into(here: Any, step: str | int) -> tuple[bool, Any]:
    if isinstance(here, dict) and step in here:
        return True, here[step]
    if isinstance(here, list) and isinstance(step, int) and step < len(here):
        return True, here[step]
    return False, None


def _is_meant(tag: str | int, here: Any) -> bool:
    """Whether a union's branch (pydantic names it in the path) is the one that was written."""
    if not isinstance(here, dict) or tag not in ("ToolSpec", "McpTools"):
        return True
    return (tag == "McpTools") == ("mcp" in here)


def _message(model: Model, detail: ErrorDetails) -> str:
    kind, value = detail["type"], detail["input"]
    if kind == "extra_forbidden":
        *parent, name = detail["loc"]
        known = fields_at(model, tuple(parent))
        otherwise = f"known are: {', '.join(sorted(known))}"
        return f"is no known field; {did_you_mean(str(name), known, otherwise=otherwise)}"
    if kind == "string_type":
        quotes = "; put it in quotes" if isinstance(value, (bool, int, float)) else ""
        return f"must be text, not {kind_of(value)}{quotes}"
    if kind in _MUST_BE:
        return f"must be {_MUST_BE[kind]}, not {shown(value)}"
    return _message_of_a_value(detail)


def _message_of_a_value(detail: ErrorDetails) -> str:
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "literal_error":
        choices = str(context["expected"])
        hint = did_you_mean(value, choices.split("'")[1::2]) if isinstance(value, str) else ""
        return f"must be {choices}, not {shown(value)}{'; ' + hint if hint else ''}"
    messages = {
        "missing": "is required",
        "greater_than_equal": f"must be at least {_number(context.get('ge'))}, not {shown(value)}",
        "greater_than": f"must be more than {_number(context.get('gt'))}, not {shown(value)}",
        "less_than_equal": f"must be at most {_number(context.get('le'))}, not {shown(value)}",
        "finite_number": "must be a finite number",
        "too_short": "needs at least one entry",
        "string_too_short": "must not be empty",
        "string_unicode": "holds half of a character (a lone surrogate)",
        "value_error": str(context.get("error")),
    }
    return messages.get(kind, detail["msg"])


def _number(bound: Any) -> str:
    return f"{bound:g}" if isinstance(bound, float) else str(bound)


def _inside(kind: Any, step: str | int) -> list[Any]:
    """Return the types that stand at ``step`` of a type; a union's own tag leads to itself."""
    if _is_model(kind):
        if step == kind.__name__:
            return [kind]
        annotation = _fields(kind).get(str(step))
        return [] if annotation is None else _alternatives(annotation)
    arguments = get_args(kind)
    if get_origin(kind) is list and isinstance(step, int):
        return _alternatives(arguments[0])
    return _alternatives(arguments[1]) if get_origin(kind) is dict else []


def _alternatives(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Annotated:
        return _alternatives(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [kind for part in get_args(annotation) for kind in _alternatives(part)]
    return [annotation]


def _fields(model: Model) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
