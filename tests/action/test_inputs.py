from __future__ import annotations

import os
import subprocess
import sys

import pytest

from action.runner_simulator import ACTION, ROOT
from toolgauge_action.inputs import (
    DEFAULT_MAX_DROP,
    DEFAULT_REPEATS,
    DEFAULT_SUITES,
    Inputs,
    InvalidInputs,
    engine_environment,
    read_inputs,
)

DEFAULTS = {
    f"INPUT_{name.upper().replace('-', '_')}": one["default"]
    for name, one in ACTION["inputs"].items()
    if name not in {"github-token", "setup-uv", "working-directory"}
}


def test_the_defaults_of_the_action_are_the_defaults_of_the_code() -> None:
    assert read_inputs(DEFAULTS) == read_inputs({}) == Inputs()
    assert DEFAULTS["INPUT_SUITES"] == DEFAULT_SUITES
    assert DEFAULTS["INPUT_MAX_DROP"] == str(DEFAULT_MAX_DROP)
    assert DEFAULTS["INPUT_REPEATS"] == str(DEFAULT_REPEATS)


def test_every_input_of_the_action_reaches_its_step() -> None:
    (step,) = [one for one in ACTION["runs"]["steps"] if one.get("id") == "run"]
    assert {name for name in step["env"] if name.startswith("INPUT_")} == set(DEFAULTS)


def test_several_lines_are_several_targets_each_once() -> None:
    inputs = read_inputs({"INPUT_MODEL": " openai/a\n\n builtin/lexical \nopenai/a\n"})
    assert inputs.model == ("openai/a", "builtin/lexical")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REPEATS", "0"),
        ("REPEATS", "three"),
        ("REPEATS", "٣"),
        ("MAX_DROP", "1.5"),
        ("MAX_DROP", "nan"),
        ("MIN_SCORE", "-0.1"),
        ("MAX_COST_USD", "inf"),
        ("BASELINE", "branch"),
        ("MODE", "All"),
        ("ANNOTATIONS", "yes"),
        ("COMMENT_KEY", "a/b"),
        ("COMMENT_KEY", "--><b>"),
        ("BASELINE_PATH", "/etc/passwd"),
        ("BASELINE_PATH", "a/../../b"),
        ("CONFIG", "-x.yml"),
        ("CONFIG", "a\\b"),
        ("ALLOW_ENV", "A-B"),
        ("ALLOW_ENV", "GITHUB_TOKEN"),
        ("ALLOW_ENV", "ACTIONS_RUNTIME_TOKEN"),
    ],
)
def test_what_an_input_may_not_be_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(InvalidInputs) as caught:
        read_inputs({f"INPUT_{name}": value})
    assert f"input {name.lower().replace('_', '-')} must be" in str(caught.value)


def test_no_limit_on_cost_has_to_be_said() -> None:
    assert read_inputs({"INPUT_MAX_COST_USD": "none"}).max_cost_usd is None
    assert read_inputs({"INPUT_MAX_COST_USD": "0.5"}).max_cost_usd == 0.5


def test_the_engine_reads_keys_but_nothing_of_the_runner() -> None:
    given = {
        "OPENAI_API_KEY": "a",
        "GITHUB_API_KEY": "b",
        "GITHUB_TOKEN": "c",
        "TOOLGAUGE_GITHUB_TOKEN": "d",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "e",
        "INPUT_MODEL": "f",
    }
    read = engine_environment(given | {"TOOLGAUGE_MCP_ENV": "OPENAI_API_KEY"})
    assert set(read) == {"OPENAI_API_KEY", "GITHUB_API_KEY", "TOOLGAUGE_MCP_ENV"}
    assert read["TOOLGAUGE_MCP_ENV"] == ""
    assert engine_environment(given, ("A", "B"))["TOOLGAUGE_MCP_ENV"] == "A,B"


def test_what_is_taken_is_gone_for_children_but_for_what_the_workflow_allows() -> None:
    script = (
        "from toolgauge_action.inputs import take_environment; import os, subprocess\n"
        "taken = take_environment()\n"
        "print(taken['OPENAI_API_KEY'], taken['WEATHER_PASS'])\n"
        "print(subprocess.run(['env'], capture_output=True, text=True).stdout)"
    )
    env = {
        "PATH": os.environ["PATH"],
        "OPENAI_API_KEY": "sk-1",
        "WEATHER_PASS": "w-1",
        "GITHUB_OUTPUT": "/x",
        "INPUT_ALLOW_ENV": "WEATHER_PASS, GITHUB_OUTPUT",
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
    )
    first, _, children = done.stdout.partition("\n")
    assert first == "sk-1 w-1"
    assert {line.partition("=")[0] for line in children.split()} - {"LC_CTYPE"} == {
        "PATH",
        "WEATHER_PASS",
    }


@pytest.mark.parametrize("kind", ["inputs", "outputs"])
def test_the_readme_names_every_input_and_output(kind: str) -> None:
    text = (ROOT / "action" / "README.md").read_text()
    assert [name for name in ACTION[kind] if f"`{name}`" not in text] == []
