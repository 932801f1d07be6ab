from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import pytest

from toolgauge.errors import GatewayError
from toolgauge.gateway.gateway import Gateway, Reply, Request
from toolgauge.gateway.lexical import LexicalGateway
from toolgauge.model.target import Target
from toolgauge.model.tools import Message
from toolgauge.model.trial import ToolChoice, Usage

pytestmark = pytest.mark.anyio
TARGET = Target(name="floor", model="builtin/lexical")
STRING = {"type": "string"}


def tool(
    name: str, description: str, required: Sequence[str] = (), **properties: Any
) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


WEATHER = tool(
    "get_weather",
    "Get current weather for a city",
    ["city"],
    city={"type": "string", "description": "City name"},
    units={"type": "string", "enum": ["celsius", "fahrenheit"]},
)
SEARCH = tool("search_web", "Search the web", ["query"], query=STRING)
TIMER = tool("set_timer", "Set a countdown timer", ["minutes"], minutes={"type": "integer"})
FLIGHTS = (
    tool(
        "search_flights",
        "Search for flights",
        ["origin", "destination"],
        origin=STRING,
        destination=STRING,
        date=STRING,
    ),
    tool("get_availability", "Check the seats of a flight", ["flight_id"], flight_id=STRING),
    tool("book_flight", "Book a flight", ["flight_id"], flight_id=STRING),
    tool("cancel_flight", "Cancel a booking", ["flight_id"], flight_id=STRING),
)
TOOLS = (WEATHER, SEARCH, TIMER)


def user(text: Any) -> Message:
    return {"role": "user", "content": text}


async def ask(
    *messages: Message, tools: Sequence[Any] = TOOLS, choice: ToolChoice = "auto"
) -> Reply:
    return await LexicalGateway().complete(Request(TARGET, messages, tuple(tools), choice))


def calls_in(reply: Reply) -> list[tuple[str, Any]]:
    (message,) = reply.messages
    functions = [call["function"] for call in message.get("tool_calls", ())]
    return [(f["name"], json.loads(f["arguments"])) for f in functions]


@pytest.mark.parametrize(
    ("question", "calls"),
    [
        ("What's the weather in Paris?", [("get_weather", {"city": "Paris"})]),
        (
            "Temperature in Tokyo in Fahrenheit",
            [("get_weather", {"city": "Tokyo", "units": "fahrenheit"})],
        ),
        ("Set a timer for 20 minutes", [("set_timer", {"minutes": 20})]),
        (
            "Weather in Paris and in Rome",
            [("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Rome"})],
        ),
        ("Tell me a joke", []),
        ("What is the capital of France?", []),
        ("", []),
    ],
)
async def test_the_tool_that_shares_words_is_called(
    question: str, calls: list[tuple[str, Any]]
) -> None:
    reply = await ask(user(question))
    assert calls_in(reply) == calls
    assert reply.finish_reason == ("tool_calls" if calls else "stop")
    assert (reply.messages[0]["content"] is None) == bool(calls)


async def test_nothing_is_called_under_none() -> None:
    reply = await ask(user("What's the weather in Paris?"), choice="none")
    assert calls_in(reply) == []
    assert reply.tool_choice_sent == "none"


@pytest.mark.parametrize("question", ["Tell me a joke", "", "🙂"])
async def test_something_is_always_called_under_required(question: str) -> None:
    assert len(calls_in(await ask(user(question), choice="required"))) == 1


async def test_without_tools_there_is_a_text_and_no_choice() -> None:
    reply = await ask(user("What's the weather?"), tools=(), choice="required")
    assert calls_in(reply) == []
    assert reply.tool_choice_sent is None


async def test_it_costs_nothing() -> None:
    assert (await ask(user("weather"))).usage == Usage(0, 0, 0.0)


async def test_latency_is_measured_by_the_given_clock() -> None:
    ticks = iter([1.0, 1.25])
    gateway = LexicalGateway(clock=lambda: next(ticks))
    reply = await gateway.complete(Request(TARGET, (user("weather"),), TOOLS, "auto"))
    assert reply.latency_ms == 250


async def test_the_same_request_gets_the_same_messages() -> None:
    first, second = [await ask(user("weather in Paris and in Rome")) for _ in range(2)]
    assert first.messages == second.messages
    ids = [call["id"] for call in first.messages[0]["tool_calls"]]
    assert len(set(ids)) == len(ids) == 2


async def test_editing_a_description_changes_the_answer() -> None:
    vague = tool("lookup", "Looks things up", ["city"], city=STRING)
    clear = tool("lookup", "Forecast of rain and sun", ["city"], city=STRING)
    question = user("Will there be rain in Oslo?")
    assert calls_in(await ask(question, tools=(vague, TIMER))) == []
    assert calls_in(await ask(question, tools=(clear, TIMER))) == [("lookup", {"city": "Oslo"})]


async def test_the_last_user_message_is_the_question() -> None:
    reply = await ask(
        user("What's the weather in Paris?"),
        {"role": "assistant", "content": "Sunny."},
        user([{"type": "text", "text": "Set a timer for 20 minutes"}]),
    )
    assert calls_in(reply) == [("set_timer", {"minutes": 20})]


async def converse(question: str, tools: Sequence[Any], results: dict[str, Any]) -> list[Any]:
    """Return the calls of a conversation in which every call gets its result."""
    messages, made = [user(question)], []
    while calls := calls_in(reply := await ask(*messages, tools=tools)):
        made += calls
        messages += reply.messages
        for call in reply.messages[0]["tool_calls"]:
            content = json.dumps(results.get(call["function"]["name"], {"status": "ok"}))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    return made


async def test_what_a_tool_needs_is_fetched_first() -> None:
    found = {"flights": [{"id": "FL123", "price": 450}]}
    made = await converse(
        "Book a flight from NYC to London for next Friday", FLIGHTS, {"search_flights": found}
    )
    journey = {"origin": "NYC", "destination": "London", "date": "next Friday"}
    assert made == [("search_flights", journey), ("book_flight", {"flight_id": "FL123"})]


async def test_a_conversation_ends_once_no_further_tool_is_asked_for() -> None:
    made = await converse("What's the weather in Paris?", TOOLS, {})
    assert made == [("get_weather", {"city": "Paris"})]


async def test_a_call_is_repeated_only_where_a_call_is_required() -> None:
    messages = (
        user("What's the weather in Paris?"),
        *(await ask(user("What's the weather in Paris?"))).messages,
    )
    assert calls_in(await ask(*messages)) == []
    assert calls_in(await ask(*messages, tools=(WEATHER,), choice="required")) != []
    later = await ask(*messages, user("What's the weather in Rome?"))
    assert calls_in(later) == [("get_weather", {"city": "Rome"})]


async def test_hostile_tools_neither_break_nor_hang_it() -> None:
    cyclic: dict[str, Any] = {"$ref": "#/properties/city", "properties": {}}
    cyclic["properties"]["city"] = cyclic
    deep: dict[str, Any] = {}
    for _ in range(50_000):
        deep = {"type": "object", "properties": {"city": deep}}
    broken = [
        {"function": {"name": f"weather_{n}", "parameters": p}}
        for n, p in enumerate(
            [cyclic, deep, [], {"properties": []}, {"properties": {"x": {"enum": ["w"] * 10**6}}}]
        )
    ]
    crowd = [tool(f"tool_{n}", "Get weather of a city", city=STRING) for n in range(10_000)]
    gateway: Gateway = LexicalGateway()
    started = time.perf_counter()
    for tools in ([*broken, None, 5, WEATHER], crowd):
        request = Request(TARGET, (user("weather in Paris " * 1_000),), tuple(tools), "required")
        assert calls_in(await gateway.complete(request))
    assert time.perf_counter() - started < 20


async def test_it_is_fast_and_holds_few_indexes() -> None:
    gateway = LexicalGateway()
    requests = [
        Request(TARGET, (user("weather in Paris"),), (*TOOLS, {"n": n}), "auto") for n in range(200)
    ]
    started = time.perf_counter()
    for request in requests:
        await gateway.complete(request)
    assert time.perf_counter() - started < 2
    assert len(gateway._indexes) <= 32


async def test_it_has_no_embeddings() -> None:
    gateway: Gateway = LexicalGateway()
    with pytest.raises(GatewayError, match="no embeddings") as raised:
        await gateway.embed("builtin/lexical", ("a",))
    assert raised.value.fault == "setup"
    await gateway.aclose()
