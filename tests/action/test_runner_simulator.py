"""The simulator reads logs, files and expressions as the runner does."""

from __future__ import annotations

import pytest

from action.expressions import UnknownExpression, evaluate, is_true
from action.runner_log import BrokenFile, read_log, read_pairs

CONTEXT = {
    "inputs": {"mode": "all", "empty": ""},
    "steps": {"run": {"verdict": "pass"}},
    "token": "t",
    "success": False,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("inputs.mode", "all"),
        ("steps.run.outputs.verdict || 'error'", "pass"),
        ("steps.run.outputs.none || 'error'", "error"),
        ("steps.other.outputs.x", ""),
        ("inputs.mode != 'all'", False),
        ("inputs.mode == 'ALL'", True),
        ("always() && inputs.empty", ""),
        ("github.token", "t"),
    ],
)
def test_expressions_have_the_runners_values(text: str, value: object) -> None:
    assert evaluate(text, CONTEXT) == value


@pytest.mark.parametrize("text", ["github.event.title", "inputs.none", "format('x')", "a b", "1"])
def test_an_expression_of_another_form_is_an_error(text: str) -> None:
    with pytest.raises(UnknownExpression):
        evaluate(text, CONTEXT)


def test_after_a_failure_only_steps_that_always_run_do() -> None:
    assert not is_true("${{ inputs.mode == 'all' }}", CONTEXT)
    assert is_true("${{ always() && inputs.mode == 'all' }}", CONTEXT)


@pytest.mark.parametrize(
    ("line", "obeyed"),
    [
        ("::error::x", [("error", "x")]),
        ("   ::set-output name=a::b", [("set-output", "b")]),
        ("text ##[add-mask]x", [("add-mask", "x")]),
        ("a\r::warning::x", [("warning", "x")]),
        ("text ::error::x", []),
        (": :error::x", []),
    ],
)
def test_the_log_obeys_what_the_runner_obeys(line: str, obeyed: list[tuple[str, str]]) -> None:
    assert read_log(line).obeyed == obeyed


def test_stopped_commands_start_again_at_their_token_alone() -> None:
    token = "0" * 32
    log = read_log(
        f"::stop-commands::{token}\n::error::a\n::1{token[1:]}::\n::{token}::\n::error::b"
    )
    assert log.obeyed == [("error", "b")]


def test_files_of_commands_are_read_and_refused_as_by_the_runner() -> None:
    assert read_pairs("a=b=c\nd<<E\n1\n2\nE\n") == {"a": "b=c", "d": "1\n2"}
    with pytest.raises(BrokenFile, match="Matching delimiter not found"):
        read_pairs("d<<E\n1\n")
    with pytest.raises(BrokenFile, match="Invalid format"):
        read_pairs("nothing\n")
