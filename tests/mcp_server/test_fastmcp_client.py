"""FastMCP's client, a second one as users have, over stdio and over HTTP with a token."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp import MCPError
from starlette.applications import Starlette

from mcp_server.conftest import SUITE
from provider import Provider, calling
from serving import serving
from toolgauge.mcp_server.app import ServerOptions
from toolgauge.settings import Settings
from toolgauge.web.app import WebOptions, make_app
from toolgauge.web.auth import read_tokens

pytestmark = pytest.mark.anyio
TOKEN = "a" * 20
TARGET = "openai/test"


@asynccontextmanager
async def over_stdio(folder: Path, keys: dict[str, str]) -> AsyncIterator[Client]:
    environment = {"TOOLGAUGE_DATABASE_URL": f"sqlite:///{folder}/toolgauge.db", **keys}
    arguments = ["-m", "toolgauge", "mcp"]
    transport = StdioTransport(
        sys.executable, arguments, env=environment, cwd=str(folder), keep_alive=False
    )
    async with Client(transport) as client:
        yield client


@asynccontextmanager
async def over_http(folder: Path, keys: dict[str, str]) -> AsyncIterator[Client]:
    async with (
        serving(app(folder, keys)) as base,
        Client(StreamableHttpTransport(f"{base}/mcp", auth=TOKEN)) as client,
    ):
        yield client


def app(folder: Path, keys: dict[str, str]) -> Starlette:
    options = ServerOptions(Settings(keys), f"sqlite:///{folder}/toolgauge.db", is_durable=False)
    return make_app(options, WebOptions("127.0.0.1", read_tokens(f"ann:{TOKEN}")))


WAYS = {"stdio": over_stdio, "http": over_http}


@pytest.fixture(params=WAYS)
def connected(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Connect FastMCP's client to a server of its own."""

    def connect(keys: dict[str, str] | None = None) -> AbstractAsyncContextManager[Client]:
        return WAYS[request.param](tmp_path, keys or {})

    return connect


async def test_a_run_is_started_and_awaited_with_progress_and_typed_results(connected) -> None:
    may_end = threading.Event()

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        if "Thanks" in request["messages"][-1]["content"]:
            may_end.wait(20)
        return calling("get_weather", city="Paris")

    told: list[tuple[float, float | None]] = []

    async def on_progress(progress: float, total: float | None, _message: str | None) -> None:
        told.append((progress, total))
        if progress >= 1:
            may_end.set()

    with Provider(answer) as provider:
        keys = {"OPENAI_API_BASE": provider.base, "OPENAI_API_KEY": "sk-test"}
        async with connected(keys) as client:
            saved = (await client.call_tool("save_suite", {"document": SUITE})).data
            asked = {"suite_id": saved.suite_id, "targets": [TARGET]}
            started = (await client.call_tool("start_run", asked)).data
            waiting = {"run_id": started.run_id, "wait_s": 30}
            shown = await client.call_tool("get_run", waiting, progress_handler=on_progress)
            may_end.set()
    run = shown.data
    assert (saved.version, saved.cases.added) == (1, ["paris", "thanks"])
    assert (run.run.status, run.run.passed, run.run.failed) == ("completed", 1, 1)
    assert isinstance(run.run.started_at, datetime)
    assert run.summaries[0].pass_rate == 0.5
    assert run.failing[0].case_id == "thanks"
    assert told == sorted(set(told))
    assert {total for _, total in told} == {2}


async def test_tools_resources_prompts_and_errors_reach_it(connected) -> None:
    async with connected() as client:
        names = {tool.name for tool in await client.list_tools()}
        none = (await client.call_tool("list_suites")).data
        await client.call_tool("save_suite", {"document": SUITE})
        listed = (await client.call_tool("list_suites")).data
        contents = await client.read_resource("toolgauge://suites/weather")
        prompt = await client.get_prompt("write_suite", {"suite_id": "weather"})
        wrong = await client.call_tool("get_run", {"run_id": "zz"}, raise_on_error=False)
    assert {"save_suite", "start_run", "get_run"} <= names
    assert none.items == []
    assert [(one.suite_id, one.n_cases) for one in listed.items] == [("weather", 2)]
    assert json.loads(contents[0].text) == SUITE
    assert "get_weather" in prompt.messages[0].content.text
    assert wrong.is_error
    assert "No run 'zz'. There is no run yet. Call list_runs." in wrong.content[0].text


async def test_a_wrong_token_is_refused(tmp_path: Path) -> None:
    async with serving(app(tmp_path, {})) as base:
        client = Client(StreamableHttpTransport(f"{base}/mcp", auth="b" * 20))
        with pytest.raises(MCPError):
            await client.__aenter__()
