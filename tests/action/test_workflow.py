from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from action.hostile import CANARY, HOSTILE
from action.runner_log import MOST_SUMMARY, read_log, read_pairs
from toolgauge_action.workflow import Annotation, Workflow

LINES = st.lists(
    st.sampled_from(
        [
            "::error::x",
            "::set-output name=a::b",
            "##[add-mask]x",
            "\r",
            "\n",
            " ",
            "::",
            "a",
            "\x85",
        ]
    ),
    max_size=8,
).map("".join)


def log_of(*annotations: Annotation, said: str = "", folder: str = "") -> str:
    log = io.StringIO(newline="")
    workflow = Workflow(log, None, None, folder=folder)
    if said:
        workflow.say(said)
    workflow.annotate(annotations)
    return log.getvalue()


@given(LINES)
@settings(max_examples=200)
def test_nothing_that_is_said_is_obeyed(text: str) -> None:
    assert read_log(log_of(said=text)).obeyed == []


@given(LINES, LINES, LINES)
@settings(max_examples=200)
def test_an_annotation_is_one_command_whatever_it_holds(title: str, text: str, file: str) -> None:
    log = read_log(log_of(Annotation("error", title, text, file=file, line=3)))
    assert [name for name, _ in log.obeyed] == ["error"]
    assert set(log.annotations[0]) <= {"level", "message", "title", "file", "line"}


def test_what_children_print_is_not_obeyed() -> None:
    log = io.StringIO()
    with Workflow(log, None, None).deaf():
        log.write(HOSTILE)
    assert read_log(log.getvalue()).obeyed == []
    assert CANARY in read_log(log.getvalue()).text


def test_the_tenth_annotation_says_how_many_are_left_out() -> None:
    many = [Annotation("error", "t", f"{number}") for number in range(30)]
    shown = read_log(log_of(*many)).annotations
    assert [one["message"] for one in shown] == [*map(str, range(9)), "21 more in the report"]


def test_files_are_named_from_the_workspace() -> None:
    (shown,) = read_log(log_of(Annotation("notice", "t", "m", "a.yaml"), folder="sub")).annotations
    assert (shown["file"], shown["line"]) == ("sub/a.yaml", "1")


def test_an_output_cannot_be_forged_from_within_another(tmp_path: Path) -> None:
    file = tmp_path / "output"
    workflow = Workflow(io.StringIO(), file, None)
    workflow.output("verdict", f"pass\nEOF\nverdict=fail\n{HOSTILE}")
    workflow.output("passed", "true")
    assert set(read_pairs(file.read_text())) == {"verdict", "passed"}
    with pytest.raises(ValueError, match="not a name"):
        workflow.output("a=b\nc", "x")


def test_a_summary_that_the_runner_would_drop_is_replaced_by_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    Workflow(io.StringIO(), None, file).summary("é" * MOST_SUMMARY)
    assert "in the artifact" in file.read_text()
