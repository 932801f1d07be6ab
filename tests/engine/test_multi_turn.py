from __future__ import annotations

import json

import pytest

from builders import FakeGateway, called, reply, said, suite
from toolgauge.engine.multi_turn import ConversationLost, converse
from toolgauge.engine.single_turn import Conversation, first_request
from toolgauge.errors import GatewayError
from toolgauge.gateway.gateway import Reply
from toolgauge.model.case import Case
from toolgauge.model.run import RunOptions
from toolgauge.model.target import Target

pytestmark = pytest.mark.anyio

BOOKING = {
    "id": "book",
    "prompt": "Book me a flight",
    "multi_turn": True,
    "expected_tool": "book",
    "mock_responses": {
        "search": {
            "when": [{"params": {"to": "LON"}, "return": {"flights": ["FL1"]}}],
            "default": {"flights": []},
        }
    },
}


async def talk(case: Case, gateway: FakeGateway) -> Conversation:
    made = suite()
    request = first_request(made, case, Target("t", "openai/t"), RunOptions(), repeat=0)
    return await converse(case, request, gateway.complete)


def script(*messages: dict) -> FakeGateway:
    return FakeGateway(lambda request: reply(messages[request.turn]))


async def test_the_loop_answers_calls_with_mocks_until_the_expected_tool_is_called() -> None:
    gateway = script(called("search", to="LON"), called("Book", "call_2", flight="FL1"), said("no"))
    done = await talk(suite(BOOKING).cases[0], gateway)
    assert len(gateway.requests) == 2
    assert [m["role"] for m in done.messages] == ["assistant", "tool", "assistant"]
    assert json.loads(done.messages[1]["content"]) == {"flights": ["FL1"]}
    assert gateway.requests[1].messages[-1] == done.messages[1]


async def test_the_first_request_is_required_and_the_later_ones_are_auto() -> None:
    gateway = script(called("search"), called("search"), said("done"))
    await talk(suite(BOOKING).cases[0], gateway)
    assert [r.tool_choice for r in gateway.requests] == ["required", "auto", "auto"]


async def test_a_choice_that_the_case_states_holds_throughout() -> None:
    gateway = script(called("search"), said("done"))
    await talk(suite(BOOKING | {"tool_choice": "required"}).cases[0], gateway)
    assert [r.tool_choice for r in gateway.requests] == ["required", "required"]


async def test_the_loop_ends_after_max_rounds_requests() -> None:
    gateway = FakeGateway(lambda _: reply(called("search")))
    done = await talk(suite(BOOKING | {"max_rounds": 3}).cases[0], gateway)
    assert len(gateway.requests) == 3
    assert done.messages[-1]["role"] == "assistant"


async def test_parallel_calls_of_one_turn_are_all_answered() -> None:
    both = called("search", to="LON")
    both["tool_calls"].append(called("search", "call_2", to="NYC")["tool_calls"][0])
    gateway = script(both, said("done"))
    done = await talk(suite(BOOKING).cases[0], gateway)
    answers = [m for m in done.messages if m["role"] == "tool"]
    assert [a["tool_call_id"] for a in answers] == ["call_1", "call_2"]
    assert [json.loads(a["content"])["flights"] for a in answers] == [["FL1"], []]


async def test_missing_ids_are_made_up_and_dict_arguments_are_sent_back_as_text() -> None:
    loose = {"role": "assistant", "tool_calls": [{"function": {"name": "search", "arguments": {}}}]}
    gateway = script(loose, said("done"))
    await talk(suite(BOOKING).cases[0], gateway)
    echo, answer = gateway.requests[1].messages[-2:]
    assert echo["tool_calls"][0]["function"]["arguments"] == "{}"
    assert echo["tool_calls"][0]["id"] == answer["tool_call_id"] != ""


async def test_calls_that_were_read_from_text_are_answered_as_text() -> None:
    text = said('<tool_call>{"name": "search", "arguments": {"to": "LON"}}</tool_call>')
    gateway = script(text, said("done"))
    done = await talk(suite(BOOKING).cases[0], gateway)
    assert done.messages[1] == {
        "role": "user",
        "content": '<tool_response>{"flights": ["FL1"]}</tool_response>',
    }


async def test_expected_calls_go_on_until_the_model_calls_nothing() -> None:
    case = suite(
        {"id": "a", "prompt": "p", "expected_calls": [{"tool": "search"}, {"tool": "book"}]}
    ).cases[0]
    gateway = script(called("search"), called("book"), said("done"))
    await talk(case, gateway)
    assert len(gateway.requests) == 3


@pytest.mark.parametrize(
    "fields",
    [{"expected_tool": "get_weather"}, {"expected_calls": [{"tool": "x"}], "match": "bfcl"}],
)
async def test_a_single_turn_case_is_one_request(fields: dict) -> None:
    gateway = script(called("get_weather"))
    await talk(suite({"id": "a", "prompt": "p"} | fields).cases[0], gateway)
    assert len(gateway.requests) == 1


async def test_a_whole_reply_is_the_conversation_whatever_it_ends_with() -> None:
    whole = Reply((called("search"), said("and so on"), called("search")), is_whole=True)
    gateway = FakeGateway(lambda _: whole)
    assert (await talk(suite(BOOKING).cases[0], gateway)).messages == whole.messages


async def test_what_was_had_before_a_failure_is_kept() -> None:
    gateway = FakeGateway(
        lambda r: GatewayError("server", "gone") if r.turn else reply(called("search"))
    )
    with pytest.raises(ConversationLost) as lost:
        await talk(suite(BOOKING).cases[0], gateway)
    assert [m["role"] for m in lost.value.so_far.messages] == ["assistant", "tool"]


async def test_tokens_and_time_add_up_and_unknown_stays_unknown() -> None:
    gateway = script(called("search"), said("done"))
    done = await talk(suite(BOOKING).cases[0], gateway)
    assert (done.usage.input_tokens, done.usage.cost_usd, done.latency_ms) == (20, None, 2.0)
