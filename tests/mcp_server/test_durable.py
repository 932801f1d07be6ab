from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest
from mcp import Client

from mcp_server.conftest import SUITE, Agent
from provider import Provider, calling
from toolgauge.mcp_server.app import ServerOptions, make_server
from toolgauge.settings import Settings

pytestmark = pytest.mark.anyio


async def test_a_run_is_finished_by_the_next_server_and_asks_nothing_twice(options) -> None:
    first_server = threading.Event()

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        if "Thanks" in request["messages"][-1]["content"]:
            first_server.wait(20)
        return calling("get_weather", city="Paris")

    with Provider(answer) as provider:
        settings = Settings({"OPENAI_API_BASE": provider.base, "OPENAI_API_KEY": "sk-test"})
        durable = ServerOptions(settings, options.database_url)
        async with Client(make_server(durable)) as client:
            agent = Agent(client)
            await agent.call("save_suite", document=SUITE)
            asked = {"suite_id": "weather", "targets": ["openai/test"]}
            run_id = (await agent.call("start_run", **asked))["run_id"]
            with anyio.fail_after(30):
                while (await agent.call("list_results", run_id=run_id))["total"] < 1:
                    await anyio.lowlevel.checkpoint()
        first_server.set()
        async with Client(make_server(durable)) as client:
            agent = Agent(client)
            shown = await agent.call("get_run", run_id=run_id, wait_s=40)
    prompts = [request["messages"][-1]["content"] for request in provider.seen]
    assert shown["run"]["status"] == "completed"
    assert sum("Paris" in prompt for prompt in prompts) == 1


async def test_a_durable_run_is_cancelled(options) -> None:
    never = threading.Event()

    def answer(_: dict[str, Any]) -> tuple[int, Any]:
        never.wait(20)
        return calling("get_weather", city="Paris")

    with Provider(answer) as provider:
        settings = Settings({"OPENAI_API_BASE": provider.base, "OPENAI_API_KEY": "sk-test"})
        async with Client(make_server(ServerOptions(settings, options.database_url))) as client:
            agent = Agent(client)
            await agent.call("save_suite", document=SUITE)
            asked = {"suite_id": "weather", "targets": ["openai/test"]}
            run_id = (await agent.call("start_run", **asked))["run_id"]
            cancelled = await agent.call("cancel_run", run_id=run_id)
            never.set()
    assert cancelled["run"]["status"] == "cancelled"
