"""JSON text to plain data, and the line of every field of a JSON text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolgauge.formats.places import Found, Loc
from toolgauge.formats.yaml_text import MAX_DEPTH, UnreadableText

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def load_json(text: str) -> tuple[Any, list[Found]]:
    """Return the data, and each key that stands twice in an object (the last one counts).

    Raises:
        UnreadableText: it is no JSON, is empty, or nests deeper than 100 levels.
    """
    if not text.strip():
        raise UnreadableText("is empty")
    repeats = False

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeats
        built = dict(pairs)
        repeats = repeats or len(built) != len(pairs)
        return built

    try:
        data = json.loads(text, object_pairs_hook=build)
    except json.JSONDecodeError as error:
        raise UnreadableText(f"is not valid JSON: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise UnreadableText(f"nests deeper than {MAX_DEPTH} levels") from error
    except ValueError as error:
        raise UnreadableText("holds a number with too many digits") from error
    _refuse_depth(data)
    return data, list(_repeated_keys(text)) if repeats else []


def holds_half_characters(text: str, data: Any) -> bool:
    """Return whether some text of ``data`` holds a lone surrogate, which nothing can store."""
    if not _SURROGATE_ESCAPE.search(text):
        return False
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def without_half_characters(data: Any) -> Any:
    """Return the same data with ``?`` in place of every lone surrogate."""
    return json.loads(json.dumps(data, ensure_ascii=False).encode(errors="replace"))


def json_lines(text: str) -> dict[Loc, int]:
    """Return the line (from 1) of every key and list entry of a valid JSON text."""
    lines: dict[Loc, int] = {}
    for loc, line in _fields(text):
        lines.setdefault(loc, line)
    return lines


@dataclass(slots=True)
class _Open:
    """A list or an object whose tokens are being read."""

    is_list: bool
    step: str | int | None
    awaits_key: bool


def _fields(text: str) -> Iterator[tuple[Loc, int]]:
    """Yield where each key and each list entry begins."""
    line, end = 1, 0
    stack: list[_Open] = []
    for match in _TOKEN.finditer(text):
        line += text.count("\n", end, match.start())
        end = match.start()
        part = match.group()
        top = stack[-1] if stack else None
        if part in "]}":
            stack.pop()
        elif part == ",":
            _next_entry(stack[-1])
        elif top is not None and top.awaits_key and part != ":":
            top.step, top.awaits_key = json.loads(part), False
            yield _loc(stack), line
        elif part != ":":
            if top is not None and top.is_list:
                yield _loc(stack), line
            if part in "[{":
                stack.append(_Open(part == "[", 0 if part == "[" else None, part == "{"))


def _next_entry(opened: _Open) -> None:
    if isinstance(opened.step, int):
        opened.step += 1
    opened.awaits_key = not opened.is_list


def _loc(stack: list[_Open]) -> Loc:
    return tuple(opened.step for opened in stack if opened.step is not None)


def _repeated_keys(text: str) -> Iterator[Found]:
    seen: set[Loc] = set()
    for loc, line in _fields(text):
        if loc in seen and isinstance(loc[-1], str):
            yield Found(loc, "stands here a second time; keep one of the two", line)
        seen.add(loc)


def _refuse_depth(data: Any) -> None:
    level = [data]
    for _ in range(MAX_DEPTH + 1):
        containers = [value for value in level if isinstance(value, (dict, list))]
        if not containers:
            return
        level = [
            child
            for value in containers
            for child in (value.values() if isinstance(value, dict) else value)
        ]
    raise UnreadableText(f"nests deeper than {MAX_DEPTH} levels")
