"""What linters say of the action and of the workflows, ours and those that we write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from toolgauge.service.init_github import Answers, workflows

ROOT = Path(__file__).parents[2]
OURS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
STEPS = [
    step
    for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    if "run" in step
]


def said_by(tool: str, *arguments: object) -> str:
    """Return what a tool of this environment complains of; "" where it is content."""
    done = subprocess.run(
        [Path(sys.executable).with_name(tool), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.fixture
def written(tmp_path: Path) -> list[Path]:
    """Write the workflows that ``toolgauge init github`` makes."""
    answers = Answers(action=f"octo/toolgauge@{'a' * 40}", models=("openai/gpt-4o-mini",))
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for name, text in workflows(answers).items():
        (folder / name).write_text(text)
    return sorted(folder.iterdir())


def test_there_are_workflows_to_lint(written: list[Path]) -> None:
    assert len(OURS) >= 3
    assert len(written) == 2


def test_the_action_is_by_the_schema() -> None:
    schema = ("--builtin-schema", "vendor.github-actions")
    assert said_by("check-jsonschema", *schema, ROOT / "action.yml") == ""


def test_the_workflows_are_by_the_schema(written: list[Path]) -> None:
    schema = ("--builtin-schema", "vendor.github-workflows")
    assert said_by("check-jsonschema", *schema, *OURS, *written) == ""


def test_zizmor_finds_nothing_in_its_strictest_mood(written: list[Path]) -> None:
    options = ("--offline", "--no-progress", "--no-config", "--persona=pedantic", "--quiet")
    assert said_by("zizmor", *options, ROOT / "action.yml", *OURS, *written) == ""


def test_zizmor_does_find_an_injection(tmp_path: Path) -> None:
    workflow = tmp_path / "bad.yml"
    workflow.write_text(
        "on: pull_request_target\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - run: echo ${{ github.event.pull_request.title }}\n"
    )
    assert "template-injection" in said_by("zizmor", "--offline", "--no-progress", workflow)


@pytest.mark.parametrize("number", range(len(STEPS)))
def test_shellcheck_finds_nothing_in_the_steps(number: int, tmp_path: Path) -> None:
    script = tmp_path / "step.sh"
    script.write_text(f"#!/usr/bin/env bash\nset -eo pipefail\n{STEPS[number]['run']}")
    assert said_by("shellcheck", "--severity=style", script) == ""


def test_no_script_holds_an_expression() -> None:
    assert [step["run"] for step in STEPS if "${{" in step["run"]] == []


def test_every_action_is_pinned_to_a_commit(written: list[Path]) -> None:
    lines = [
        line.strip()
        for file in (ROOT / "action.yml", *OURS, *written)
        for line in file.read_text().splitlines()
        if line.strip().removeprefix("- ").startswith("uses:") and "$/" not in line
    ]
    assert len(lines) >= 8
    assert [one for one in lines if len(one.partition("@")[2].partition(" ")[0]) != 40] == []
