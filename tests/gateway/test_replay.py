from __future__ import annotations

import pytest

from toolgauge.errors import GatewayError
from toolgauge.gateway.gateway import Gateway, Request
from toolgauge.gateway.replay import Recorded, ReplayGateway
from toolgauge.model.target import Target
from toolgauge.model.trial import Usage

pytestmark = pytest.mark.anyio
ANSWER = {"role": "assistant", "content": "Sunny."}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "{}"}


def ask(case_id: str = "paris", repeat: int = 0, turn: int = 0) -> Request:
    target = Target(name="recorded", model="replay/answers.jsonl")
    question = {"role": "user", "content": "?"}
    return Request(target, (question,), (), "auto", case_id=case_id, repeat=repeat, turn=turn)


def gateway_of(recorded: Recorded) -> Gateway:
    return ReplayGateway({("paris", 0): recorded})


async def test_the_first_request_gets_the_whole_recorded_conversation() -> None:
    usage = Usage(103, 21, 0.00012)
    gateway = gateway_of(Recorded((CALL, RESULT, ANSWER), usage, 812.0))
    reply = await gateway.complete(ask())
    assert reply.messages == (CALL, RESULT, ANSWER)
    assert (reply.usage, reply.latency_ms, reply.tool_choice_sent) == (usage, 812.0, None)


async def test_a_recording_comes_whole_so_that_nothing_more_is_asked_of_it() -> None:
    reply = await gateway_of(Recorded((CALL,))).complete(ask())
    assert reply.is_whole


@pytest.mark.parametrize(("case_id", "repeat"), [("rome", 0), ("paris", 1)])
async def test_what_was_not_recorded_is_an_error_that_names_it(case_id: str, repeat: int) -> None:
    gateway = gateway_of(Recorded((ANSWER,)))
    with pytest.raises(GatewayError, match=f"'{case_id}', repeat {repeat}") as raised:
        await gateway.complete(ask(case_id, repeat))
    assert raised.value.fault == "not_found"
    assert not raised.value.is_retryable


async def test_a_recorded_failure_fails_again() -> None:
    gateway = gateway_of(Recorded(error="the provider said 500"))
    with pytest.raises(GatewayError, match="the provider said 500") as raised:
        await gateway.complete(ask())
    assert raised.value.fault == "other"


async def test_a_recording_without_messages_is_an_answer() -> None:
    assert (await gateway_of(Recorded()).complete(ask())).messages == ()


async def test_a_recording_has_no_embeddings() -> None:
    gateway = gateway_of(Recorded())
    with pytest.raises(GatewayError, match="no embeddings") as raised:
        await gateway.embed("openai/text-embedding-3-small", ("a",))
    assert raised.value.fault == "setup"
    await gateway.aclose()
