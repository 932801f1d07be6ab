"""The store's benchmark runs, fills what it says and measures every call."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "store.py"


def test_the_benchmark_prints_each_calls_time_and_growth() -> None:
    command = [sys.executable, str(SCRIPT), "400", "1200"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    lines = done.stdout.splitlines()
    assert [line.split(" trials")[0] for line in lines[:2]] == ["400", "1,200"]
    calls = {line[:30].strip() for line in lines[3:]}
    assert {"runs list", "runs show, the big run", "page, anywhere", "page, failed"} <= calls
    assert all(line.endswith("x") for line in lines[3:])
