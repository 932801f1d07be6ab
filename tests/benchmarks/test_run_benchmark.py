"""The benchmark of runs measures real processes, judges them, and leaves none behind."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FIGURE = r"-?\d+\.\d+"


def test_every_part_prints_its_figures_and_a_verdict() -> None:
    sizes = ["--few", "5", "--many", "15", "--rounds", "1"]
    command = [sys.executable, str(BENCHMARKS / "run.py"), "--quick", *sizes]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)
    shown = done.stdout
    assert re.findall(r"^## (\w+)$", shown, re.MULTILINE) == ["wall", "slope", "memory", "core"]
    for row in (
        rf"\| 5 at 200 ms, c=100 \|( {FIGURE} \|){{5}}",
        rf"\| 5 x 3 at 50 ms, c=100 \| {FIGURE} \| {FIGURE} \| 1: (met|MISSED) \| {FIGURE} \|",
        rf"\| validate 15 cases \| {FIGURE} \|",
        rf"5 x 3 at 0 ms, c=50 against 5 at 0 ms, c=50: {FIGURE} MB apart, at most 20: ",
        r"\| run \| \d+ \| \d+ \|",
        r"\d+ trials/s, at least 600: (met|MISSED)",
    ):
        assert re.search(row, shown), row


def test_a_run_that_fails_is_not_measured() -> None:
    script = "import spent; spent.spend(['false'])"
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, cwd=BENCHMARKS, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr.startswith("false exited with 1")


def test_the_stub_server_answers_for_the_city_that_is_asked_and_stops_with_its_block() -> None:
    script = (
        "import stub_server\n"
        "with stub_server.serving(processes=1) as address:\n"
        "    print(address, flush=True)\n"
        "    input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=BENCHMARKS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        server = urlsplit(process.stdout.readline().strip()).netloc
        connection = HTTPConnection(server, timeout=10)
        connection.request("POST", "/0/chat/completions", body='{"content": "In City 17?"}')
        answer = json.load(connection.getresponse())
        connection.close()
        process.communicate("\n", timeout=20)
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    assert call["function"]["name"] == "get_weather"
    assert json.loads(call["function"]["arguments"]) == {"city": "City 17", "units": "celsius"}
    assert answer["usage"]["total_tokens"] == 420
    with pytest.raises(ConnectionRefusedError):
        HTTPConnection(server, timeout=10).connect()
