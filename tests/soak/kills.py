"""Kills a run at random moments and resumes it: ``python tests/soak/kills.py 20``.

Prints, per kill, how many calls were finished and stored, and how many of those were
asked again (must be 0). Exits with 1 where a finished call was asked twice.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "server")]

from builders import WEATHER_TOOL  # noqa: E402 - found through the path above
from provider import Provider, calling  # noqa: E402 - as above

CASES, CONCURRENCY = 120, 8


def main(kills: int) -> int:
    wrong = 0
    for number in range(kills):
        stored, again, complete = one_kill(random.Random(number))
        wrong += again > 0 or complete != CASES
        print(f"kill {number + 1}: {stored} stored, {again} of them asked again, {complete} in all")
    print(f"{kills - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


def one_kill(rng: random.Random) -> tuple[int, int, int]:
    """Return how many trials were stored at the kill, asked again, and there in the end."""
    asked: Counter[str] = Counter()

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        time.sleep(0.01)
        asked[request["messages"][-1]["content"]] += 1
        return calling("get_weather", city="Paris")

    with tempfile.TemporaryDirectory() as folder, Provider(answer) as provider:
        suite = Path(folder) / "suite.json"
        suite.write_text(json.dumps({"name": "s", "tools": [WEATHER_TOOL], "test_cases": cases()}))
        command = ["-m", "openai/stub", "--api-base", provider.base]
        process = start("run", str(suite), *command, "--concurrency", str(CONCURRENCY), cwd=folder)
        wanted = rng.randrange(1, CASES)
        while asked.total() < wanted and process.poll() is None:
            time.sleep(0.001)
        process.kill()
        process.wait()
        before = Counter(asked)
        run_id, stored = trials_of(folder)
        start("run", "--resume", run_id, "--api-base", provider.base, cwd=folder).wait()
        again = sum(asked[prompt] > before[prompt] for prompt in stored)
        return len(stored), again, len(trials_of(folder)[1])


def cases() -> list[dict[str, str]]:
    return [
        {"id": f"c{n}", "prompt": f"City {n}?", "expected_tool": "get_weather"}
        for n in range(CASES)
    ]


def trials_of(folder: str) -> tuple[str, set[str]]:
    listed = start("runs", "list", "--json", cwd=folder)
    run_id = json.loads(listed.communicate()[0])["items"][0]["id"]
    exported = start("runs", "export", run_id, cwd=folder)
    run = json.loads(exported.communicate()[0])["runs"][0]
    return run_id, {f"City {trial['case_id'][1:]}?" for trial in run["trials"]}


def start(*arguments: str, cwd: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "toolgauge", *arguments],
        cwd=cwd,
        env=os.environ
        | {
            "TOOLGAUGE_DATABASE_URL": f"sqlite:///{cwd}/toolgauge.db",
            "PYTHONPATH": str(ROOT / "server"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
