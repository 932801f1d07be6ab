"""The whole way of an agent over HTTP: from a live server's tools to a pinned baseline."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from mcp_server.conftest import Agent
from serving import serving
from toolgauge.mcp_server.app import ServerOptions
from toolgauge.mcp_server.sizes import MOST_CHARACTERS
from toolgauge.settings import Settings
from toolgauge.web.app import WebOptions, make_app
from toolgauge.web.auth import read_tokens

pytestmark = pytest.mark.anyio
TOKEN = "a" * 20
PROGRAM = Path(__file__).parents[1] / "formats" / "mcp_server_program.py"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
PLACES = ("Paris", "Rome", "Oslo", "Lima", "Bern")
LEXICAL = "builtin/lexical"


class Watched(Agent):
    """An agent whose every result is short enough for a model."""

    async def ask(self, tool: str, **arguments: Any) -> CallToolResult:
        result = await super().ask(tool, **arguments)
        assert sum(len(getattr(part, "text", "")) for part in result.content) <= MOST_CHARACTERS
        return result

    async def over(self, started: dict[str, Any]) -> dict[str, Any]:
        """Return a run that was started, once it is over."""
        return await self.call("get_run", run_id=started["run_id"], wait_s=30)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder whose project file names an MCP server with many wordy tools."""
    names = ["get_weather", *(f"set_alarm_{n}" for n in range(60))]
    tools = [
        {"name": name, "description": f"{name.replace('_', ' ')} " * 60, "inputSchema": CITY}
        for name in names
    ]
    (tmp_path / "pages.json").write_text(json.dumps([{"tools": tools}]))
    server = {"command": sys.executable, "args": [str(PROGRAM), "pages.json"]}
    (tmp_path / ".toolgauge.yml").write_text(yaml.safe_dump({"mcp_servers": {"desk": server}}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@asynccontextmanager
async def asking(folder: Path, era: str) -> AsyncIterator[Watched]:
    options = ServerOptions(Settings({}), f"sqlite:///{folder}/toolgauge.db", is_durable=False)
    app = make_app(options, WebOptions("127.0.0.1", read_tokens(f"ann:{TOKEN}")))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with serving(app) as base, httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{base}/mcp", http_client=http)
        async with Client(transport, mode=era) as client:
            yield Watched(client)


def case(place: str, expected: str) -> dict[str, Any]:
    return {
        "id": place.lower(),
        "prompt": f"Get weather for the city {place}",
        "expected_tool": "get_weather",
        "expected_params": {"city": expected},
    }


async def test_an_agent_measures_a_servers_tools_and_keeps_a_baseline(
    project: Path, era: str
) -> None:
    thanks = {"id": "thanks", "prompt": "Thanks!", "expected_tool": None}
    suite = {"name": "desk", "tools": [{"mcp": "desk"}], "test_cases": [thanks]}
    configuration = {"suite_id": "desk", "targets": [LEXICAL], "experiment_id": "prompts"}
    async with asking(project, era) as agent:
        assert (await agent.call("validate_suite", document=suite))["valid"]
        await agent.call("save_suite", document=suite)
        imported = await agent.call("import_tools", server="desk", into_suite="desk", detail="full")
        added = await agent.call(
            "add_cases", suite_id="desk", cases=[case(one, one) for one in PLACES]
        )
        await agent.call("add_cases", suite_id="desk", cases=[case("Kyiv", "Kiev")])
        shown = await agent.call("get_suite", suite_id="desk", detail="full")
        await agent.call("import_tools", server="desk", into_suite="drafts", draft_cases=True)
        drafts = await agent.call("get_suite", suite_id="drafts")

        first = await agent.over(await agent.call("start_run", **configuration))
        run_id = first["run"]["run_id"]
        failed = await agent.call("list_results", run_id=run_id, outcome="failed")
        wrong = failed["items"][0]["case_id"]
        trial = await agent.call("get_result", run_id=run_id, case_id=wrong, detail="full")

        second = await agent.over(await agent.call("start_run", **configuration))
        newer = second["run"]["run_id"]
        compared = await agent.call("compare_runs", baseline="prompts", candidate=newer)
        pinned = await agent.call("pin_baseline", experiment_id="prompts", run_id=newer)
        best = await agent.over(await agent.call("run_best", experiment_id="prompts"))
        timeline = await agent.call("get_experiment", experiment_id="prompts")

    assert (imported["total"], imported["saved"]["version"]) == (61, 2)
    assert imported["clipped"]
    assert added["cases"]["added"] == [place.lower() for place in PLACES]
    assert (shown["total"], drafts["total"]) == (7, 61)
    assert first["run"]["passed"] == 6
    assert [one["case_id"] for one in failed["items"]] == ["kyiv"]
    assert trial["difference"] == ['- get_weather(city="Kiev")', '+ get_weather(city="Kyiv")']
    assert compared["verdict"] == "pass"
    assert pinned["experiment"]["baseline_run_id"] == newer
    assert best["run"]["status"] == "completed"
    assert [one["run_id"] for one in timeline["timeline"]] == [
        best["run"]["run_id"],
        newer,
        run_id,
    ]
    assert [one["is_baseline"] for one in timeline["timeline"]] == [False, True, False]
