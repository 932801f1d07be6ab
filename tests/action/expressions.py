"""The few ``${{ }}`` forms that ``action.yml`` may use; any other is an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_WHOLE = re.compile(r"\$\{\{(.*?)\}\}")
_TOKEN = re.compile(r"\s*(?:(\|\||&&|==|!=|[()])|'((?:[^']|'')*)'|([A-Za-z_][\w.-]*))")


class UnknownExpression(Exception):
    """The action uses a form that this evaluator does not know."""


def fill(text: str, context: Mapping[str, Any]) -> str:
    """Return text with its expressions replaced by their values."""
    return _WHOLE.sub(lambda found: _shown(evaluate(found[1], context)), text)


def is_true(condition: str, context: Mapping[str, Any]) -> bool:
    """Return whether a step's ``if`` holds; one without a status function needs success."""
    inner = condition.strip().removeprefix("${{").removesuffix("}}")
    if "always()" not in inner.replace(" ", ""):
        return context["success"] and bool(evaluate(inner, context))
    return bool(evaluate(inner, context))


def evaluate(text: str, context: Mapping[str, Any]) -> Any:
    tokens = _tokens(text)
    value = _or(tokens, context)
    if tokens:
        raise UnknownExpression(text)
    return value


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, at = [], 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if not found:
            raise UnknownExpression(text)
        kind = "op" if found[1] else "text" if found[2] is not None else "name"
        tokens.append((kind, found[1] or found[3] or (found[2] or "").replace("''", "'")))
        at = found.end()
    return tokens


def _or(tokens: list[tuple[str, str]], context: Mapping[str, Any]) -> Any:
    value = _and(tokens, context)
    while tokens[:1] == [("op", "||")]:
        tokens.pop(0)
        other = _and(tokens, context)
        value = value or other
    return value


def _and(tokens: list[tuple[str, str]], context: Mapping[str, Any]) -> Any:
    value = _equal(tokens, context)
    while tokens[:1] == [("op", "&&")]:
        tokens.pop(0)
        other = _equal(tokens, context)
        value = value and other
    return value


def _equal(tokens: list[tuple[str, str]], context: Mapping[str, Any]) -> Any:
    value = _atom(tokens, context)
    if tokens and tokens[0] in {("op", "=="), ("op", "!=")}:
        operator = tokens.pop(0)[1]
        same = str(value).lower() == str(_atom(tokens, context)).lower()
        return same if operator == "==" else not same
    return value


def _atom(tokens: list[tuple[str, str]], context: Mapping[str, Any]) -> Any:
    kind, text = tokens.pop(0)
    if kind == "text":
        return text
    if kind == "op":
        raise UnknownExpression(text)
    if tokens[:2] == [("op", "("), ("op", ")")] and text == "always":
        del tokens[:2]
        return True
    return _looked_up(text, context)


def _looked_up(name: str, context: Mapping[str, Any]) -> str:
    match name.split("."):
        case ["inputs", key] if key in context["inputs"]:
            return context["inputs"][key]
        case ["steps", step, "outputs", key]:
            return context["steps"].get(step, {}).get(key, "")
        case ["github", "token"]:
            return context["token"]
    raise UnknownExpression(name)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
