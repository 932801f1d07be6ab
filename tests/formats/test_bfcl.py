from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from dataset_samples import answer, question, write_leaderboard, write_lines
from toolgauge.errors import InvalidFile, UsageError
from toolgauge.formats.bfcl import LAYOUT, entry_of, files_of, read_questions
from toolgauge.formats.case_records import CARRIED, dataset_of, records_of
from toolgauge.formats.records import BadRecord


def test_questions_are_joined_with_their_possible_answers(tmp_path: Path) -> None:
    records = read_questions(str(write_leaderboard(tmp_path)))
    suite = dataset_of(records, LAYOUT, "parallel").suite
    assert (suite["match"], suite["defaults"]) == ("bfcl", {"tool_choice": "auto"})
    first, second = suite["test_cases"]
    assert first["expected_calls"] == [
        {"tool": "spotify_play", "params": {"artist": ["Taylor Swift"], "volume": [0.5, ""]}},
        {"tool": "spotify_play", "params": {"artist": ["Maroon 5"], "volume": [0.5, ""]}},
    ]
    assert (first["order"], first["category"], first["id"]) == ("any", "parallel", "parallel_0")
    assert "order" not in second
    assert suite["tools"][0]["function"]["name"] == "spotify_play"


def test_an_export_has_the_files_of_the_leaderboard_as_they_were(tmp_path: Path) -> None:
    records = read_questions(str(write_leaderboard(tmp_path)))
    written = records_of(dataset_of(records, LAYOUT, "parallel"), LAYOUT, file="suite")
    assert written[0].pop(CARRIED)["suite"]["name"] == "parallel"
    assert written == [record.data for record in records.items]
    files = files_of(written, "parallel")
    assert files == {
        str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*.json")
    }


@pytest.mark.parametrize(
    ("case_id", "expected"),
    [
        ("irrelevance_0", {"expect_no_call": True}),
        ("live_irrelevance_12-3-0", {"expect_no_call": True}),
        ("live_relevance_0-0-0", {"expect_any_call": True}),
    ],
)
def test_irrelevance_and_relevance_need_no_answer(case_id: str, expected: dict[str, Any]) -> None:
    case = entry_of(question(case_id)).case
    assert expected.items() <= case.items()
    assert "expected_calls" not in case


def test_messages_of_version_2_stand_one_level_up() -> None:
    flat = question("irrelevance_0", question=[{"role": "user", "content": "Play."}])
    assert entry_of(flat).case["prompt"] == "Play."


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (question("simple_0"), "no answer"),
        (question("simple_java_0", ground_truth=[]), "language"),
        (question("simple_0", question=[[{"role": "user"}], [{"role": "user"}]]), "several turns"),
        (question("simple_0", question=[]), "list of messages"),
        (question("simple_0", function=None), "running them"),
        (question("", function=[]), "is required"),
        (question("simple_0", ground_truth=["cd(folder='x')"]), "acceptable values"),
        (question("simple_0", ground_truth=[]), "at least one call"),
        (question("simple_0", ground_truth=[{"f": 7}]), "an object"),
        (question("simple_0", ground_truth=[{"f": {}, "g": {}}]), "acceptable values"),
    ],
)
def test_a_question_that_cannot_be_judged_is_refused(record: dict[str, Any], told: str) -> None:
    with pytest.raises(BadRecord) as refused:
        entry_of(record)
    assert told in refused.value.message


def test_an_answer_to_no_question_is_told_with_its_line(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "q.json", [question("simple_0")])
    write_lines(tmp_path / "possible_answer" / "q.json", [answer("simple_7", "Abba")])
    with pytest.raises(InvalidFile, match="line 1: id: no question has the id 'simple_7'"):
        read_questions(str(file))


def test_broken_answers_are_told_in_their_own_file(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "q.json", [question("simple_0")])
    write_lines(tmp_path / "possible_answer" / "q.json", [7])
    with pytest.raises(InvalidFile, match="possible_answer"):
        read_questions(str(file))


def test_without_the_package_the_message_says_how_to_get_it() -> None:
    with pytest.raises(UsageError, match="pip install bfcl-eval"):
        read_questions("simple_python")


def test_a_category_is_found_in_the_installed_package(tmp_path: Path, monkeypatch) -> None:
    package = tmp_path / "bfcl_eval"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('the package itself is not needed')")
    write_leaderboard(package / "data")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert len(read_questions("parallel").items) == 2
    with pytest.raises(UsageError, match="did you mean `parallel`"):
        read_questions("paralel")
