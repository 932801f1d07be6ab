from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_server.snapshot import snapshot
from toolgauge.errors import UsageError
from toolgauge.mcp_server.app import make_server

SNAPSHOT = Path(__file__).with_name("tools_list.json")
WRITERS = {
    "save_suite",
    "add_cases",
    "delete_suite",
    "import_suite",
    "import_tools",
    "start_run",
    "cancel_run",
    "delete_run",
    "rescore_run",
    "save_experiment",
    "pin_baseline",
    "run_best",
}


@pytest.mark.anyio
async def test_the_tools_are_the_reviewed_ones(connected) -> None:
    async with connected() as agent:
        listed = await agent.client.list_tools()
    assert snapshot(listed.tools) == json.loads(SNAPSHOT.read_text())


@pytest.mark.anyio
async def test_there_are_few_enough_tools_and_each_says_what_it_does(connected) -> None:
    async with connected() as agent:
        tools = (await agent.client.list_tools()).tools
    assert len(tools) <= 24
    for tool in tools:
        assert tool.description
        assert tool.title
        assert tool.output_schema
        assert tool.annotations.read_only_hint is (tool.name not in WRITERS)
        assert tool.annotations.destructive_hint or not tool.name.startswith("delete_")


@pytest.mark.anyio
async def test_read_only_hides_every_writer(connected) -> None:
    async with connected(read_only=True) as agent:
        names = {tool.name for tool in (await agent.client.list_tools()).tools}
        assert names
        assert not names & WRITERS
        assert "Unknown tool" in await agent.complaint("delete_run", run_id="x")


@pytest.mark.anyio
async def test_toolsets_narrow_what_is_listed(connected) -> None:
    async with connected(toolsets=("experiments", "scoring")) as agent:
        names = {tool.name for tool in (await agent.client.list_tools()).tools}
    assert names == {
        "list_experiments",
        "get_experiment",
        "save_experiment",
        "pin_baseline",
        "run_best",
        "score_calls",
        "list_models",
    }


def test_an_unknown_toolset_is_refused_with_the_known_ones(options) -> None:
    with pytest.raises(UsageError, match="no toolset 'flights'; there are: suites, runs"):
        make_server(type(options)(options.settings, toolsets=("flights",)))


def test_nothing_heavy_is_imported_before_the_first_tool() -> None:
    code = (
        "import sys; from toolgauge.mcp_server.app import ServerOptions, make_server;"
        "from toolgauge.settings import Settings; make_server(ServerOptions(Settings({})));"
        "print([m for m in ('litellm', 'sqlalchemy', 'sqlmodel', 'dbos') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
