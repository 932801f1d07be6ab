"""Measures how long the command line takes to start, as it is installed.

A wheel is built and unpacked into an environment of its own, with bytecode; what it
depends on is taken from the environment that runs this. Nothing is downloaded::

    python benchmarks/startup.py
    python benchmarks/startup.py --rounds 9

Figures are medians of the rounds; each round runs every command once.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from spent import Spent, machine, spend, typical, verdict

ROOT = Path(__file__).parents[1]
SUITE = {
    "name": "one",
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "description": "Current weather of a city.",
                "parameters": {
                    "type": "object",
                    "properties": {"city": {"type": "string"}},
                    "required": ["city"],
                },
            },
        }
    ],
    "test_cases": [
        {
            "prompt": "What is the weather in Paris?",
            "expected_tool": "get_weather",
            "expected_params": {"city": "Paris"},
        }
    ],
}


@dataclass(frozen=True, slots=True)
class Command:
    """A command that is measured, and the most seconds that it may take; None: no target."""

    name: str
    arguments: list[str]
    most_s: float | None = None


def build_wheel(folder: Path) -> Path:
    """Return the wheel of this checkout, built by the backend that this environment has."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the wheel cannot be built (is hatchling there?):\n{done.stderr}")
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """Return the Python of a new environment that has the wheel and our dependencies."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    (packages,) = (folder / "lib").glob("python*/site-packages")
    with ZipFile(wheel) as archive:
        archive.extractall(packages)
    compileall.compile_dir(packages, quiet=1)
    # path files within the folder it names are not read, so no checkout comes with it
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def commands(python: Path, folder: Path) -> list[Command]:
    """Return what is measured; ``run`` finds its database there, ``first run`` makes one."""
    suite = folder / "one.json"
    suite.write_text(json.dumps(SUITE))
    toolgauge = [str(python), "-c", "from toolgauge.cli import main; main()"]
    run = [*toolgauge, "run", str(suite), "-m", "builtin/lexical", "--min-score", "1"]
    return [
        Command("python -c pass", [str(python), "-c", "pass"]),
        Command('python -c "import typer"', [str(python), "-c", "import typer"]),
        Command("toolgauge --help", [*toolgauge, "--help"], 0.3),
        Command("toolgauge run, one lexical case", run, 0.8),
    ]


def measure(measured: list[Command], folder: Path, rounds: int) -> dict[str, Spent]:
    """Return the typical cost of each command by its name, and of a run without a database."""
    found: dict[str, list[Spent]] = {}
    environment = dict(os.environ)
    # set by who works on the sources; not where the program is installed
    for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH"):
        environment.pop(name, None)
    kept = environment | {"TOOLGAUGE_DATABASE_URL": f"sqlite:///{folder / 'kept.db'}"}
    for command in measured:
        spend(command.arguments, kept)  # unmeasured: files are read from the disk once
    for number in range(rounds):
        for command in measured:
            found.setdefault(command.name, []).append(spend(command.arguments, kept))
        new = environment | {"TOOLGAUGE_DATABASE_URL": f"sqlite:///{folder / f'{number}.db'}"}
        found.setdefault("the same, first run", []).append(spend(measured[-1].arguments, new))
    return {name: typical(spent) for name, spent in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="How long the command line takes to start.")
    parser.add_argument("--rounds", type=int, default=5, help="the median of so many (5)")
    asked = parser.parse_args()
    print(machine())
    with TemporaryDirectory() as name:
        folder = Path(name)
        python = install(build_wheel(folder), folder / "environment")
        measured = commands(python, folder)
        found = measure(measured, folder, asked.rounds)
    limits = {command.name: command.most_s for command in measured}
    print("\n| command | wall, s | CPU, s | wall at most, s |")
    print("|---|---|---|---|")
    for name, spent in found.items():
        most_s = limits.get(name)
        target = f"{most_s:g}: {verdict(spent.wall_s <= most_s)}" if most_s else ""
        print(f"| {name} | {spent.wall_s:.3f} | {spent.cpu_s:.3f} | {target} |")
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
