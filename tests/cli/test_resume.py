"""Runs that are interrupted: nothing finished is lost, and nothing finished is asked again."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from builders import WEATHER_TOOL
from provider import Provider, calling
from toolgauge.model.trial import TrialKey

CASES = 60
CONCURRENCY = 4


def suite(folder: Path) -> Path:
    cases = [
        {"id": f"c{n}", "prompt": f"Weather in city {n}?", "expected_tool": "get_weather"}
        for n in range(CASES)
    ]
    file = folder / "suite.json"
    file.write_text(json.dumps({"name": "s", "tools": [WEATHER_TOOL], "test_cases": cases}))
    return file


class Counting:
    """Answers after ``delay_s``, and counts how often each prompt was answered in full."""

    def __init__(self, delay_s: float = 0.02) -> None:
        self.asked: Counter[str] = Counter()
        self.some = threading.Event()
        self.delay_s = delay_s

    def __call__(self, request: dict[str, Any]) -> tuple[int, Any]:
        time.sleep(self.delay_s)  # the model thinks; not how the test waits for anything
        self.asked[request["messages"][-1]["content"]] += 1
        if self.asked.total() >= CASES // 6:
            self.some.set()
        return calling("get_weather", city="Paris")


def start(toolgauge_command: list[str], folder: Path, env: dict[str, str]) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "toolgauge", *toolgauge_command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(toolgauge) -> tuple[str, set[TrialKey]]:
    """Return the only run and what of it is stored."""
    (run,) = toolgauge("runs", "list", "--json").json()["items"]
    exported = toolgauge("runs", "export", run["id"]).json()["runs"][0]
    return run["id"], {TrialKey(t["case_id"], t["target"], t["repeat"]) for t in exported["trials"]}


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_killed_at_any_moment_asks_no_finished_call_again(
    seed: int, tmp_path: Path, toolgauge, environment
) -> None:
    counting = Counting(0.4)
    with Provider(counting) as provider:
        command = ["run", str(suite(tmp_path)), "-m", "openai/stub", "--api-base", provider.base]
        process = start([*command, "--concurrency", str(CONCURRENCY)], tmp_path, environment)
        assert counting.some.wait(60)
        pause = threading.Event()
        pause.wait(random.Random(seed).uniform(0, 0.2))
        process.kill()
        process.communicate(timeout=60)
        before = Counter(counting.asked)
        run_id, stored = finished(toolgauge)
        counting.delay_s = 0
        done = toolgauge("run", "--resume", run_id, "--api-base", provider.base)
    assert done.code == 0, done.err
    kept = {f"Weather in city {key.case_id[1:]}?" for key in stored}
    again = {prompt for prompt in before if counting.asked[prompt] > before[prompt]}
    assert again & kept == set()
    assert len(again) <= CONCURRENCY
    assert len(finished(toolgauge)[1]) == CASES


def test_ctrl_c_stops_within_two_seconds_and_says_how_to_resume(
    tmp_path: Path, toolgauge, environment
) -> None:
    counting = Counting(0.4)
    with Provider(counting) as provider:
        command = ["run", str(suite(tmp_path)), "-m", "openai/stub", "--api-base", provider.base]
        process = start(command, tmp_path, environment)
        assert counting.some.wait(60)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert time.monotonic() - began < 2
        run_id, stored = finished(toolgauge)
        shown = toolgauge("runs", "show", run_id, "--json").json()
    assert process.returncode == 130
    assert f"toolgauge run --resume {run_id}" in err
    assert "Traceback" not in err
    assert (shown["status"], 0 < len(stored) < CASES) == ("cancelled", True)


def test_a_complete_run_is_resumed_without_asking_anything(toolgauge, weather) -> None:
    toolgauge("run", weather, "-m", "builtin/lexical")
    (run,) = toolgauge("runs", "list", "--json").json()["items"]
    done = toolgauge("run", "--resume", run["id"])
    assert done.code == 0
    assert run["id"] in done.out


def test_an_unknown_run_is_named_with_those_that_there_are(toolgauge, weather) -> None:
    toolgauge("run", weather, "-m", "builtin/lexical")
    (run,) = toolgauge("runs", "list", "--json").json()["items"]
    done = toolgauge("run", "--resume", "nosuch")
    assert done.code == 2
    assert run["id"] in done.err
