"""Files to plain data, safely: YAML or JSON by suffix, with positions on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolgauge.errors import InvalidFile, Problem
from toolgauge.formats.json_text import holds_half_characters, json_lines, load_json
from toolgauge.formats.places import Found, Loc, Locate
from toolgauge.formats.yaml_text import UnreadableText, load_yaml

MAX_BYTES = 10 * 1024 * 1024
_EXPANSION_FACTOR = 5  # aliases may make a document this many times as large as a file may be
_SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The data of one file. ``found`` are problems beside which it could still be read."""

    file: str
    data: Any
    found: tuple[Found, ...]
    locate: Locate


def read_source(path: Path, *, max_bytes: int = MAX_BYTES) -> SourceFile:
    """Return the data of a YAML (``.yaml``, ``.yml``) or JSON (``.json``) file.

    YAML is read by the 1.2 core schema, without tags; anchors, aliases and ``<<`` are
    fine as long as they stay modest. JSON may hold what ``json.loads`` allows (``NaN``).
    An empty YAML file holds null. Lines are computed when ``locate`` is first asked.

    Raises:
        InvalidFile: the file cannot be opened, is larger than ``max_bytes``, is no
            UTF-8 text, or is no YAML or JSON.
    """
    file = str(path)
    try:
        text = _read_text(path, max_bytes)
        read = _json if path.suffix.lower() == ".json" else _yaml
        return read(file, text, max_bytes)
    except UnreadableText as error:
        raise InvalidFile(file, (error.problem,)) from error


def _json(file: str, text: str, _max_bytes: int) -> SourceFile:
    data, found = load_json(text)
    if holds_half_characters(text, data):
        raise UnreadableText("holds half of a character (a lone \\ud800 to \\udfff)")
    return SourceFile(file, data, tuple(found), _Lines(lambda: json_lines(text)))


def _yaml(file: str, text: str, max_bytes: int) -> SourceFile:
    limit = max_bytes * _EXPANSION_FACTOR
    content = load_yaml(text, max_expansion=limit)
    lines = _Lines(lambda: load_yaml(text, max_expansion=limit, with_lines=True).lines)
    return SourceFile(file, content.data, tuple(content.found), lines)


class _Lines:
    """A locator that scans its text at the first question."""

    def __init__(self, scan: Callable[[], dict[Loc, int]]) -> None:
        self._scan = scan
        self._lines: dict[Loc, int] | None = None

    def __call__(self, loc: Loc) -> int | None:
        """Return the line of a field, or of what it stands in; 1 for the document itself."""
        if loc and self._lines is None:
            self._lines = self._scan()
        while loc and self._lines:
            if loc in self._lines:
                return self._lines[loc]
            loc = loc[:-1]
        return 1


def _read_text(path: Path, max_bytes: int) -> str:
    if path.suffix.lower() not in _SUFFIXES:
        raise UnreadableText("must be a .yaml, .yml or .json file")
    try:
        with path.open("rb") as stream:
            raw = stream.read(max_bytes + 1)
    except OSError as error:
        raise InvalidFile(str(path), (Problem("", cannot_open(error)),)) from error
    if len(raw) > max_bytes:
        raise UnreadableText(f"is larger than {max_bytes:,} bytes; split it, or raise the limit")
    return decode(raw)


def decode(raw: bytes) -> str:
    """Return UTF-8 text without its byte order mark.

    Raises:
        UnreadableText: it is UTF-16, another encoding, or no text.
    """
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UnreadableText("is UTF-16; save it as UTF-8")
    if b"\0" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
        raise UnreadableText("holds NUL bytes; is it a text file in UTF-8?", line)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UnreadableText("is not valid UTF-8; save it as UTF-8", line) from error


def cannot_open(error: OSError) -> str:
    """Return why a file cannot be opened, as the system says it."""
    return f"cannot be opened: {error.strerror or error}"
