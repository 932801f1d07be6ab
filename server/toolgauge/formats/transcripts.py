"""Transcripts: recorded outputs of models, one trial per line, read and written.

A line's messages are OpenAI chat messages as they came; what they mean is for whoever
scores them. Which cases and targets exist is the caller's knowledge.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ConfigDict, Field

from toolgauge.errors import InvalidFile, Problem
from toolgauge.formats.document import MAX_BYTES, cannot_open, decode
from toolgauge.formats.field_problems import validate
from toolgauge.formats.json_text import holds_half_characters, load_json, without_half_characters
from toolgauge.formats.places import Found, Loc, in_file_order, nowhere
from toolgauge.formats.yaml_text import UnreadableText
from toolgauge.model.tools import Document, Message
from toolgauge.model.trial import TrialKey, Usage

MAX_PROBLEMS = 100


class UsageDocument(Document):
    """Tokens of one trial, as toolgauge or as OpenAI names them; other figures are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)


class ErrorDocument(Document):
    """Why a trial has no answer; what a provider adds to it is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    message: str


class TranscriptLineDocument(Document):
    """One line of a transcript: what a target answered to a case, or why it did not."""

    case_id: str = Field(min_length=1)
    target: str = Field(min_length=1)
    repeat: int = Field(default=0, ge=0)
    messages: list[Message] | None = None
    usage: UsageDocument | None = None
    latency_ms: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    error: str | ErrorDocument | None = None


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One recorded trial: the messages produced after the prompt, or an error.

    ``line`` is where it stands in its file, from 1; two lines that say the same are equal.
    """

    case_id: str
    target: str
    repeat: int = 0
    messages: tuple[Message, ...] = ()
    usage: Usage = field(default_factory=Usage)
    latency_ms: float | None = None
    error: str | None = None
    line: int | None = field(default=None, compare=False)

    @property
    def key(self) -> TrialKey:
        """What makes the line unique within a file."""
        return TrialKey(self.case_id, self.target, self.repeat)


def read_transcript(
    path: Path | str, *, max_line_bytes: int = MAX_BYTES
) -> Iterator[TranscriptLine]:
    """Yield the trials of a ``.jsonl`` file, holding one line and the keys in memory.

    Blank lines are skipped. After the first problem nothing more is yielded; the rest
    of the file is only looked through for more. Halves of characters that a model left
    in its text become ``?``.

    Raises:
        InvalidFile: with the problems of all lines, at most about ``MAX_PROBLEMS``.
    """
    problems: list[Problem] = []
    seen: dict[TrialKey, int] = {}
    for number, raw in _lines(Path(path), max_line_bytes):
        line = _read_line(raw, number, problems)
        if line is not None and seen.setdefault(line.key, number) != number:
            told = f"repeats case, target and repeat of line {seen[line.key]}; number the repeats"
            problems.append(Problem("", told, number))
        if line is not None and not problems:
            yield line
        if len(problems) >= MAX_PROBLEMS:
            problems.append(Problem("", "too many problems; the rest was not read", number))
            break
    if problems:
        raise InvalidFile(str(path), tuple(problems))


def line_of(line: TranscriptLine) -> str:
    """Return the line as JSON text without a line end; ``read_transcript`` gives it back."""
    shown: dict[str, Any] = {
        "case_id": line.case_id,
        "target": line.target,
        "repeat": line.repeat,
        "messages": list(line.messages),
    }
    if line.usage != Usage():
        shown["usage"] = asdict(line.usage)
    if line.latency_ms is not None:
        shown["latency_ms"] = line.latency_ms
    if line.error is not None:
        shown["error"] = line.error
    text = json.dumps(shown, ensure_ascii=False)
    return text.encode(errors="replace").decode()


def _lines(path: Path, max_bytes: int) -> Iterator[tuple[int, bytes | None]]:
    """Yield every line that is not blank with its number (from 1); None for one too long."""
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(iter(lambda: stream.readline(max_bytes + 1), b""), 1):
                if len(raw) > max_bytes:
                    _skip_line(stream, raw)
                    yield number, None
                elif raw.strip():
                    yield number, raw
    except OSError as error:
        raise InvalidFile(str(path), (Problem("", cannot_open(error)),)) from error


def _skip_line(stream: BinaryIO, raw: bytes) -> None:
    while raw and not raw.endswith(b"\n"):
        raw = stream.readline(1 << 16)


def _read_line(raw: bytes | None, number: int, problems: list[Problem]) -> TranscriptLine | None:
    if raw is None:
        problems.append(Problem("", "this line is too long", number))
        return None
    try:
        text = decode(raw)
        data, found = load_json(text)
    except UnreadableText as error:
        problems.append(replace(error.problem, line=number))
        return None
    if holds_half_characters(text, data):
        data = without_half_characters(data)
    document, wrong = validate(TranscriptLineDocument, data, _wording)
    if document is not None and document.messages is None and document.error is None:
        wrong = [Found(("messages",), "is required: the messages produced after the prompt")]
    told = in_file_order([*found, *wrong], data, nowhere)
    problems.extend(replace(problem, line=number) for problem in told)
    return None if told or document is None else _line(document, number)


def _wording(loc: Loc, _value: Any) -> str | None:
    return "must be text, or an object with a `message`" if loc == ("error",) else None


def _line(document: TranscriptLineDocument, number: int) -> TranscriptLine:
    error = document.error
    return TranscriptLine(
        document.case_id,
        document.target,
        document.repeat,
        tuple(document.messages or ()),
        _usage(document.usage or UsageDocument()),
        document.latency_ms,
        error.message if isinstance(error, ErrorDocument) else error,
        number,
    )


def _usage(document: UsageDocument) -> Usage:
    given, sent = document.input_tokens, document.output_tokens
    return Usage(
        document.prompt_tokens if given is None else given,
        document.completion_tokens if sent is None else sent,
        document.cost_usd,
    )
