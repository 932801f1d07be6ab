"""Where something stands in a document, and how what was found there is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz, process

from toolgauge.errors import Problem

Loc = tuple[str | int, ...]
"""Keys and list positions from the top of a document to a field."""

Locate = Callable[[Loc], int | None]
"""Answers with the line (from 1) of a field; None where it is not known."""

_NEAR = 60.0
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Found:
    """Something to tell about a field. ``line`` is given only where ``loc`` cannot say it."""

    loc: Loc
    message: str
    line: int | None = None


def nowhere(_: Loc) -> int | None:
    """Return None: the locator of data that did not come from a file."""
    return None


def path_text(loc: Loc) -> str:
    """Return the path as people read it.

    >>> path_text(("test_cases", 0, "scoring_config", "epsilon"))
    'test_cases[0].scoring_config.epsilon'
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in loc)
    return "".join(steps).removeprefix(".")


def in_file_order(found: Iterable[Found], data: Any, locate: Locate) -> tuple[Problem, ...]:
    """Return what was found as problems with lines, once each, in the order of the document."""
    order = _Order(data)
    placed = [
        (item.line or locate(item.loc), order.key(item.loc), item) for item in dict.fromkeys(found)
    ]
    placed.sort(key=lambda place: (place[0] or 0, place[1]))
    return tuple(Problem(path_text(item.loc), item.message, line) for line, _, item in placed)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``name`` is most likely a misspelling of; None without one."""
    best = process.extractOne(name, list(known), scorer=fuzz.ratio, score_cutoff=_NEAR)
    return str(best[0]) if best else None


def did_you_mean(name: str, known: Iterable[str], *, otherwise: str = "") -> str:
    """Return a hint with the known name nearest to ``name``; ``otherwise`` where none is near."""
    best = nearest(name, known)
    return f"did you mean `{best}`?" if best else otherwise


def shown(value: Any) -> str:
    """Return a value for a message: short, and on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value) if isinstance(value, (str, int, float)) else kind_of(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def kind_of(value: Any) -> str:
    """Return what a JSON value is called in messages."""
    names = {dict: "an object", list: "a list", str: "text", bool: "a truth value"}
    if value is None:
        return "null"
    return names.get(type(value), "a number")


def as_object(value: Any) -> dict[str, Any]:
    """Return the value where it is an object, else an empty one: for checks that must go on."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return the value where it is a list, else an empty one: for checks that must go on."""
    return value if isinstance(value, list) else []


class _Order:
    """Where fields stand among their neighbours, each object looked through once."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self._seen: dict[int, dict[Any, int]] = {}

    def key(self, loc: Loc) -> tuple[int, ...]:
        """Return the position of every step of a path, -1 for what is missing."""
        positions: list[int] = []
        here = self._data
        for step in loc:
            if isinstance(here, dict) and step in here:
                positions.append(self._positions_in(here)[step])
                here = here[step]
            elif isinstance(here, list) and isinstance(step, int) and step < len(here):
                positions.append(step)
                here = here[step]
            else:
                positions.append(-1)
                here = None
        return tuple(positions)

    def _positions_in(self, here: dict[Any, Any]) -> dict[Any, int]:
        known = self._seen.get(id(here))
        if known is None:
            known = self._seen[id(here)] = {key: at for at, key in enumerate(here)}
        return known
