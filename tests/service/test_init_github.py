from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from toolgauge.errors import UsageError
from toolgauge.service.init_github import (
    Answers,
    needed_secrets,
    repository_root,
    workflows,
    write_workflows,
)

ACTION = f"octo/toolgauge@{'a' * 40}"


def parsed(answers: Answers) -> dict[str, dict]:
    return {name: yaml.safe_load(text) for name, text in workflows(answers).items()}


def step(answers: Answers) -> dict:
    return parsed(answers)["evals.yml"]["jobs"]["evals"]["steps"][-1]


def test_without_a_model_the_keyword_baseline_is_gated_without_a_key() -> None:
    found = step(Answers(ACTION))
    assert found == {
        "uses": ACTION,
        "with": {"suites": "evals/**/*.{yaml,yml,json}\n", "model": "builtin/lexical\n"},
    }


def test_a_model_brings_its_secret_and_keeps_the_keyword_baseline_for_forks() -> None:
    answers = Answers(ACTION, models=("openai/gpt-4o-mini", "anthropic/claude-sonnet-4-5"))
    found = step(answers)
    assert found["with"]["model"].split() == [*answers.models, "builtin/lexical"]
    assert found["env"] == {
        "OPENAI_API_KEY": "${{ secrets.OPENAI_API_KEY }}",
        "ANTHROPIC_API_KEY": "${{ secrets.ANTHROPIC_API_KEY }}",
    }
    assert needed_secrets(answers.models) == ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


def test_permissions_are_the_least_and_given_to_the_job_alone() -> None:
    for name, one in parsed(Answers(ACTION)).items():
        assert one["permissions"] == {}
        (job,) = one["jobs"].values()
        writes = [scope for scope, right in job["permissions"].items() if right == "write"]
        assert writes == ["pull-requests"], name


def test_the_workflow_of_forks_waits_for_the_other_by_its_name() -> None:
    both = parsed(Answers(ACTION))
    on = both["evals-report.yml"][True]  # YAML 1.1 reads `on` like this
    assert on["workflow_run"]["workflows"] == [both["evals.yml"]["name"]]


@pytest.mark.parametrize(
    "answers",
    [
        Answers("octo/toolgauge@v1"),
        Answers("octo/toolgauge"),
        Answers(f"octo/toolgauge@{'a' * 39}"),
        Answers(f"{ACTION}\n      - run: id"),
        Answers(ACTION, models=("openai/x\n      - run: id",)),
        Answers(ACTION, models=("${{ secrets.X }}",)),
        Answers(ACTION, suites=("a\tb",)),
        Answers(ACTION, branch="main]"),
    ],
)
def test_what_cannot_stand_in_a_workflow_is_refused(answers: Answers) -> None:
    with pytest.raises(UsageError):
        workflows(answers)


def test_files_that_are_there_stay_unless_forced(tmp_path: Path) -> None:
    written = write_workflows(Answers(ACTION), tmp_path)
    assert [path.name for path in written] == ["evals.yml", "evals-report.yml"]
    written[0].write_text("mine")
    with pytest.raises(UsageError, match="--force"):
        write_workflows(Answers(ACTION), tmp_path)
    assert written[0].read_text() == "mine"
    write_workflows(Answers(ACTION), tmp_path, force=True)
    assert written[0].read_text() != "mine"


def test_workflows_go_to_the_root_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "deep" / "er").mkdir(parents=True)
    assert repository_root(tmp_path / "deep" / "er") == tmp_path.resolve()
