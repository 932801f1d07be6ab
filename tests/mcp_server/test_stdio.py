from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from mcp_server.conftest import SUITE, Agent

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


@pytest.mark.anyio
async def test_code_and_files_are_targets_only_where_that_is_allowed(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/toolgauge.db"
    code, file = (SUITE | {"targets": [one]} for one in ("python:os:system", "replay/x"))
    parameters = StdioServerParameters(command=sys.executable, args=["-c", START, database])
    async with Client(parameters) as client:
        agent = Agent(client)
        await agent.call("save_suite", document=SUITE)
        for target in ("python:os:system", "replay//etc/passwd"):
            refused = await agent.complaint("start_run", suite_id="weather", targets=[target])
            assert "not allowed here" in refused
        assert "must not name code" in await agent.complaint("save_suite", document=code)
        await agent.call("save_suite", document=file)
        assert "not allowed here" in await agent.complaint("start_run", suite_id="weather")
        assert (await agent.call("list_runs"))["total"] == 0
    allowing = START.replace("database=", "allow_commands=True, database=")
    parameters = StdioServerParameters(command=sys.executable, args=["-c", allowing, database])
    async with Client(parameters) as client:
        started = await Agent(client).call("start_run", suite_id="weather", dry_run=True)
    assert started["run_id"] is None


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
