from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from unittest.mock import ANY

import anyio
import pytest
from mcp import Client, MCPError
from mcp.client.extension import NotificationBinding
from mcp.types import (
    NotificationParams,
    Request,
    RequestParams,
    ResourceUpdatedNotification,
    Result,
    SubscriptionsAcknowledgedNotification,
)
from pydantic import ConfigDict

from mcp_server.conftest import SUITE, Agent
from mcp_server.test_tasks import Polling, asked
from toolgauge.mcp_server.app import ServerOptions, make_server
from toolgauge.mcp_server.tasks import TASKS
from toolgauge.settings import Settings

pytestmark = pytest.mark.anyio


class Params(NotificationParams):
    model_config = ConfigDict(extra="allow")


class Listening(Polling):
    """A client that listens to tasks, and keeps all it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[dict[str, Any]] = []
        self.resources: list[str] = []
        self.honored: dict[str, Any] | None = None
        self.told = anyio.Event()

    def notifications(self) -> list[NotificationBinding[Any]]:
        return [
            NotificationBinding(
                method="notifications/tasks", params_type=Params, handler=self.on_task
            )
        ]

    async def on_task(self, params: Params) -> None:
        self.tasks.append(params.model_dump(by_alias=True))
        self._tell()

    async def on_message(self, message: Any) -> None:
        if isinstance(message, SubscriptionsAcknowledgedNotification):
            told = message.params.notifications
            self.honored = told.model_dump(by_alias=True, exclude_none=True)
        if isinstance(message, ResourceUpdatedNotification):
            self.resources.append(message.params.uri)
        self._tell()

    async def until(self, task_status: str) -> dict[str, Any]:
        """Return the newest task as soon as it has a status."""
        with anyio.fail_after(20):
            while not self.tasks or self.tasks[-1]["status"] != task_status:
                await self.told.wait()
        return self.tasks[-1]

    def _tell(self) -> None:
        told, self.told = self.told, anyio.Event()
        told.set()


async def listen(client: Client, **wanted: Any) -> None:
    """Listen until cancelled."""

    class Wanted(RequestParams):
        model_config = ConfigDict(extra="allow")

    params = Wanted.model_validate({"notifications": wanted})
    await client.session.send_request(Request(method="subscriptions/listen", params=params), Result)


@asynccontextmanager
async def connected(
    options: ServerOptions, settings: Settings, listening: Listening | None = None
) -> AsyncIterator[Client]:
    server = make_server(ServerOptions(settings, options.database_url, is_durable=False))
    extensions, handler = ([listening], listening.on_message) if listening else ([], None)
    async with Client(server, extensions=extensions, message_handler=handler) as client:
        await Agent(client).call("save_suite", document=SUITE)
        yield client


async def begun(client: Client) -> str:
    """Return the id of a task that waits for its provider."""
    arguments = {"suite_id": "weather", "targets": ["openai/test"]}
    task = await client.session.call_tool("start_run", arguments, allow_claimed=True)
    return task.task_id


async def test_a_listener_is_told_how_its_task_goes_and_what_it_came_to(options, held) -> None:
    settings, may_answer = held
    listening = Listening()
    async with connected(options, settings, listening) as client, anyio.create_task_group() as both:
        task_id = await begun(client)
        both.start_soon(partial(listen, client, taskIds=[task_id, "nobodys"]))
        first = await listening.until("working")
        may_answer.set()
        last = await listening.until("completed")
        answered = await asked(client.session, "tasks/get", task_id)
        both.cancel_scope.cancel()
    assert listening.honored == {"taskIds": [task_id]}
    assert listening.resources == []
    assert first["_meta"] == last["_meta"] == {"io.modelcontextprotocol/subscriptionId": ANY}
    told = {key: value for key, value in last.items() if key != "_meta"}
    assert told == {k: v for k, v in answered.items() if k not in ("_meta", "resultType")}
    assert told["result"]["structuredContent"]["status"] == "completed"


async def test_a_listener_hears_of_a_task_that_was_over_before(options) -> None:
    listening = Listening()
    async with (
        connected(options, options.settings, listening) as client,
        anyio.create_task_group() as both,
    ):
        run_id = await Agent(client).finished_run()
        both.start_soon(partial(listen, client, taskIds=[run_id]))
        await listening.until("completed")
        both.cancel_scope.cancel()


async def test_a_run_can_be_listened_to_as_task_and_as_resource(options, held) -> None:
    settings, may_answer = held
    listening = Listening()
    async with connected(options, settings, listening) as client, anyio.create_task_group() as both:
        task_id = await begun(client)
        uris = [f"toolgauge://runs/{task_id}"]
        both.start_soon(partial(listen, client, taskIds=[task_id], resourceSubscriptions=uris))
        await listening.until("working")
        may_answer.set()
        await listening.until("completed")
        both.cancel_scope.cancel()
    assert listening.honored == {"taskIds": [task_id], "resourceSubscriptions": uris}
    assert set(listening.resources) == set(uris)


async def test_a_client_that_does_not_know_tasks_may_not_listen_to_them(options) -> None:
    async with connected(options, options.settings) as client:
        with pytest.raises(MCPError) as refused:
            await listen(client, taskIds=["a"])
    assert refused.value.code == -32021
    assert refused.value.data["requiredCapabilities"] == {"extensions": {TASKS: {}}}


@pytest.mark.parametrize("wrong", ["a", [1], {"a": 1}])
async def test_task_ids_that_are_no_list_of_ids_are_refused(options, wrong) -> None:
    async with connected(options, options.settings, Listening()) as client:
        with pytest.raises(MCPError) as refused:
            await listen(client, taskIds=wrong)
    assert refused.value.code == -32602
