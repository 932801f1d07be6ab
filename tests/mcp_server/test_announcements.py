from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.types import ResourceUpdatedNotification, SubscribeRequestParams

from mcp_server.conftest import SUITE, Agent
from toolgauge.mcp_server.announcements import Announcer
from toolgauge.mcp_server.app import ServerOptions, make_server
from toolgauge.model import events
from toolgauge.model.trial import Trial, TrialKey

pytestmark = pytest.mark.anyio


async def started(agent: Agent) -> str:
    await agent.call("save_suite", document=SUITE)
    run = await agent.call("start_run", suite_id="weather", targets=["openai/test"])
    return run["run_id"]


async def test_a_modern_client_hears_that_a_run_ended(options: ServerOptions, held) -> None:
    settings, may_answer = held
    async with Client(
        make_server(ServerOptions(settings, options.database_url, is_durable=False))
    ) as client:
        agent = Agent(client)
        run_id = await started(agent)
        uri = f"toolgauge://runs/{run_id}"
        with anyio.fail_after(20):
            async with client.listen(resource_subscriptions=[uri]) as events:
                may_answer.set()
                event = await anext(aiter(events))
    assert event.uri == uri


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed:UserWarning")
async def test_an_older_client_hears_of_the_run_it_subscribed_to_alone(
    options: ServerOptions, held
) -> None:
    settings, may_answer = held
    heard: list[str] = []
    told = anyio.Event()

    async def on_message(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            heard.append(message.params.uri)
            told.set()

    server = make_server(ServerOptions(settings, options.database_url, is_durable=False))
    async with Client(server, mode="legacy", message_handler=on_message) as client:
        assert client.server_capabilities.resources.subscribe
        agent = Agent(client)
        run_id = await started(agent)
        await client.session.subscribe_resource(f"toolgauge://runs/{run_id}")
        may_answer.set()
        with anyio.fail_after(20):
            await told.wait()
        await agent.call("get_run", run_id=run_id, wait_s=20)
        await client.session.unsubscribe_resource(f"toolgauge://runs/{run_id}")
        await agent.finished_run()
    assert set(heard) == {f"toolgauge://runs/{run_id}"}


class Session:
    """A subscriber of old: keeps what it is told, or is gone."""

    def __init__(self, *, is_gone: bool = False) -> None:
        self.told: list[str] = []
        self._is_gone = is_gone

    async def send_resource_updated(self, uri: str) -> None:
        if self._is_gone:
            raise anyio.ClosedResourceError
        self.told.append(uri)


@dataclass
class Subscribing:
    session: Session


async def test_trials_are_told_at_most_twice_a_second_and_states_always() -> None:
    announcer, session = Announcer(), Session()
    params = SubscribeRequestParams(uri="toolgauge://runs/a")
    await announcer._subscribe(Subscribing(session), params)
    trial = Trial(TrialKey("paris", "openai/test", 0), None)
    await announcer.on_event(events.JobStarted("a"))
    for _ in range(50):
        await announcer.on_event(events.ToolEvalResult("a", trial))
    assert len(session.told) == 2
    await announcer.on_event(events.JobCompleted("a", "completed"))
    assert len(session.told) == 3


async def test_a_subscriber_that_is_gone_is_forgotten_and_harms_nobody() -> None:
    announcer, here = Announcer(), Session()
    params = SubscribeRequestParams(uri="toolgauge://runs/a")
    for session in (Session(is_gone=True), here):
        await announcer._subscribe(Subscribing(session), params)
    await announcer.on_event(events.JobStarted("a"))
    await announcer._unsubscribe(Subscribing(here), params)
    assert here.told == ["toolgauge://runs/a"]
    assert announcer._sessions == {}
