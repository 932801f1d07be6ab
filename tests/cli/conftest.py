from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from builders import WEATHER_TOOL
from commands import SOURCE, Commands, Done, running_commands

Toolgauge = Callable[..., Done]


@pytest.fixture(scope="session")
def commands() -> Iterator[Commands]:
    with running_commands() as started:
        yield started


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a command: a database of its own, and no keys."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | SOURCE | {"TOOLGAUGE_DATABASE_URL": f"sqlite:///{tmp_path}/toolgauge.db"}


@pytest.fixture
def toolgauge(commands: Commands, tmp_path: Path, environment: dict[str, str]) -> Toolgauge:
    """Run the real command in a folder of its own."""

    def run(*arguments: object, cwd: Path = tmp_path, **env: str) -> Done:
        return commands.run(*arguments, cwd=cwd, env=environment | env)

    return run


@pytest.fixture
def weather(tmp_path: Path) -> Path:
    """Write a suite of two cases: the weather in Paris, and thanks."""
    suite = {
        "name": "weather",
        "tools": [WEATHER_TOOL],
        "test_cases": [
            {
                "id": "paris",
                "prompt": "What's the weather in Paris?",
                "expected_tool": "get_weather",
                "expected_params": {"city": "Paris"},
            },
            {"id": "thanks", "prompt": "Thanks!", "expected_tool": None},
        ],
    }
    file = tmp_path / "weather.json"
    file.write_text(json.dumps(suite))
    return file
