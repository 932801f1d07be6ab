"""The benchmark of the MCP server measures real servers, judges them, and leaves none behind."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "mcp_server.py"
FIGURE = r"\d+(\.\d+)?"


def test_every_part_prints_its_figures_beside_the_floor_and_a_verdict(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--quick"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    shown = done.stdout
    assert re.findall(r"^## (\w+)$", shown, re.MULTILINE) == ["start", "calls", "http"], done.stderr
    for row in (
        rf"\| toolgauge mcp answers \| {FIGURE} \| {FIGURE} \|",
        rf"initialize after {FIGURE} s, at most 1\.5: (met|MISSED)",
        rf"\| \(does nothing\) \| {FIGURE} \| 1\.00 \| {FIGURE} \|",
        rf"\| get_run \|( {FIGURE} \|){{3}}",
        rf"\| list_results \|( {FIGURE} \|){{3}}",
        r"\d+ calls/s, at least 300: (met|MISSED)",
        rf"\| readers, during a run \| {FIGURE} \| {FIGURE} \|",
        r"p99 \d+ ms, \d+\.\d times the floor's, below 500: (met|MISSED)",
    ):
        assert re.search(row, shown), row
    assert done.returncode == ("MISSED" in shown)
    assert done.stderr == ""
