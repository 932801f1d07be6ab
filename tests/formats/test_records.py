from __future__ import annotations

from pathlib import Path

import pytest

from toolgauge.errors import InvalidFile
from toolgauge.formats import records
from toolgauge.formats.records import BadRecord, Record, read_lines, read_list


def written(folder: Path, text: str | bytes) -> Path:
    file = folder / "data"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def test_every_line_that_is_no_object_is_told_with_its_line_and_the_others_are_read(
    tmp_path: Path,
) -> None:
    found = read_lines(written(tmp_path, '{"a": 1}\n\n[1]\n{"b"\n{"c": 2}\n'))
    assert [(record.data, record.line) for record in found.items] == [({"a": 1}, 1), ({"c": 2}, 5)]
    assert [(problem.line, problem.message.split(":")[0]) for problem in found.problems] == [
        (3, "must be an object, not a list"),
        (4, "is not valid JSON"),
    ]


def test_unescaped_line_separators_within_text_end_no_record(tmp_path: Path) -> None:
    found = read_lines(written(tmp_path, '{"a": "x\u2028y\u0085z"}\r\n{"b": 1}'))
    assert [record.data for record in found.items] == [{"a": "x\u2028y\u0085z"}, {"b": 1}]


def test_half_of_a_character_becomes_a_question_mark(tmp_path: Path) -> None:
    (only,) = read_lines(written(tmp_path, '{"a": "\\ud83d"}')).items
    assert only.data == {"a": "?"}


def test_entries_of_a_list_are_told_by_position_and_line(tmp_path: Path) -> None:
    found = read_list(written(tmp_path, '[\n {"a": 1},\n 7,\n {"b": 2}\n]'))
    assert [(record.path, record.line) for record in found.items] == [("[0]", 2), ("[2]", 4)]
    assert [(problem.path, problem.line) for problem in found.problems] == [("[1]", 3)]


@pytest.mark.parametrize("text", ['{"a": 1}', "nonsense", "", b"\xff\xfe["])
def test_a_file_without_a_list_is_one_problem(text: str | bytes, tmp_path: Path) -> None:
    with pytest.raises(InvalidFile) as refused:
        read_list(written(tmp_path, text))
    assert len(refused.value.problems) == 1


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="cannot be opened"):
        read_lines(tmp_path / "missing")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(records, "MAX_DATASET_BYTES", 3)
    with pytest.raises(InvalidFile, match="split it"):
        read_lines(written(tmp_path, '{"a": 1}'))


def test_a_problem_leads_through_the_record_to_the_field() -> None:
    record = Record({}, "[3]", 9)
    assert str(record.problem(BadRecord("target", "is wrong"))) == "line 9: [3].target: is wrong"
    assert str(Record({}, line=2).problem(BadRecord("", "is wrong"))) == "line 2: is wrong"
