"""The benchmark of scoring runs, scores rightly, and prints a rate and a ratio per kind."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "scoring.py"


def test_every_kind_of_trial_has_a_rate_beside_the_bare_comparison() -> None:
    command = [sys.executable, str(SCRIPT), "--trials", "20", "--rounds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    rows = re.findall(r"^\| (.+?) \| ([\d,]+) \| (\d+) \|$", done.stdout, re.MULTILINE)
    assert [name for name, _, _ in rows] == [
        "perfect",
        "one parameter wrong",
        "numeric tolerance",
        "fuzzy",
        "two expected calls",
        "two expected calls, swapped",
        "(bare `dict ==`)",
    ]
    assert all(int(rate.replace(",", "")) > 0 for _, rate, _ in rows)
    assert re.search(r"slowest single call: [\d,]+/s, at least 20,000: (met|MISSED)", done.stdout)
    assert re.match(r"\d+ CPUs .*, Python 3\.\d+\.\d+, load ", done.stdout)
