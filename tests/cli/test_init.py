from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolgauge.cli.init import commands

ACTION = f"octo/toolgauge@{'a' * 40}"


@pytest.fixture(autouse=True)
def _in_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)


def init(*arguments: str) -> int:
    return commands(["github", *arguments], standalone_mode=False)


def test_it_says_what_it_wrote_and_what_is_left_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert init("--action", ACTION, "-m", "openai/gpt-4o-mini") == 0
    said = capsys.readouterr().out
    assert "evals-report.yml" in said
    assert "repository secret OPENAI_API_KEY" in said
    assert ACTION in (tmp_path / ".github" / "workflows" / "evals.yml").read_text()


def test_as_json_it_names_files_and_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    init("--action", ACTION, "--suites", "mine/*.yaml", "--json")
    said = json.loads(capsys.readouterr().out)
    assert said["secrets"] == []
    assert [Path(path).name for path in said["written"]] == ["evals.yml", "evals-report.yml"]
    assert "mine/*.yaml" in Path(said["written"][0]).read_text()
