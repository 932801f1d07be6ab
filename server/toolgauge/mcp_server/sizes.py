"""Results kept short enough for a model's context, without breaking their schema.

Texts are cut with a mark, lists and objects lose their last entries, and ``clipped`` says
what is missing. A page's ``items`` are never dropped, because its cursor points behind them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from toolgauge.errors import UsageError

MOST_CHARACTERS = 10_000
_MOST_NOTES = 5
_DEEPEST = 16
_KEPT_WHOLE = frozenset({"next_cursor", "resource", "run_id", "case_id", "suite_id", "job_id"})
_UNSAID_WHERE_EMPTY = ("clipped", "resource")
_PAGED = frozenset({"items", "timeline"})


@dataclass(frozen=True, slots=True)
class _Level:
    """How much of each text, list and object is kept."""

    text: int
    entries: int


_LEVELS = tuple(
    _Level(*sizes)
    for sizes in ((8000, 500), (3000, 100), (1000, 50), (400, 25), (150, 15), (60, 6), (30, 3))
)


def fitted(result: BaseModel) -> dict[str, Any]:
    """Return a result as JSON values whose text has at most ``MOST_CHARACTERS`` characters.

    Raises:
        UsageError: it cannot be shortened that far.
    """
    values = result.model_dump(mode="json")
    for name in _UNSAID_WHERE_EMPTY:
        if not values.get(name):
            values.pop(name, None)
    if len(json_text(values)) <= MOST_CHARACTERS:
        return values
    for level in _LEVELS:
        clipper = _Clipper(level)
        shorter: dict[str, Any] = clipper.clipped(values, "", 0)
        shorter["clipped"] = clipper.notes
        if len(json_text(shorter)) <= MOST_CHARACTERS:
            return shorter
    raise UsageError("the result is too large to be shown; ask for fewer entries (a smaller limit)")


def json_text(values: Any) -> str:
    """Return JSON values as compact text."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


@dataclass(slots=True)
class _Clipper:
    """Cuts values to one level, and notes where."""

    level: _Level
    notes: list[str] = field(default_factory=list)

    def clipped(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, str):
            return self._text(value, path)
        if depth > _DEEPEST and isinstance(value, dict | list):
            return "…"
        if isinstance(value, list):
            return [self.clipped(v, path, depth + 1) for v in self._entries(value, path)]
        if isinstance(value, dict):
            return {
                key: inner if key in _KEPT_WHOLE else self.clipped(inner, key, depth + 1)
                for key, inner in self._entries(list(value.items()), path)
            }
        return value

    def _text(self, text: str, path: str) -> str:
        most = self.level.text
        if len(text) <= most:
            return text
        self._note(f"texts of {path!r}")
        return f"{text[:most]}…[clipped {len(text) - most:,} characters]"

    def _entries(self, entries: list[Any], path: str) -> list[Any]:
        # an object of a result has few fields, all of which its schema asks for
        most = max(self.level.entries, 20) if entries and isinstance(entries[0], tuple) else None
        most = most or self.level.entries
        if path in _PAGED or len(entries) <= most:
            return entries
        self._note(f"{len(entries) - most:,} more of {path!r}")
        return entries[:most]

    def _note(self, note: str) -> None:
        if note not in self.notes and len(self.notes) < _MOST_NOTES:
            self.notes.append(note)
