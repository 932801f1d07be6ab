from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult

from builders import WEATHER_TOOL
from provider import Provider, calling
from toolgauge.mcp_server.app import ServerOptions, make_server
from toolgauge.service.permissions import Permissions
from toolgauge.settings import Settings

SUITE = {
    "name": "weather",
    "tools": [WEATHER_TOOL],
    "test_cases": [
        {
            "id": "paris",
            "prompt": "What's the weather in Paris?",
            "expected_tool": "get_weather",
            "expected_params": {"city": "Paris"},
        },
        {"id": "thanks", "prompt": "Thanks!", "expected_tool": None},
    ],
}


class Agent:
    """A client that calls tools and reads what comes back."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self.ask(tool, **arguments)
        assert not result.is_error, result.content
        assert json.loads(result.content[0].text) == result.structured_content
        return result.structured_content

    async def complaint(self, tool: str, **arguments: Any) -> str:
        result = await self.ask(tool, **arguments)
        assert result.is_error
        return result.content[0].text

    async def ask(self, tool: str, **arguments: Any) -> CallToolResult:
        return await self.client.call_tool(tool, arguments)

    async def finished_run(self, **arguments: Any) -> str:
        """Return the id of a run of the weather suite by the built-in target, finished."""
        await self.call("save_suite", document=SUITE)
        asked = {"suite_id": "weather", "targets": ["builtin/lexical"]} | arguments
        started = await self.call("start_run", **asked)
        run = await self.call("get_run", run_id=started["run_id"], wait_s=30)
        assert run["run"]["status"] == "completed"
        return started["run_id"]


Connected = Callable[..., AbstractAsyncContextManager[Agent]]


@pytest.fixture(params=["legacy", "auto"])
def era(request: pytest.FixtureRequest) -> str:
    """Speak both eras of the protocol."""
    return request.param


@pytest.fixture
def options(tmp_path: Path) -> ServerOptions:
    """Give a server a database of its own, and no keys."""
    url = f"sqlite:///{tmp_path}/toolgauge.db"
    allowed = Permissions(folders=(tmp_path,))
    return ServerOptions(Settings({}), url, permissions=allowed, is_durable=False)


@pytest.fixture
def connected(options: ServerOptions, era: str) -> Connected:
    """Connect an agent to a server in memory, in the era of the test."""

    @asynccontextmanager
    async def connect(**changes: Any):
        server = make_server(replace(options, **changes))
        async with Client(server, mode=era) as client:
            yield Agent(client)

    return connect


@pytest.fixture
def held():
    """Give settings with a provider that answers only once it may."""
    may_answer = threading.Event()

    def answer(_: dict[str, Any]) -> tuple[int, Any]:
        may_answer.wait(20)
        return calling("get_weather", city="Paris")

    with Provider(answer) as provider:
        settings = Settings({"OPENAI_API_BASE": provider.base, "OPENAI_API_KEY": "sk-test"})
        yield settings, may_answer
        may_answer.set()
