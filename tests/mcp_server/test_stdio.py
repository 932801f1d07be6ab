from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from mcp_server.conftest import Agent

START = "import sys; from toolgauge.cli.mcp import mcp; sys.exit(mcp(database=sys.argv[1]))"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.mark.anyio
async def test_a_run_is_measured_over_stdio_in_both_eras(tmp_path: Path, era: str) -> None:
    database = f"sqlite:///{tmp_path}/toolgauge.db"
    parameters = StdioServerParameters(command=sys.executable, args=["-c", START, database])
    async with Client(parameters, mode=era) as client:
        agent = Agent(client)
        run_id = await agent.finished_run()
        shown = await agent.call("get_run", run_id=run_id)
    assert shown["run"]["passed"] == 2


def test_standard_output_carries_nothing_but_the_protocol(tmp_path: Path) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "get_run", "arguments": {"run_id": "zz"}},
    }
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    process = subprocess.Popen(
        [sys.executable, "-c", START, f"sqlite:///{tmp_path}/toolgauge.db"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        answers = []
        for message in (INITIALIZE, initialized, call):
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            if "id" in message:
                answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        rest = process.stdout.read()
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[0]["result"]["serverInfo"]["name"] == "toolgauge"
    assert "No run 'zz'" in answers[1]["result"]["content"][0]["text"]
    assert rest == ""
    assert process.returncode == 0
