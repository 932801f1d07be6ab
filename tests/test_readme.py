"""The README's examples run as they are written, and name nothing that is not there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
LINES = [
    line.split("  #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
]
COMMANDS = sorted({line for line in LINES if line.startswith("toolgauge ")})


def toolgauge(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "toolgauge", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PATH": "", "PYTHONPATH": f"{ROOT}/server", "HOME": str(cwd)},
    )


def block_after(heading: str, language: str) -> str:
    section = README.split(heading, 1)[1]
    return re.search(rf"```{language}\n(.*?)```", section, re.DOTALL).group(1)


def test_there_are_examples_to_check() -> None:
    assert len(COMMANDS) >= 4


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_in_an_example_exists(command: str) -> None:
    for part in command.split("&&"):
        words = shlex.split(part)[1:]
        names = [word for word in words[:2] if re.fullmatch(r"[a-z-]+", word)]
        helps = [names[:1], names[:2]] + ([["gate", "check"]] if names[0] == "gate" else [])
        shown = "".join(toolgauge(*words_, "--help").stdout for words_ in helps)
        options = [word for word in words if word.startswith("-")]
        assert [option for option in options if option not in shown] == []


def test_the_example_suite_is_valid_and_runs(tmp_path: Path) -> None:
    (tmp_path / "weather.yaml").write_text(block_after("## Write a suite", "yaml"))
    assert toolgauge("validate", "weather.yaml", cwd=tmp_path).returncode == 0
    done = toolgauge("run", "weather.yaml", "-m", "builtin/lexical", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2/2" in done.stdout


def test_the_example_project_file_is_read(tmp_path: Path) -> None:
    text = block_after("## Project file", "yaml")
    (tmp_path / ".toolgauge.yml").write_text(text)
    listed = toolgauge("models", cwd=tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert all(name in listed.stdout for name in yaml.safe_load(text)["targets"])


def test_the_example_scorer_scores(tmp_path: Path) -> None:
    (tmp_path / "weather.yaml").write_text(block_after("## Write a suite", "yaml"))
    (tmp_path / "my_scorers.py").write_text(block_after("**A scorer of your own**", "python"))
    done = toolgauge(
        *("run", "weather.yaml", "-m", "builtin/lexical", "--json"),
        *("--scorer", "brevity=my_scorers:brevity"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert '"brevity": 1.0' in done.stdout


def test_every_folder_of_the_source_stands_in_the_tree() -> None:
    packages = [path.parent for path in (ROOT / "server").rglob("__init__.py")]
    named = {path.relative_to(ROOT).as_posix() for path in packages if path.name != "toolgauge"}
    below = {name for name in named if name.count("/") == 2}
    assert {name for name in below if f"`{name}`" not in README} == set()


def test_every_path_that_is_linked_exists() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
