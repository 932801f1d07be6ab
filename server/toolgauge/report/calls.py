"""Tool calls as text: on one line, and as a difference of expected and got calls.

Calls come from models and suites, so any shape, depth and size is expected here. What
comes back is short, but not yet escaped.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Any

from toolgauge.report.escape import CLIP_MARK, clip

_MOST_DEPTH = 6
_MOST_ITEMS = 30
_MOST_OF_A_TEXT = 300
_MOST_OF_A_LINE = 90
_MOST_LINES = 40
_MOST_BITS = 1000

NOTHING = "# nothing was called"
NOT_KEPT = "# the calls were not kept"


def call_line(call: Any) -> str:
    """Return a call as ``name(key="value")``; whatever is no call as JSON.

    >>> call_line({"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}})
    'get_weather(city="Oslo", days=2)'
    >>> call_line({"name": "get_weather", "arguments": None})
    'get_weather(...)'
    """
    return "".join(_call_parts(call)) if _is_call(call) else short_json(call)


def short_json(value: Any) -> str:
    """Return a JSON value on one line, without what is too deep, too many or too long."""
    return json.dumps(_short(value, _MOST_DEPTH), ensure_ascii=False)


def expectation_line(expected: Any) -> str:
    """Return an expectation on one line: calls, or the sentence it is."""
    return "; ".join(islice(_expected_lines(expected), _MOST_ITEMS))


def calls_line(calls: Sequence[Any] | None) -> str:
    """Return the calls of a trial on one line."""
    if calls is None:
        return NOT_KEPT.removeprefix("# ")
    return "; ".join(map(call_line, calls[:_MOST_ITEMS])) or NOTHING.removeprefix("# ")


def calls_diff(expected: Any, got: Sequence[Any] | None) -> list[str]:
    """Return lines that begin with ``-`` (only expected), ``+`` (only got) or a space (both).

    Long calls stand with one argument a line, so that the argument that differs is seen.
    At most 40 lines.
    """
    wanted = _expected_lines(expected)
    called = [NOT_KEPT] if got is None else [call_line(call) for call in got] or [NOTHING]
    if any(len(line) > _MOST_OF_A_LINE for line in (*wanted, *called)):
        wanted = _in_lines(_listed(expected), wanted)
        called = _in_lines(list(got or ()), called)
    lines = _differing(wanted[:_MOST_LINES], called[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        return [*lines[: _MOST_LINES - 1], f"  {CLIP_MARK}"]
    return lines


def _differing(before: list[str], after: list[str]) -> list[str]:
    lines: list[str] = []
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            lines += [f"  {line}" for line in before[i1:i2]]
        else:
            lines += [f"- {line}" for line in before[i1:i2]]
            lines += [f"+ {line}" for line in after[j1:j2]]
    return lines


def _expected_lines(expected: Any) -> list[str]:
    if isinstance(expected, str):
        return [f"# {clip(expected, _MOST_OF_A_TEXT)}"]
    return [call_line(call) for call in _listed(expected)] or ["# no call"]


def _listed(expected: Any) -> list[Any]:
    if expected is None or isinstance(expected, str):
        return []
    return list(expected[:_MOST_ITEMS]) if isinstance(expected, list | tuple) else [expected]


def _in_lines(calls: list[Any], otherwise: list[str]) -> list[str]:
    """Return calls with one argument a line."""
    lines: list[str] = []
    for call in calls:
        if not _is_call(call):
            lines.append(short_json(call))
            continue
        opening, *arguments, closing = _call_parts(call)
        lines += [opening, *(f"    {part.removesuffix(', ')}," for part in arguments), closing]
    return lines or otherwise


def _call_parts(call: dict[str, Any]) -> list[str]:
    """Return ``name(``, then each argument, then ``)``."""
    name, arguments = clip(str(call.get("name", "")), _MOST_OF_A_TEXT), call.get("arguments")
    if arguments is None:
        return [f"{name}(", "...", ")"]
    if not isinstance(arguments, dict):
        return [f"{name}(", short_json(arguments), ")"]
    shown = [
        f"{clip(str(key), _MOST_OF_A_TEXT)}={short_json(value)}"
        for key, value in islice(arguments.items(), _MOST_ITEMS)
    ]
    if len(arguments) > _MOST_ITEMS:
        shown.append(CLIP_MARK)
    return [f"{name}(", *(f"{part}, " for part in shown[:-1]), *shown[-1:], ")"]


def _is_call(call: Any) -> bool:
    return isinstance(call, dict) and "name" in call


def _short(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return clip(value, _MOST_OF_A_TEXT)
    if isinstance(value, dict | list | tuple):
        if depth == 0:
            return CLIP_MARK
        if isinstance(value, dict):
            items = islice(value.items(), _MOST_ITEMS)
            kept = {clip(str(key), _MOST_OF_A_TEXT): _short(v, depth - 1) for key, v in items}
            return kept | {CLIP_MARK: CLIP_MARK} if len(value) > _MOST_ITEMS else kept
        listed = [_short(item, depth - 1) for item in value[:_MOST_ITEMS]]
        return [*listed, CLIP_MARK] if len(value) > _MOST_ITEMS else listed
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return clip(f"{value:#x}", _MOST_OF_A_TEXT)  # Python refuses to write it in tens
    return value if value is None or isinstance(value, int | float) else clip(str(value), 100)
