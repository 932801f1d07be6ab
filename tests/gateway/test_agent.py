from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from builders import WEATHER_TOOL, FakeGateway, Kept, called, said, suite
from toolgauge.engine.plan import Plan
from toolgauge.engine.runner import run_plan
from toolgauge.errors import GatewayError
from toolgauge.gateway.agent import AgentGateway, load_agent, produced_after
from toolgauge.gateway.gateway import Reply, Request
from toolgauge.model.run import RunOptions
from toolgauge.model.target import Target
from toolgauge.model.trial import Usage

AGENTS = Path(__file__).parents[1] / "agents"
ASKED = {"role": "user", "content": "Weather in Paris?"}
PROMPT = ({"role": "system", "content": "Be brief."}, ASKED)
CALL = called("get_weather", city="Paris")


@pytest.fixture(autouse=True)
def _same_path(monkeypatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


def request(*messages: dict[str, Any]) -> Request:
    target = Target("agent", "python:agents:agent")
    return Request(target, messages or PROMPT, (WEATHER_TOOL,), "auto")


async def reply_of(agent: Any) -> Reply:
    return await AgentGateway(agent, "python:x:agent").complete(request())


async def fault_of(agent: Any) -> GatewayError:
    with pytest.raises(GatewayError) as failed:
        await reply_of(agent)
    return failed.value


@pytest.mark.anyio
@pytest.mark.parametrize("callable_name", ["ask", "ask_synchronously"])
async def test_a_langgraph_agent_is_asked_and_its_trajectory_scored(callable_name: str) -> None:
    model = f"python:langgraph_weather:{callable_name}"
    case = {
        "id": "paris",
        "prompt": "Weather in Paris?",
        "expected_calls": [
            {"tool": "find_city", "params": {"name": "Paris"}},
            {"tool": "get_weather", "params": {"city": "Paris"}},
        ],
    }
    kept = Kept()
    await run_plan(
        Plan(suite(case, system_prompt="Be brief."), (Target("agent", model),), RunOptions()),
        kept.parts(load_agent(model, [AGENTS])),
        job_id="job",
    )
    (trial,) = kept.trials
    assert trial.error is None
    assert [(call.name, call.arguments) for call in trial.calls] == [
        ("find_city", {"name": "Paris"}),
        ("get_weather", {"city": "Paris"}),
    ]
    assert trial.calls[0].result == {"city": "Paris", "country": "France"}
    assert trial.passed
    assert [message["role"] for message in trial.messages] == [
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    assert (trial.usage.input_tokens, trial.usage.output_tokens) == (50, 17)


@pytest.mark.anyio
async def test_everything_an_agent_produced_is_the_whole_reply() -> None:
    ticks = iter([1.0, 1.25])

    async def agent(_messages: Any, _tools: Any) -> Any:
        return [CALL, said("Blue.")]

    gateway = AgentGateway(agent, "agent", clock=lambda: next(ticks))
    reply = await gateway.complete(request())
    assert reply == Reply((CALL, said("Blue.")), latency_ms=250.0, is_whole=True)
    assert reply.usage == Usage()


@pytest.mark.anyio
async def test_an_agent_may_change_what_it_was_given() -> None:
    asked = request()

    def agent(messages: Any, tools: Any) -> Any:
        messages[-1]["content"] = "changed"
        tools[0]["function"]["parameters"].clear()
        return []

    await AgentGateway(agent, "agent").complete(asked)
    assert asked == request()
    assert WEATHER_TOOL["function"]["parameters"]


@pytest.mark.anyio
async def test_a_callable_object_and_one_that_returns_an_awaitable_will_do() -> None:
    class Agent:
        async def __call__(self, _messages: Any, _tools: Any) -> Any:
            return [said("called")]

    assert (await reply_of(Agent())).messages == (said("called"),)

    def later(messages: Any, tools: Any) -> Any:
        return Agent()(messages, tools)

    assert (await reply_of(later)).messages == (said("called"),)


@pytest.mark.parametrize(
    "returned",
    [
        [CALL],
        [*PROMPT, CALL],
        [ASKED, CALL],
        [{"role": "system", "content": "My own."}, ASKED, CALL],
        [ASKED | {"content": [{"type": "text", "text": ASKED["content"]}]}, CALL],
    ],
    ids=["new ones", "all", "without system prompt", "own system prompt", "content parts"],
)
def test_the_prompt_is_taken_off_where_it_was_handed_back(returned: Any) -> None:
    assert produced_after(PROMPT, returned) == (CALL,)


def test_what_only_resembles_the_prompt_stays() -> None:
    other = {"role": "user", "content": "Weather in Rome?"}
    assert produced_after(PROMPT, [other, CALL]) == (other, CALL)
    assert produced_after(PROMPT, []) == ()
    assert produced_after(PROMPT, PROMPT) == ()
    assert produced_after((*PROMPT, CALL, ASKED), [ASKED]) == (ASKED,)


def failing(error: BaseException) -> Any:
    async def agent(_messages: Any, _tools: Any) -> Any:
        raise error

    return agent


class TooManyRequests(Exception):
    status_code = 429


class WrongKey(Exception):
    status_code = 401


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (ValueError("no city"), "other"),
        (TimeoutError(), "other"),
        (SystemExit(3), "other"),
        (WrongKey("no"), "other"),
        (TooManyRequests("slow down"), "rate_limit"),
    ],
)
async def test_an_agent_that_fails_is_an_error_of_its_trial(
    error: BaseException, fault: str
) -> None:
    failed = await fault_of(failing(error))
    assert failed.fault == fault
    assert type(error).__name__ in str(failed)

    def synchronous(_messages: Any, _tools: Any) -> Any:
        raise error

    assert (await fault_of(synchronous)).fault == fault


@pytest.mark.anyio
async def test_the_message_is_one_line_without_keys_and_the_log_has_the_traceback(caplog) -> None:
    caplog.set_level(logging.INFO)
    error = ValueError("wrong\nkey sk-abcdefghijkl at https://me:hunter2@host/v1 " + "x" * 999)
    failed = str(await fault_of(failing(error)))
    assert "sk-abc" not in failed
    assert "hunter2" not in failed
    assert "\n" not in failed
    assert len(failed) < 600
    assert caplog.records[0].exc_info is not None


@pytest.mark.anyio
@pytest.mark.parametrize("given", [None, "text", 7, [7], {"answer": []}])
async def test_what_is_no_list_of_messages_is_an_error_of_the_setup(given: Any) -> None:
    failed = await fault_of(lambda _messages, _tools: given)
    assert failed.fault == "setup"
    assert "an agent returns a list of messages" in str(failed)


@pytest.mark.anyio
async def test_an_agent_that_hangs_in_its_thread_holds_nothing_up() -> None:
    started, release = threading.Event(), threading.Event()
    threads: list[threading.Thread] = []

    def hanging(_messages: Any, _tools: Any) -> Any:
        threads.append(threading.current_thread())
        started.set()
        release.wait()
        return []

    with anyio.move_on_after(0.2) as scope:
        await reply_of(hanging)
    assert scope.cancelled_caught
    assert started.is_set()
    assert threads[0].daemon
    release.set()
    await anyio.to_thread.run_sync(threads[0].join, 5)
    assert not threads[0].is_alive()


@pytest.mark.anyio
async def test_a_deadline_ends_the_trial_of_an_agent_that_hangs() -> None:
    release = threading.Event()

    def hanging(_messages: Any, _tools: Any) -> Any:
        release.wait()
        return []

    kept = Kept()
    options = RunOptions(attempts=1, attempt_timeout_s=0.1)
    target = Target("agent", "python:x:hanging")
    try:
        await run_plan(
            Plan(suite(), (target,), options),
            kept.parts(AgentGateway(hanging, target.model)),
            job_id="job",
        )
    finally:
        release.set()
    (trial,) = kept.trials
    assert trial.error is not None
    assert trial.error.kind == "timeout"


@pytest.mark.parametrize("name", ["no_such_module:f", "plain_agents:nothing", "plain_agents"])
def test_a_target_that_cannot_be_imported_says_so_at_once(name: str) -> None:
    with pytest.raises(GatewayError, match=f"python:{name}") as failed:
        load_agent(f"python:{name}", [AGENTS])
    assert failed.value.fault == "setup"


@pytest.mark.anyio
async def test_an_agent_makes_no_embeddings() -> None:
    gateway = AgentGateway(FakeGateway, "agent")
    with pytest.raises(GatewayError, match="embeds no texts"):
        await gateway.embed("m", ("a",))
    await gateway.aclose()
