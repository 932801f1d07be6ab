"""Reads the parameters of a tool out of its JSON Schema, whatever the schema is.

References into the schema itself are followed a few steps, nested objects are flattened a
few levels, and what lies beyond these bounds is not seen: a hostile schema costs no more
than an honest one. Begin with ``parameters_of``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolgauge.gateway.lexical_words import stem, terms, words

_MAX_PARAMETERS, _MAX_DEPTH, _MAX_STEPS, _MAX_CHOICES = 64, 3, 8, 500
# longer integers may be too long to be written as text
_MAX_BITS = 64
_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "dict": "object",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One value that a schema allows, and the stems of its words."""

    value: str | float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter that holds no further ones.

    ``path`` is its place in the arguments, ``words`` are the stems of its name in order,
    ``hints`` those of its description; ``type`` is the JSON type, ``string`` where the
    schema states none. ``items`` describes the elements of an array.
    """

    path: tuple[str, ...]
    type: str
    required: bool
    words: tuple[str, ...]
    hints: frozenset[str]
    format: str = ""
    choices: tuple[Choice, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    items: Parameter | None = None

    @property
    def name(self) -> str:
        return self.path[-1]


def parameters_of(schema: Any) -> tuple[Parameter, ...]:
    """Return the parameters that ``schema`` describes, nested ones after their parents' order.

    At most 64, at most 3 levels deep. What is no object schema has none.
    """
    found: list[Parameter] = []
    if isinstance(schema, dict):
        _collect(schema, root=schema, path=(), required=True, found=found)
    return tuple(found)


def _collect(
    schema: dict[str, Any],
    *,
    root: dict[str, Any],
    path: tuple[str, ...],
    required: bool,
    found: list[Parameter],
) -> None:
    properties, names = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return
    needed = {n for n in names if isinstance(n, str)} if isinstance(names, list) else set()
    for name, described in properties.items():
        if len(found) >= _MAX_PARAMETERS:
            return
        if not isinstance(name, str):
            continue
        plain = _plain(described, root)
        is_required = required and name in needed
        here = (*path, name)
        if isinstance(plain.get("properties"), dict) and len(here) < _MAX_DEPTH:
            _collect(plain, root=root, path=here, required=is_required, found=found)
        else:
            found.append(_parameter(plain, root, here, required=is_required))


def _parameter(
    schema: dict[str, Any], root: dict[str, Any], path: tuple[str, ...], *, required: bool
) -> Parameter:
    description, form = schema.get("description"), schema.get("format")
    kind = _type_of(schema)
    elements = None
    if kind == "array":
        # an element is known by the name of its array; arrays in arrays are not filled
        plain = _plain(schema.get("items"), root)
        elements = _parameter({**plain, "items": None}, root, path, required=False)
    return Parameter(
        path,
        kind,
        required,
        tuple(stem(word) for word in words(path[-1])),
        frozenset(terms(description)) if isinstance(description, str) else frozenset(),
        form if isinstance(form, str) else "",
        _choices_of(schema),
        _bound(schema.get("minimum")),
        _bound(schema.get("maximum")),
        elements,
    )


def _plain(schema: Any, root: dict[str, Any]) -> dict[str, Any]:
    """Return what a reference or a choice of schemas stands for: the first that is not null."""
    described: dict[str, Any] = {}
    for _ in range(_MAX_STEPS):
        if not isinstance(schema, dict):
            break
        described = {**schema, **{k: described[k] for k in ("description",) if k in described}}
        if isinstance(schema.get("$ref"), str):
            schema = _referenced(schema["$ref"], root)
            continue
        options = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if not isinstance(options, list):
            break
        schema = next((o for o in options if isinstance(o, dict) and o.get("type") != "null"), None)
    return described


def _referenced(reference: str, root: dict[str, Any]) -> Any:
    found: Any = root
    for key in reference.removeprefix("#/").split("/")[:_MAX_STEPS]:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _type_of(schema: dict[str, Any]) -> str:
    stated = schema.get("type")
    if isinstance(stated, list):
        stated = next((one for one in stated if one != "null"), None)
    if isinstance(stated, str):
        return _TYPES.get(stated, stated)
    return "string"


def _choices_of(schema: dict[str, Any]) -> tuple[Choice, ...]:
    enum = schema.get("enum")
    listed = [schema["const"]] if "const" in schema else enum if isinstance(enum, list) else []
    plain = (v for v in listed[:_MAX_CHOICES] if isinstance(v, str | int | float))
    short = (v for v in plain if not isinstance(v, int) or v.bit_length() <= _MAX_BITS)
    return tuple(Choice(v, tuple(stem(word) for word in words(str(v)))) for v in short)


def _bound(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number else None
