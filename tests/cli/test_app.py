from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolgauge.cli.app import app

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(command.name for command in app.registered_commands)


def test_help_names_every_command(toolgauge) -> None:
    done = toolgauge("--help")
    assert done.code == 0
    assert all(name in done.out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_text_and_stands_in_the_readme(command, toolgauge) -> None:
    done = toolgauge(command, "--help")
    assert done.code == 0
    assert "Usage" in done.out
    assert f"`toolgauge {command}" in (ROOT / "README.md").read_text()


def test_every_setting_stands_in_the_readme() -> None:
    source = (ROOT / "server/toolgauge/settings.py").read_text()
    readme = (ROOT / "README.md").read_text()
    names = set(re.findall(r'"([A-Z][A-Z_]{5,})"', source))
    assert "TOOLGAUGE_EMBEDDING_MODEL" in names
    assert {name for name in names if name not in readme} <= {"OPENAI_BASE_URL"}


def test_an_unknown_option_is_usage(toolgauge) -> None:
    done = toolgauge("run", "--nosuch")
    assert done.code == 2
    assert "--nosuch" in done.err


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from toolgauge.cli.app import run_app; "
        f"run_app({arguments!r}); "
        "heavy = {'litellm', 'mcp', 'sqlalchemy', 'dbos', 'aiohttp', 'anyio', 'yaml'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_completion_is_offered_for_the_shell(toolgauge) -> None:
    done = toolgauge(_TOOLGAUGE_COMPLETE="source_bash")
    assert "_TOOLGAUGE_COMPLETE=complete_bash" in done.out


def test_models_lists_what_can_be_asked_and_what_is_missing(toolgauge, tmp_path: Path) -> None:
    (tmp_path / ".toolgauge.yml").write_text("targets:\n  mini:\n    model: openai/gpt-4o-mini\n")
    items = {item["id"]: item for item in toolgauge("models", "--json").json()["items"]}
    assert items["builtin/lexical"]["can_run"] is True
    assert "OPENAI_API_KEY" in items["mini"]["why_not"]
    keyed = toolgauge("models", "--json", OPENAI_API_KEY="sk-x").json()["items"]
    assert next(item for item in keyed if item["id"] == "mini")["can_run"] is True
    assert "mini" in toolgauge("models").out


def test_validate_names_every_problem_and_the_exit_code_says_so(toolgauge, tmp_path: Path) -> None:
    good = "name: g\ntest_cases:\n  - {id: a, prompt: p, expected_tool: null}\n"
    (tmp_path / "good.yaml").write_text(good)
    (tmp_path / "bad.yaml").write_text(good + "nam: x\n" + "weights: {tool: 1}\n")
    assert toolgauge("validate", "good.yaml").code == 0
    done = toolgauge("validate", "good.yaml", "bad.yaml")
    assert done.code == 2
    assert "nam" in done.err
    assert "weights" in done.err
    by_file = {one["id"]: one for one in toolgauge("validate", ".", "--json").json()["items"]}
    assert by_file["good.yaml"]["errors"] == []
    assert {problem["path"] for problem in by_file["bad.yaml"]["errors"]} == {"nam", "weights"}


def test_the_suites_that_ship_are_valid_and_free_of_warnings(toolgauge) -> None:
    done = toolgauge("validate", ROOT / "suites", "--json")
    items = done.json()["items"]
    assert done.code == 0
    assert sum(item["cases"] for item in items) >= 100
    assert [item["id"] for item in items if item["warnings"]] == []


def test_errors_under_json_are_json(toolgauge) -> None:
    done = toolgauge("validate", "missing.yaml", "--json")
    assert json.loads(done.err)["error"]["type"] == "usage"
