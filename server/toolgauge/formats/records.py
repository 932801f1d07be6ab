"""Records of a dataset file: one JSON object per line, or one JSON list of objects.

What is wrong with a record never hides the next one: everything is collected.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toolgauge.errors import InvalidFile, Problem
from toolgauge.formats.document import cannot_open, decode
from toolgauge.formats.json_text import (
    holds_half_characters,
    json_lines,
    load_json,
    without_half_characters,
)
from toolgauge.formats.places import kind_of
from toolgauge.formats.yaml_text import UnreadableText

MAX_DATASET_BYTES = 256 * 1024 * 1024


class BadRecord(Exception):
    """One record cannot be taken. ``field`` is where within it, empty for the whole."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        self.message = message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Record:
    """One object of a dataset. ``path`` leads to it in its file, empty where a line does."""

    data: dict[str, Any]
    path: str = ""
    line: int | None = None

    def problem(self, bad: BadRecord) -> Problem:
        """Return what is wrong with this record as a problem of its file."""
        steps = [step for step in (self.path, bad.field) if step]
        return Problem(".".join(steps), bad.message, self.line)


@dataclass(frozen=True, slots=True)
class Records:
    """The records of one file, and what was no record."""

    file: str
    items: tuple[Record, ...]
    problems: tuple[Problem, ...] = ()


def read_lines(path: Path) -> Records:
    """Return the objects of a JSON-lines file; blank lines are skipped.

    Halves of characters that a model left in its text become ``?``.

    Raises:
        InvalidFile: the file cannot be opened, is too large, or is no UTF-8 text.
    """
    items: list[Record] = []
    problems: list[Problem] = []
    # by line ends alone: other separators may stand unescaped within JSON text
    for number, text in enumerate(read_text(path).split("\n"), start=1):
        if not text.strip():
            continue
        try:
            items.append(Record(_object(_whole(text)), line=number))
        except UnreadableText as error:
            problems.append(replace(error.problem, line=number))
        except BadRecord as bad:
            problems.append(Problem("", bad.message, number))
    return Records(str(path), tuple(items), tuple(problems))


def read_list(path: Path) -> Records:
    """Return the objects of a JSON file that holds a list of them.

    Raises:
        InvalidFile: the file cannot be read, is no JSON, or holds no list.
    """
    text = read_text(path)
    try:
        data = _whole(text)
    except UnreadableText as error:
        raise InvalidFile(str(path), (error.problem,)) from error
    if not isinstance(data, list):
        message = f"must be a list of records, not {kind_of(data)}"
        raise InvalidFile(str(path), (Problem("", message),))
    lines = json_lines(text)
    items: list[Record] = []
    problems: list[Problem] = []
    for position, entry in enumerate(data):
        place = f"[{position}]"
        try:
            items.append(Record(_object(entry), place, lines.get((position,))))
        except BadRecord as bad:
            problems.append(Problem(place, bad.message, lines.get((position,))))
    return Records(str(path), tuple(items), tuple(problems))


def read_text(path: Path) -> str:
    """Return the text of a file.

    Raises:
        InvalidFile: the file cannot be opened, is too large, or is no UTF-8 text.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_DATASET_BYTES + 1)
    except OSError as error:
        raise InvalidFile(str(path), (Problem("", cannot_open(error)),)) from error
    if len(raw) > MAX_DATASET_BYTES:
        message = f"is larger than {MAX_DATASET_BYTES:,} bytes; split it"
        raise InvalidFile(str(path), (Problem("", message),))
    try:
        return decode(raw)
    except UnreadableText as error:
        raise InvalidFile(str(path), (error.problem,)) from error


def in_file_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return problems by line; those of the whole file come first."""
    return tuple(sorted(problems, key=lambda problem: problem.line or 0))


def _whole(text: str) -> Any:
    data, _ = load_json(text)
    return without_half_characters(data) if holds_half_characters(text, data) else data


def _object(entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise BadRecord("", f"must be an object, not {kind_of(entry)}")
    return entry
