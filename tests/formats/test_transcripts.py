from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.errors import InvalidFile
from toolgauge.formats.transcripts import MAX_PROBLEMS, TranscriptLine, line_of, read_transcript
from toolgauge.model.trial import Usage

GOLDEN = Path(__file__).parents[1] / "golden"
ANSWER = {"role": "assistant", "content": "Hello"}
LINE: dict[str, Any] = {"case_id": "a", "target": "openai/x", "repeat": 0, "messages": [ANSWER]}


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "run.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def refusal(path: Path) -> list[str]:
    with pytest.raises(InvalidFile) as caught:
        list(read_transcript(path))
    return [str(problem) for problem in caught.value.problems]


def test_a_line_is_a_trial_with_its_place(tmp_path: Path) -> None:
    path = written(tmp_path, "", LINE, "  ", LINE | {"repeat": 1, "latency_ms": 12.5})
    first, second = read_transcript(path)
    assert first == TranscriptLine("a", "openai/x", 0, (ANSWER,))
    assert (first.line, second.line) == (2, 4)
    assert (second.repeat, second.latency_ms) == (1, 12.5)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.5}, Usage(3, 4, 0.5)),
        (
            {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7, "details": {"x": 1}},
            Usage(3, 4, None),
        ),
        ({"input_tokens": 0, "prompt_tokens": 9}, Usage(0, None, None)),
        ({}, Usage()),
        (None, Usage()),
    ],
)
def test_usage_is_read_in_both_spellings(
    tmp_path: Path, usage: dict[str, Any] | None, expected: Usage
) -> None:
    (line,) = read_transcript(written(tmp_path, LINE | {"usage": usage}))
    assert line.usage == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("timed out", "timed out"),
        ({"message": "timed out", "type": "x", "code": 5, "kind": "timeout"}, "timed out"),
        (None, None),
    ],
)
def test_an_error_is_text_or_an_object_with_a_message(
    tmp_path: Path, error: object, expected: str | None
) -> None:
    (line,) = read_transcript(written(tmp_path, LINE | {"error": error}))
    assert line.error == expected


def test_an_error_needs_no_messages_and_nothing_else_may_lack_them(tmp_path: Path) -> None:
    bare = {"case_id": "a", "target": "openai/x"}
    (line,) = read_transcript(written(tmp_path, bare | {"error": "refused"}))
    assert line.messages == ()
    assert refusal(written(tmp_path, bare)) == [
        "line 1: messages: is required: the messages produced after the prompt"
    ]


def test_every_bad_line_is_told_with_its_number(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        LINE,
        "{not json",
        LINE | {"repeat": -1, "mesages": []},
        [LINE],
        LINE | {"messages": ["text"]},
        LINE | {"error": {"code": 5}},
        LINE | {"latency_ms": True},
        '{"case_id": "b", "case_id": "c", "target": "t", "messages": []}',
        LINE,
    )
    assert refusal(path) == [
        "line 2: is not valid JSON: Expecting property name enclosed in double quotes",
        "line 3: repeat: must be at least 0, not -1",
        "line 3: mesages: is no known field; did you mean `messages`?",
        "line 4: must be an object, not a list",
        "line 5: messages[0]: must be an object, not 'text'",
        "line 6: error: must be text, or an object with a `message`",
        "line 7: latency_ms: must be a number, not true",
        "line 8: case_id: stands here a second time; keep one of the two",
        "line 9: repeats case, target and repeat of line 1; number the repeats",
    ]


def test_nothing_is_yielded_after_a_problem(tmp_path: Path) -> None:
    lines = read_transcript(written(tmp_path, LINE, "{", LINE | {"repeat": 1}))
    assert next(lines).line == 1
    with pytest.raises(InvalidFile):
        next(lines)


def test_the_same_case_may_have_several_targets_and_repeats(tmp_path: Path) -> None:
    others = [LINE | {"repeat": 1}, LINE | {"target": "b"}, LINE | {"case_id": "b"}]
    assert len(list(read_transcript(written(tmp_path, LINE, *others)))) == 4


def test_reading_stops_after_many_problems(tmp_path: Path) -> None:
    found = refusal(written(tmp_path, *["{"] * 10_000))
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1] == f"line {MAX_PROBLEMS}: too many problems; the rest was not read"


def test_a_line_that_is_too_long_is_skipped_and_told(tmp_path: Path) -> None:
    path = written(tmp_path, LINE | {"target": "x" * 200_000}, LINE, "{")
    with pytest.raises(InvalidFile) as caught:
        list(read_transcript(path, max_line_bytes=1000))
    assert [problem.line for problem in caught.value.problems] == [1, 3]
    assert caught.value.problems[0].message == "this line is too long"


def test_a_file_is_read_line_by_line(tmp_path: Path) -> None:
    path = written(tmp_path, *(LINE | {"repeat": repeat} for repeat in range(1000)), "{")
    lines = read_transcript(path)
    assert [next(lines).repeat for _ in range(1000)] == list(range(1000))


def test_encodings_are_told_by_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    good = json.dumps(LINE).encode()
    path.write_bytes(b"\xef\xbb\xbf" + good + b"\r\n\xe9\n")
    assert refusal(path) == ["line 2: is not valid UTF-8; save it as UTF-8"]


def test_halves_of_characters_become_question_marks(tmp_path: Path) -> None:
    path = written(tmp_path, LINE | {"messages": [{"role": "assistant", "content": "\ud83d!"}]})
    (line,) = read_transcript(path)
    assert line.messages == ({"role": "assistant", "content": "?!"},)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    (problem,) = refusal(tmp_path / "none.jsonl")
    assert problem.startswith("cannot be opened: ")


def test_an_empty_file_holds_no_trials(tmp_path: Path) -> None:
    assert list(read_transcript(written(tmp_path))) == []


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.glob("[!i]*.json")))
def test_the_golden_transcripts_are_read(tmp_path: Path, name: str) -> None:
    golden = json.loads((GOLDEN / name).read_text())["transcripts"]
    lines = list(read_transcript(written(tmp_path, *golden)))
    assert [list(line.messages) for line in lines] == [line["messages"] for line in golden]


COUNTS = st.none() | st.integers(0, 10**9)
TEXT = st.text(min_size=1)
LINES = st.builds(
    TranscriptLine,
    case_id=TEXT,
    target=TEXT,
    repeat=st.integers(0, 10**6),
    messages=st.lists(st.dictionaries(st.text(), st.text() | st.none())).map(tuple),
    usage=st.builds(Usage, COUNTS, COUNTS, st.none() | st.floats(0, 10**6)),
    latency_ms=st.none() | st.floats(0, 10**9),
    error=st.none() | st.text(),
)


@given(LINES)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, line: TranscriptLine
) -> None:
    path = tmp_path_factory.getbasetemp() / "back.jsonl"
    text = line_of(line)
    assert "\n" not in text
    path.write_text(text + "\n", encoding="utf-8")
    assert list(read_transcript(path)) == [line]


def test_half_a_character_can_be_written() -> None:
    assert "?!" in line_of(TranscriptLine("a", "b", messages=({"content": "\ud83d!"},)))


@given(st.binary(max_size=80))
def test_any_bytes_are_trials_or_an_invalid_file(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.jsonl"
    path.write_bytes(raw)
    with contextlib.suppress(InvalidFile):
        assert list(read_transcript(path)) == []
