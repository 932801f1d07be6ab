from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

START = "import sys; from toolgauge.cli.serve import serve; sys.exit(serve(port=0))"
TOKEN = "a" * 20


@pytest.fixture
def served(environment: dict[str, str], tmp_path: Path):
    """Start the server as a user would, and give its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", START],
        env=environment | {"TOOLGAUGE_TOKENS": f"ann:{TOKEN}"},
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        told = process.stderr.readline()
        yield told.split()[-1]
        process.terminate()
        process.stderr.read()


def test_the_server_tells_where_it_is_and_asks_for_a_token(served: str) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    health = httpx2.get(served.replace("/mcp", "/healthz"))
    refused = httpx2.post(served, json=ping)
    assert health.json()["status"] == "ok"
    assert refused.status_code == 401


def test_without_tokens_it_does_not_start(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", START],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0
    assert "set TOOLGAUGE_TOKENS=name:token" in done.stderr
