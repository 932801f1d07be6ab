"""YAML text to plain data, by the YAML 1.2 core schema and without anything clever.

The parser's event stream is folded into data directly, so that nothing is ever
constructed but text, numbers, truth values, null, lists and objects: tags are
reported and otherwise ignored, ``no`` and ``2026-05-04`` stay text, and the size and
depth that aliases expand to are known before anything walks over the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from toolgauge.errors import Problem
from toolgauge.formats.core_schema import is_text, resolve
from toolgauge.formats.places import Found, Loc, shown

MAX_DEPTH = 100
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class UnreadableText(Exception):
    """The text cannot be read at all; ``problem`` says why and where."""

    def __init__(self, message: str, line: int | None = None) -> None:
        self.problem = Problem("", message, line)
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class YamlContent:
    """What a YAML text holds. ``lines`` is empty unless positions were asked for."""

    data: Any
    found: list[Found]
    lines: dict[Loc, int]


def load_yaml(text: str, *, max_expansion: int, with_lines: bool = False) -> YamlContent:
    """Return the data of one YAML document, with the problems that do not stop the reading.

    A text without a document (nothing, or comments alone) holds null.
    ``max_expansion`` bounds the characters and nodes that aliases may add.

    Raises:
        UnreadableText: it is no YAML, nests deeper than 100 levels, holds several documents,
            or its aliases are unknown, recursive or expand too far.
    """
    reader = _Reader(max_expansion=max_expansion, with_lines=with_lines)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reader.take(event)
    except yaml.YAMLError as error:
        raise _unreadable(error, text) from error
    return YamlContent(reader.root, reader.found, reader.lines)


@dataclass(slots=True)
class _Open:
    """A list or an object that is being read."""

    value: Any
    anchor: str | None
    size: int = 1
    height: int = 1
    key: str | None = None
    awaits_value: bool = False
    merges: bool = False
    merged: list[dict[str, Any]] = field(default_factory=list)


class _Reader:
    """Folds parser events into data."""

    def __init__(self, *, max_expansion: int, with_lines: bool) -> None:
        self.root: Any = None
        self.documents = 0
        self.found: list[Found] = []
        self.lines: dict[Loc, int] = {}
        self._with_lines = with_lines
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int, int]] = {}
        self._expansion_left = max_expansion

    def take(self, event: Any) -> None:
        """Take the next event of the parser."""
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._scalar(event)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            self._start(event, {} if kind is yaml.MappingStartEvent else [])
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._end(event)
        elif kind is yaml.AliasEvent:
            self._alias(event)
        elif kind is yaml.DocumentStartEvent:
            self.documents += 1
            if self.documents > 1:
                raise UnreadableText("holds more than one document; keep one", _line(event))

    def _scalar(self, event: Any) -> None:
        if event.tag is not None:
            self._refuse_tag(event)
        value = event.value
        is_plain = event.implicit[0] and event.tag is None
        if self._awaits_key():
            self._key(event, value, is_plain=is_plain)
            return
        if is_plain:
            value = self._plain(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, len(event.value) + 1, 0)
        self._add(event, value, size=len(event.value) + 1, height=0)

    def _plain(self, event: Any) -> Any:
        try:
            return resolve(event.value)
        except ValueError:
            self._tell(event, "this number has too many digits; put it in quotes or shorten it")
            return event.value

    def _start(self, event: Any, value: Any) -> None:
        if event.tag is not None:
            self._refuse_tag(event)
        if self._awaits_key():
            raise UnreadableText("a key must be text, not a list or an object", _line(event))
        if len(self._open) >= MAX_DEPTH:
            raise UnreadableText(f"nests deeper than {MAX_DEPTH} levels", _line(event))
        if self._with_lines:
            self._note_item(event)
        self._open.append(_Open(value, event.anchor))

    def _end(self, event: Any) -> None:
        done = self._open.pop()
        for merged in done.merged:
            for key, value in merged.items():
                done.value.setdefault(key, value)
        if done.anchor is not None:
            self._anchors[done.anchor] = (done.value, done.size, done.height)
        self._add(event, done.value, size=done.size, height=done.height)

    def _alias(self, event: Any) -> None:
        name = event.anchor
        if any(opened.anchor == name for opened in self._open):
            raise UnreadableText(
                f"the alias `*{name}` stands inside of what it means", _line(event)
            )
        if name not in self._anchors:
            raise UnreadableText(f"the alias `*{name}` has no anchor `&{name}`", _line(event))
        value, size, height = self._anchors[name]
        self._expansion_left -= size
        if self._expansion_left < 0 or len(self._open) + height > MAX_DEPTH:
            raise UnreadableText("its aliases expand too far; write less with them", _line(event))
        if self._awaits_key():
            self._key(event, value, is_plain=False)
        else:
            self._add(event, value, size=size, height=height)

    def _awaits_key(self) -> bool:
        if not self._open:
            return False
        top = self._open[-1]
        return type(top.value) is dict and not top.awaits_value

    def _key(self, event: Any, key: Any, *, is_plain: bool) -> None:
        top = self._open[-1]
        top.awaits_value = True
        top.merges = is_plain and key == "<<"
        top.key = key
        if top.merges:
            return
        if not isinstance(key, str) or (is_plain and not is_text(key)):
            top.key = None
            self._tell(event, f"the key {shown(key)} must be text: put it in quotes")
        elif key in top.value:
            self._tell(event, "stands here a second time; keep one of the two")
        elif self._with_lines:
            self.lines[self._loc()] = _line(event)

    def _add(self, event: Any, value: Any, *, size: int, height: int) -> None:
        if not self._open:
            self.root = value
            return
        top = self._open[-1]
        top.size += size
        top.height = max(top.height, height + 1)
        if type(top.value) is list:
            if self._with_lines and not isinstance(event, yaml.CollectionEndEvent):
                self._note_item(event)
            top.value.append(value)
            return
        top.awaits_value = False
        if top.merges:
            self._merge(event, top, value)
        elif top.key is not None:
            top.value[top.key] = value
        top.key = None

    def _merge(self, event: Any, top: _Open, value: Any) -> None:
        parts = value if isinstance(value, list) else [value]
        top.merged.extend(part for part in parts if isinstance(part, dict))
        if not all(isinstance(part, dict) for part in parts):
            self._tell(event, "`<<` takes an object or a list of objects")
        top.merges = False

    def _note_item(self, event: Any) -> None:
        """Record the line of a list's entry; a key's own line stands for its value."""
        if self._open and type(self._open[-1].value) is list:
            self.lines[self._loc()] = _line(event)

    def _loc(self) -> Loc:
        steps = (
            len(opened.value) if type(opened.value) is list else opened.key for opened in self._open
        )
        return tuple(step for step in steps if step is not None)

    def _tell(self, event: Any, message: str) -> None:
        self.found.append(Found(self._loc(), message, _line(event)))

    def _refuse_tag(self, event: Any) -> None:
        self._tell(event, f"YAML tags such as `{event.tag}` are not read; remove it")


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _unreadable(error: yaml.YAMLError, text: str) -> UnreadableText:
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        reason = getattr(error, "reason", None) or "a character that YAML does not allow"
        return UnreadableText(f"is not valid YAML: {reason}")
    number = error.problem_mark.line
    if any("\t" in indent for indent in _indents(text, number)):
        return UnreadableText("is indented with a tab; YAML takes only spaces", number + 1)
    context = f" ({error.context})" if error.context else ""
    return UnreadableText(f"is not valid YAML: {error.problem}{context}", number + 1)


def _indents(text: str, number: int) -> Iterator[str]:
    """Yield the white space at the start of a line (from 0)."""
    for line in text.split("\n")[number : number + 1]:
        yield line[: len(line) - len(line.lstrip())]
