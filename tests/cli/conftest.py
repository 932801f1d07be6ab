from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from builders import WEATHER_TOOL

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


Toolgauge = Callable[..., Done]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a command: a database of its own, and no keys."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {
        "TOOLGAUGE_DATABASE_URL": f"sqlite:///{tmp_path}/toolgauge.db",
        "PYTHONPATH": f"{ROOT / 'server'}:{ROOT / 'action'}",
    }


@pytest.fixture
def toolgauge(tmp_path: Path, environment: dict[str, str]) -> Toolgauge:
    """Run the real command in a folder of its own."""

    def run(*arguments: object, cwd: Path = tmp_path, **env: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "toolgauge", *map(str, arguments)],
            cwd=cwd,
            env=environment | env,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert "Traceback" not in done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

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
