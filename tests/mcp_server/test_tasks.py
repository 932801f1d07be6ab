from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim, advertise
from mcp.types import CallToolResult, Request, RequestParams, Result
from pydantic import ConfigDict, Field

from mcp_server.conftest import SUITE, Agent
from provider import Provider, calling
from serving import serving
from toolgauge.mcp_server.app import ServerOptions, make_server
from toolgauge.mcp_server.tasks import TASKS
from toolgauge.settings import Settings
from toolgauge.web.app import WebOptions, app_of

pytestmark = pytest.mark.anyio


class Task(Result):
    model_config = ConfigDict(extra="allow")

    result_type: Literal["task"] = Field(alias="resultType")
    task_id: str = Field(alias="taskId")
    status: str


class Answer(Result):
    model_config = ConfigDict(extra="allow")


async def asked(session: Any, method: str, task_id: str, **more: Any) -> dict[str, Any]:
    class Params(RequestParams):
        model_config = ConfigDict(extra="allow")

    params = Params.model_validate({"taskId": task_id} | more)
    answer = await session.send_request(Request(method=method, params=params), Answer)
    return answer.model_dump(by_alias=True)


class Polling(ClientExtension):
    """A client that polls a task until it is over."""

    identifier = TASKS

    def __init__(self) -> None:
        self.seen: list[Task] = []

    def claims(self) -> list[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Task, resolve=self.resolve)]

    async def resolve(self, task: Task, ctx: ClaimContext) -> CallToolResult:
        self.seen.append(task)
        with anyio.fail_after(30):
            while True:
                state = await asked(ctx.session, "tasks/get", task.task_id)
                if state["status"] != "working":
                    return CallToolResult.model_validate(state["result"])
                await anyio.lowlevel.checkpoint()


@asynccontextmanager
async def connected(options: ServerOptions, extension: Any = None) -> AsyncIterator[Agent]:
    extensions = [extension] if extension else []
    async with Client(make_server(options), extensions=extensions) as client:
        agent = Agent(client)
        await agent.call("save_suite", document=SUITE)
        yield agent


async def test_a_client_that_knows_tasks_gets_the_end_of_a_run(options: ServerOptions) -> None:
    polling = Polling()
    async with connected(options, polling) as agent:
        done = await agent.call("start_run", suite_id="weather", targets=["builtin/lexical"])
        dry = await agent.call(
            "start_run", suite_id="weather", targets=["builtin/lexical"], dry_run=True
        )
    assert done["status"] == "completed"
    assert done["summaries"][0]["passed"] == 2
    assert [task.task_id for task in polling.seen] == [done["run_id"]]
    assert polling.seen[0].status == "working"
    assert dry["run_id"] is None


async def test_a_client_that_does_not_know_tasks_gets_none_and_may_not_ask(
    options: ServerOptions,
) -> None:
    async with connected(options) as agent:
        run_id = await agent.finished_run()
        with pytest.raises(MCPError) as refused:
            await asked(agent.client.session, "tasks/get", run_id)
    assert refused.value.code == -32021
    assert refused.value.data["requiredCapabilities"] == {"extensions": {TASKS: {}}}


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
async def test_an_unknown_task_is_an_invalid_parameter(options, method: str) -> None:
    async with connected(options, Polling()) as agent:
        with pytest.raises(MCPError) as refused:
            await asked(agent.client.session, method, "zz", inputResponses={})
    assert refused.value.code == -32602


async def test_a_cancelled_task_says_so(options: ServerOptions) -> None:
    never = threading.Event()

    def answer(_: dict[str, Any]) -> tuple[int, Any]:
        never.wait(20)
        return calling("get_weather", city="Paris")

    with Provider(answer) as provider:
        settings = Settings({"OPENAI_API_BASE": provider.base, "OPENAI_API_KEY": "sk-test"})
        slow = ServerOptions(settings, options.database_url, is_durable=False)
        async with connected(slow, Polling()) as agent:
            task = await agent.client.session.call_tool(
                "start_run", {"suite_id": "weather", "targets": ["openai/x"]}, allow_claimed=True
            )
            working = await asked(agent.client.session, "tasks/get", task.task_id)
            acknowledged = await asked(agent.client.session, "tasks/cancel", task.task_id)
            cancelled = await asked(agent.client.session, "tasks/get", task.task_id)
            never.set()
    assert working["status"] == "working"
    assert working["pollIntervalMs"] > 0
    assert acknowledged["resultType"] == "complete"
    assert cancelled["status"] == "cancelled"


async def test_the_extension_is_advertised(options: ServerOptions) -> None:
    async with connected(options, advertise(TASKS)) as agent:
        assert agent.client.server_capabilities.extensions[TASKS] == {}


@pytest.mark.parametrize(("routed", "code"), [("b", -32020), ("a", -32602), (None, -32602)])
async def test_a_request_routed_as_one_for_another_task_is_refused(options, routed, code) -> None:
    version = "2026-07-28"
    envelope = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {TASKS: {}}},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "tasks/get"}
    headers = {
        "Accept": "application/json, text/event-stream",
        "Mcp-Method": "tasks/get",
        "Mcp-Protocol-Version": version,
    }
    headers |= {"Mcp-Name": routed} if routed else {}
    app = app_of(make_server(options), WebOptions("127.0.0.1", None))
    async with serving(app) as base, httpx2.AsyncClient(headers=headers) as http:
        message = body | {"params": {"taskId": "a", "_meta": envelope}}
        answer = await http.post(f"{base}/mcp", json=message)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code
