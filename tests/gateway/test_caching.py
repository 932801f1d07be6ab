from __future__ import annotations

from typing import Any

import pytest

from toolgauge.errors import CannotStore, GatewayError
from toolgauge.gateway.caching import CacheMode, CachingGateway, Question, question_of
from toolgauge.gateway.gateway import Gateway, Reply, Request
from toolgauge.model.target import Target
from toolgauge.model.trial import Usage

pytestmark = pytest.mark.anyio
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
REPLY = Reply((CALL,), "tool_calls", Usage(103, 21, 0.5), 812.0, "required")


class Model:
    """A gateway that answers the same each time and counts how often it was asked."""

    def __init__(self, reply: Reply | GatewayError = REPLY) -> None:
        self.reply = reply
        self.requests: list[Request] = []
        self.embedded: list[tuple[str, ...]] = []
        self.closed = False

    @property
    def asked(self) -> int:
        return len(self.requests)

    async def complete(self, request: Request) -> Reply:
        self.requests.append(request)
        if isinstance(self.reply, GatewayError):
            raise self.reply
        return self.reply

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        self.embedded.append(texts)
        return tuple((float(len(text)), len(model) / 2) for text in texts)

    async def aclose(self) -> None:
        self.closed = True


class Memory:
    """Answers in memory, as the store keeps them; or a store that is broken."""

    def __init__(self, *, broken: bool = False) -> None:
        self.answers: dict[str, Any] = {}
        self.broken = broken

    async def find(self, question: Question) -> Any:
        if self.broken:
            raise CannotStore("busy", "locked")
        return self.answers.get(question.key)

    async def keep(self, question: Question, answer: Any) -> None:
        if self.broken:
            raise CannotStore("full", "full")
        self.answers.setdefault(question.key, answer)


def a_request(**changes: Any) -> Request:
    asked: dict[str, Any] = {
        "target": Target("gpt", "openai/gpt-x"),
        "messages": ({"role": "user", "content": "Weather in Paris?"},),
        "tools": ({"type": "function", "function": {"name": "get_weather"}},),
        "tool_choice": "required",
        "parameters": {"temperature": 0.0},
    }
    return Request(**(asked | changes))


def caching(model: Model, mode: CacheMode = "read-write", memory: Memory | None = None) -> Gateway:
    return CachingGateway(model, memory or Memory(), mode=mode)


async def test_a_request_is_asked_once_and_the_second_reply_is_cached_and_free() -> None:
    model = Model()
    gateway = caching(model)
    assert await gateway.complete(a_request()) == REPLY
    again = await gateway.complete(a_request())
    assert again == Reply(
        (CALL,), "tool_calls", Usage(103, 21, 0.0), 812.0, "required", cached=True
    )
    assert model.asked == 1


@pytest.mark.parametrize(
    "change",
    [
        {"target": Target("gpt", "openai/gpt-y")},
        {"parameters": {"temperature": 0.5}},
        {"messages": ({"role": "user", "content": "Weather in Rome?"},)},
        {"tools": ()},
        {"tool_choice": "auto"},
        {"repeat": 1},
    ],
)
async def test_what_changes_the_answer_is_asked_anew(change: dict[str, Any]) -> None:
    model = Model()
    gateway = caching(model)
    await gateway.complete(a_request())
    await gateway.complete(a_request(**change))
    assert model.asked == 2


@pytest.mark.parametrize(
    "change",
    [
        {"target": Target("renamed", "openai/gpt-x", api_key_env="OTHER_KEY")},
        {"timeout_s": 1.5},
        {"case_id": "paris"},
        {"turn": 2},
    ],
)
async def test_what_does_not_change_the_answer_is_no_part_of_the_key(
    change: dict[str, Any],
) -> None:
    assert question_of(a_request(**change)).key == question_of(a_request()).key


async def test_the_order_of_keys_does_not_matter() -> None:
    one = a_request(parameters={"top_p": 0.9, "temperature": 0.0})
    other = a_request(parameters={"temperature": 0.0, "top_p": 0.9})
    assert question_of(one).key == question_of(other).key


async def test_a_failure_is_never_stored() -> None:
    model = Model(GatewayError("server", "down"))
    gateway = caching(model)
    with pytest.raises(GatewayError, match="down"):
        await gateway.complete(a_request())
    model.reply = REPLY
    assert await gateway.complete(a_request()) == REPLY


async def test_a_reply_without_a_message_is_never_stored() -> None:
    model = Model(Reply(()))
    memory = Memory()
    await caching(model, memory=memory).complete(a_request())
    assert memory.answers == {}


async def test_only_never_asks_and_says_how_to_learn_why() -> None:
    model, memory = Model(), Memory()
    await caching(model, memory=memory).complete(a_request())
    gateway = caching(model, "only", memory)
    assert (await gateway.complete(a_request())).cached
    with pytest.raises(GatewayError, match=r"case 'rome'.*cache explain") as refused:
        await gateway.complete(a_request(case_id="rome", messages=()))
    assert not refused.value.is_retryable
    assert refused.value.fault == "other"
    assert model.asked == 1


async def test_off_neither_reads_nor_writes() -> None:
    model, memory = Model(), Memory()
    gateway = caching(model, "off", memory)
    for _ in range(2):
        assert await gateway.complete(a_request()) == REPLY
    await gateway.embed("m", ("a",))
    assert (model.asked, model.embedded, memory.answers) == (2, [("a",)], {})


@pytest.mark.parametrize("model_name", ["builtin/lexical", "replay/answers.jsonl"])
@pytest.mark.parametrize("mode", ["read-write", "only"])
async def test_a_target_that_calls_nobody_passes_through(model_name: str, mode: CacheMode) -> None:
    model, memory = Model(), Memory()
    gateway = caching(model, mode, memory)
    for _ in range(2):
        reply = await gateway.complete(a_request(target=Target(model_name, model_name)))
        assert not reply.cached
    assert (model.asked, memory.answers) == (2, {})


async def test_a_broken_store_costs_no_reply(caplog: pytest.LogCaptureFixture) -> None:
    model = Model()
    gateway = caching(model, memory=Memory(broken=True))
    assert await gateway.complete(a_request()) == REPLY
    assert "cannot be read: locked" in caplog.text
    assert "cannot be written: full" in caplog.text


async def test_a_broken_store_does_not_make_only_ask() -> None:
    model = Model()
    with pytest.raises(GatewayError, match="nobody may be asked"):
        await caching(model, "only", Memory(broken=True)).complete(a_request())
    assert model.asked == 0


async def test_embeddings_are_asked_once_per_model_and_text() -> None:
    model, memory = Model(), Memory()
    gateway = caching(model, memory=memory)
    first = await gateway.embed("m", ("a", "bb"))
    assert await gateway.embed("m", ("bb", "ccc", "a", "bb")) == (
        first[1],
        (3.0, 0.5),
        first[0],
        first[1],
    )
    await gateway.embed("other", ("a",))
    assert model.embedded == [("a", "bb"), ("ccc",), ("a",)]
    only = caching(model, "only", memory)
    assert await only.embed("m", ("a",)) == (first[0],)
    with pytest.raises(GatewayError, match="embeddings of 1 texts"):
        await only.embed("m", ("dddd",))


async def test_closing_closes_the_gateway_inside() -> None:
    model = Model()
    await caching(model).aclose()
    assert model.closed
