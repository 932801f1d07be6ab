"""Values as they stand in reasons: quoted, clipped, safe whatever a model sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

VALUE_LENGTH = 60
REASON_LENGTH = 480
_TALL = 10**VALUE_LENGTH


def quote(value: Any, length: int = VALUE_LENGTH) -> str:
    """Return a JSON value in Python's notation, at most about ``length`` characters long.

    Control characters, line ends and lone surrogates come out escaped; a container
    shows its first entries, two levels deep; an ellipsis marks what was left out.

    >>> quote("a" * 100, 10), quote({"city": ["Paris", "Rome"], "n": 1})
    ("'aaaaaaaaaa…'", "{'city': ['Paris', 'Rome'], 'n': 1}")
    """
    text = _quote(value, length, 2)
    # escapes can make a text many times longer than the characters it shows
    return text if len(text) <= 2 * length else f"{text[: 2 * length]}…"


def key_text(key: str) -> str:
    """Return a key as it is where it is a plain word, else quoted."""
    return key if key.isascii() and key.isidentifier() and len(key) <= VALUE_LENGTH else quote(key)


def join_reasons(parts: Iterable[str]) -> str:
    """Return the parts joined by ``; ``, as many as fit; the rest is counted."""
    shown: list[str] = []
    left_out = used = 0
    for part in parts:
        used += len(part) + 2
        if left_out or used > REASON_LENGTH:
            left_out += 1
        else:
            shown.append(part)
    return "; ".join([*shown, f"and {left_out} more"] if left_out else shown)


def _quote(value: Any, length: int, depth: int) -> str:
    if isinstance(value, str):
        text = repr(value[:length])
        return text if len(value) <= length else f"{text[:-1]}…{text[-1]}"
    if isinstance(value, int) and not -_TALL < value < _TALL:
        return "an integer of more than 60 digits"  # printing a huge one is slow, or refused
    if not isinstance(value, dict | list | tuple):
        return repr(value)
    if value and not depth:
        return "{…}" if isinstance(value, dict) else "[…]"
    return _quote_container(value, length, depth)


def _quote_container(value: Any, length: int, depth: int) -> str:
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    shown: list[str] = []
    room = length
    for entry in value:
        if room <= 0:
            shown.append("…")
            break
        text = _quote(entry, length, depth - 1)
        if isinstance(value, dict):
            text = f"{text}: {_quote(value[entry], length, depth - 1)}"
        shown.append(text)
        room -= len(text) + 2
    return f"{opening}{', '.join(shown)}{closing}"
