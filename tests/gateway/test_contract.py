"""What every adapter that talks to providers promises, against a real server on loopback."""

from __future__ import annotations

import socket
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gateway.fault_server import MESSAGES, FaultServer
from toolgauge.errors import GatewayError, GatewayFault
from toolgauge.gateway.gateway import Gateway, Reply, Request
from toolgauge.gateway.litellm_gateway import LitellmGateway
from toolgauge.gateway.openai_http import OpenaiHttpGateway
from toolgauge.model.target import Target
from toolgauge.model.trial import ToolChoice, Usage

pytestmark = pytest.mark.anyio

KEY = "sk-secret-key"
DEADLINE_S = 0.4
# how much later than its deadline an adapter may answer, on a busy machine
GRACE_S = 1.5
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


@dataclass(frozen=True)
class Subject:
    """One adapter on trial, and the provider under which it is asked."""

    gateway: Gateway
    provider: str
    server: FaultServer

    async def ask(self, behaviour: str, **more: Any) -> Reply:
        return await self.gateway.complete(
            request(f"{self.provider}/m", self.server.base(behaviour), **more)
        )

    async def fail(self, behaviour: str, **more: Any) -> GatewayError:
        with pytest.raises(GatewayError) as caught:
            await self.ask(behaviour, **more)
        return caught.value


def request(
    model: str,
    api_base: str,
    *,
    tools: tuple[dict[str, Any], ...] = (TOOL,),
    tool_choice: ToolChoice = "required",
    parameters: dict[str, Any] | None = None,
    timeout_s: float = 60.0,
) -> Request:
    return Request(
        target=Target(name="under test", model=model, api_base=api_base),
        messages=({"role": "user", "content": "Weather in Oslo?"},),
        tools=tools,
        tool_choice=tool_choice,
        parameters=parameters or {},
        timeout_s=timeout_s,
    )


def read_key(name: str) -> str | None:
    return KEY if name in {"OPENAI_API_KEY", "HOSTED_VLLM_API_KEY"} else None


ADAPTERS = ("litellm openai", "litellm hosted_vllm", "direct openai")


def adapter(name: str, **options: Any) -> Gateway:
    if name.startswith("litellm"):
        return LitellmGateway(read_key, **options)
    return OpenaiHttpGateway(read_key, **options)


@pytest.fixture(params=ADAPTERS)
async def subject(
    request: pytest.FixtureRequest,
    server: FaultServer,
    capfd: pytest.CaptureFixture[str],
) -> AsyncIterator[Subject]:
    """Hand out each adapter in turn; whatever it did, nothing may have reached stdout."""
    async with aclosing(
        adapter(request.param, embed_base=lambda _model: server.base("vectors"))
    ) as gateway:
        yield Subject(gateway, request.param.split()[1], server)
    assert capfd.readouterr().out == ""


@dataclass(frozen=True)
class Expected:
    behaviour: str
    fault: GatewayFault
    status: int | None = None
    retry_after_s: float | None = None


FAULTS = [
    Expected("429", "rate_limit", 429),
    Expected("429_seconds", "rate_limit", 429, 7.0),
    Expected("429_date", "rate_limit", 429, 30.0),
    Expected("429_quota", "quota", 429),
    Expected("500", "server", 500),
    Expected("502", "server", 502),
    Expected("503", "server", 503, 2.0),
    Expected("401", "auth", 401),
    Expected("403", "auth", 403),
    Expected("403_empty", "auth", 403),
    Expected("404", "not_found", 404),
    Expected("408", "timeout", 408),
    Expected("307", "setup", 307),
    Expected("bad_request", "bad_request", 400),
    Expected("unsupported_param", "unsupported_param", 400),
    Expected("tool_choice_400", "tool_choice_rejected", 400),
    Expected("tool_choice_422", "tool_choice_rejected", 422),
    Expected("no_functions", "tools_unsupported", 400),
    Expected("content_filter_400", "content_filter", 400),
    Expected("context_length", "context_window", 400),
    Expected("error_200", "server", 529),
    Expected("error_200_rate", "rate_limit", 429),
    Expected("error_200_bare", "server", 200),
    Expected("invalid_json", "bad_json", 200),
    Expected("html", "bad_json", 200),
    Expected("no_choices", "bad_json", 200),
    Expected("null_message", "bad_json", 200),
    Expected("array", "bad_json", 200),
    Expected("reset", "connection"),
    Expected("truncated", "connection"),
    Expected("no_http", "connection"),
]


@pytest.mark.parametrize("expected", FAULTS, ids=lambda expected: expected.behaviour)
async def test_every_failure_has_one_class_and_costs_one_request(
    subject: Subject, expected: Expected
) -> None:
    error = await subject.fail(expected.behaviour)

    found = Expected(expected.behaviour, error.fault, error.status, error.retry_after_s)
    assert found == expected
    assert str(error).startswith("under test: ")
    assert KEY not in str(error)
    assert len(subject.server.requests) == 1


@pytest.mark.parametrize("behaviour", ["silent", "slow_body"])
async def test_the_deadline_bounds_the_whole_exchange(subject: Subject, behaviour: str) -> None:
    await subject.ask("good")  # the first call loads what is loaded late
    started_s = time.monotonic()

    error = await subject.fail(behaviour, timeout_s=DEADLINE_S)

    took_s = time.monotonic() - started_s
    assert error.fault == "timeout"
    assert DEADLINE_S <= took_s < DEADLINE_S + GRACE_S
    assert [seen.path.split("/")[1] for seen in subject.server.requests] == ["good", behaviour]


async def test_a_port_that_nobody_listens_on_is_a_connection_failure(subject: Subject) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    closed = request(f"{subject.provider}/m", f"http://127.0.0.1:{port}/v1")

    with pytest.raises(GatewayError) as caught:
        await subject.gateway.complete(closed)

    assert caught.value.fault == "connection"


async def test_an_answer_after_a_failure_is_read_as_ever(subject: Subject) -> None:
    for behaviour in ("reset", "429", "invalid_json"):
        await subject.fail(behaviour)
    assert (await subject.ask("good")).messages == (MESSAGES["good"],)


@pytest.mark.parametrize("behaviour", sorted(MESSAGES))
async def test_the_message_is_the_providers_own(subject: Subject, behaviour: str) -> None:
    reply = await subject.ask(behaviour)

    assert reply.messages == (MESSAGES[behaviour],)
    assert len(subject.server.requests) == 1


async def test_the_finish_reason_is_the_providers_own(subject: Subject) -> None:
    assert (await subject.ask("good")).finish_reason == "stop"


async def test_a_filtered_answer_is_a_reply(subject: Subject) -> None:
    assert (await subject.ask("filtered")).finish_reason == "content_filter"


async def test_no_choice_is_a_reply_without_messages(subject: Subject) -> None:
    reply = await subject.ask("empty_choices")
    assert (reply.messages, reply.finish_reason) == ((), None)


async def test_usage_is_what_the_provider_states(subject: Subject) -> None:
    assert (await subject.ask("good")).usage == Usage(input_tokens=11, output_tokens=7)


async def test_usage_that_is_not_stated_is_unknown(subject: Subject) -> None:
    assert (await subject.ask("no_id")).usage == Usage(None, None, None)


async def test_latency_is_measured_and_nothing_is_called_cached(subject: Subject) -> None:
    reply = await subject.ask("good")
    assert reply.latency_ms is not None
    assert 0 < reply.latency_ms < 60_000
    assert not reply.cached


@pytest.mark.parametrize("choice", ["required", "auto", "none"])
async def test_the_tool_choice_goes_over_the_wire_with_the_tools(
    subject: Subject, choice: ToolChoice
) -> None:
    reply = await subject.ask("good", tool_choice=choice)

    sent = subject.server.requests[0].body
    assert reply.tool_choice_sent == choice
    assert (sent["tool_choice"], sent["tools"]) == (choice, [TOOL])


async def test_without_tools_no_tool_choice_is_sent(subject: Subject) -> None:
    reply = await subject.ask("text", tools=())

    sent = subject.server.requests[0].body
    assert reply.tool_choice_sent is None
    assert sent.keys().isdisjoint({"tools", "tool_choice"})


async def test_the_request_is_sent_as_it_was_asked(subject: Subject) -> None:
    parameters = {"temperature": 0.2, "max_tokens": 64, "seed": 7, "extra_body": {"top_k": 4}}
    asked = request(f"{subject.provider}/org/m", subject.server.base("good"), parameters=parameters)

    await subject.gateway.complete(asked)

    seen = subject.server.requests[0]
    assert seen.path == "/good/v1/chat/completions"
    assert seen.body.pop("stream", False) is False
    assert seen.body == {
        "model": "org/m",
        "messages": list(asked.messages),
        "tools": [TOOL],
        "tool_choice": "required",
        "temperature": 0.2,
        "max_tokens": 64,
        "seed": 7,
        "top_k": 4,
    }


async def test_what_was_asked_is_left_as_it_was(subject: Subject) -> None:
    asked = request(f"{subject.provider}/m", subject.server.base("good"))
    before = repr(asked)
    await subject.gateway.complete(asked)
    assert repr(asked) == before


@pytest.mark.parametrize("name", ["stream", "messages", "api_key"])
async def test_a_parameter_cannot_replace_what_the_request_says(
    subject: Subject, name: str
) -> None:
    error = await subject.fail("good", parameters={name: "x"})
    assert (error.fault, name in str(error)) == ("setup", True)
    assert subject.server.requests == []


async def test_a_key_that_is_named_but_not_set_is_named_in_the_error(subject: Subject) -> None:
    target = Target(
        name="mine",
        model=f"{subject.provider}/m",
        api_base=subject.server.base("good"),
        api_key_env="MY_OWN_KEY",
    )
    asked = Request(target=target, messages=(), tools=(), tool_choice="auto")

    with pytest.raises(GatewayError, match="MY_OWN_KEY") as caught:
        await subject.gateway.complete(asked)

    assert caught.value.fault == "setup"
    assert subject.server.requests == []


async def test_a_refused_key_is_named_by_its_variable(subject: Subject) -> None:
    error = await subject.fail("401")
    assert "_API_KEY)" in str(error)


async def test_embeddings_come_back_in_the_order_of_the_texts(subject: Subject) -> None:
    vectors = await subject.gateway.embed(f"{subject.provider}/e", ("a", "b", "c"))

    seen = subject.server.requests[0]
    assert vectors == ((0.0, 0.5), (1.0, 0.5), (2.0, 0.5))
    assert seen.path == "/vectors/v1/embeddings"
    assert (seen.body["model"], seen.body["input"]) == ("e", ["a", "b", "c"])
    assert len(subject.server.requests) == 1


async def test_no_text_needs_no_request(subject: Subject) -> None:
    assert await subject.gateway.embed(f"{subject.provider}/e", ()) == ()
    assert subject.server.requests == []


@pytest.mark.parametrize(
    ("behaviour", "fault"),
    [
        ("429", "rate_limit"),
        ("401", "auth"),
        ("html", "bad_json"),
        ("reset", "connection"),
        ("missing_vector", "bad_json"),
        ("uneven_vectors", "bad_json"),
    ],
)
async def test_embeddings_fail_by_the_same_classes(
    subject: Subject, behaviour: str, fault: GatewayFault
) -> None:
    subject.server.behaviours["vectors"] = subject.server.behaviours[behaviour]

    with pytest.raises(GatewayError) as caught:
        await subject.gateway.embed(f"{subject.provider}/e", ("a", "b"))

    assert caught.value.fault == fault
    assert len(subject.server.requests) == 1


async def test_closing_twice_is_no_error(subject: Subject) -> None:
    await subject.ask("good")
    await subject.gateway.aclose()


async def test_a_proxy_of_the_environment_is_used(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = subject.server
    server.behaviours[""] = server.behaviours["good"]  # a proxy is sent the whole address
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.port}")

    reply = await subject.gateway.complete(
        request(f"{subject.provider}/m", "http://models.example/v1")
    )

    assert reply.messages == (MESSAGES["good"],)
    assert server.requests[0].path == "http://models.example/v1/chat/completions"


@pytest.mark.parametrize("name", ADAPTERS)
async def test_a_server_is_trusted_by_the_bundle_that_is_named(
    name: str, tls_server: FaultServer, bundle: Path
) -> None:
    async with aclosing(adapter(name, verify=str(bundle))) as gateway:
        reply = await gateway.complete(request(f"{name.split()[1]}/m", tls_server.base("good")))
    assert reply.messages == (MESSAGES["good"],)


@pytest.mark.parametrize("name", ADAPTERS)
async def test_a_certificate_that_nobody_vouches_for_is_a_matter_of_setup(
    name: str, tls_server: FaultServer
) -> None:
    async with aclosing(adapter(name)) as gateway:
        with pytest.raises(GatewayError, match="certificate") as caught:
            await gateway.complete(request(f"{name.split()[1]}/m", tls_server.base("good")))
    assert (caught.value.fault, tls_server.requests) == ("setup", [])


@pytest.mark.parametrize("name", ADAPTERS)
async def test_a_bundle_that_is_not_there_is_named(
    name: str, tls_server: FaultServer, tmp_path: Path
) -> None:
    async with aclosing(adapter(name, verify=str(tmp_path / "missing.pem"))) as gateway:
        with pytest.raises(GatewayError, match=r"missing\.pem") as caught:
            await gateway.complete(request(f"{name.split()[1]}/m", tls_server.base("good")))
    assert caught.value.fault == "setup"
