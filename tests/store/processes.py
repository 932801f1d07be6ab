"""Other processes on the same database: real ones, because locks are between processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]


def start_writer(url: str, run_id: str, *, trials: int, workers: int = 1) -> subprocess.Popen[str]:
    """Start a process that stores a run and prints the repeat of each trial it kept."""
    script = TESTS / "store" / "writer_process.py"
    return start(script, url, run_id, str(trials), str(workers))


def start(script: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python script that may import what tests may."""
    paths = os.pathsep.join([str(TESTS), str(TESTS.parent / "server")])
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(script), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": paths},
    )


def finish(process: subprocess.Popen[str]) -> list[str]:
    """Return what a process printed, once it has ended well."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.splitlines()
