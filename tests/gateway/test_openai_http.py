from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import anyio
import pytest

from gateway.fault_server import BEHAVIOURS, MESSAGES, FaultServer, Peer, Seen
from gateway.test_contract import KEY, TOOL, read_key, request
from toolgauge.errors import GatewayError
from toolgauge.gateway.openai_http import OpenaiHttpGateway, _ToolsAsJson

pytestmark = pytest.mark.anyio


@pytest.fixture
async def gateway() -> AsyncIterator[OpenaiHttpGateway]:
    async with aclosing(OpenaiHttpGateway(read_key)) as opened:
        yield opened


async def test_the_key_goes_as_a_bearer_token(
    gateway: OpenaiHttpGateway, server: FaultServer
) -> None:
    await gateway.complete(request("openai/m", server.base("good")))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_provider_of_no_table_is_asked_without_a_key(
    gateway: OpenaiHttpGateway, server: FaultServer
) -> None:
    await gateway.complete(request("sglang/org/m", server.base("good")))
    assert "authorization" not in server.requests[0].headers
    assert server.requests[0].body["model"] == "org/m"


async def test_a_key_with_a_line_break_at_its_end_is_sent_without(server: FaultServer) -> None:
    async with aclosing(OpenaiHttpGateway(lambda _: f"{KEY}\n")) as gateway:
        await gateway.complete(request("openai/m", server.base("good")))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_key_that_cannot_be_sent_is_a_matter_of_setup_and_not_shown(
    server: FaultServer,
) -> None:
    async with aclosing(OpenaiHttpGateway(lambda _: f"{KEY}\nX-Evil: 1")) as gateway:
        with pytest.raises(GatewayError) as caught:
            await gateway.complete(request("openai/m", server.base("good")))
    assert (caught.value.fault, server.requests) == ("setup", [])
    assert KEY not in str(caught.value)


async def test_a_slash_at_the_end_of_the_address_makes_no_difference(
    gateway: OpenaiHttpGateway, server: FaultServer
) -> None:
    await gateway.complete(request("openai/m", server.base("good") + "/"))
    assert server.requests[0].path == "/good/v1/chat/completions"


async def test_an_address_is_needed_where_none_is_known(gateway: OpenaiHttpGateway) -> None:
    asked = request("hosted_vllm/m", "")
    with pytest.raises(GatewayError, match="set api_base") as caught:
        await gateway.complete(replace(asked, target=replace(asked.target, api_base=None)))
    assert caught.value.fault == "setup"


@pytest.mark.parametrize("base", ["ftp://127.0.0.1/v1", "127.0.0.1:99999/v1", "http://[::1/v1"])
async def test_an_address_that_is_none_is_a_matter_of_setup(
    gateway: OpenaiHttpGateway, server: FaultServer, base: str
) -> None:
    with pytest.raises(GatewayError) as caught:
        await gateway.complete(request("openai/m", base))
    assert (caught.value.fault, server.requests) == ("setup", [])


async def test_a_password_in_the_address_is_never_shown(
    gateway: OpenaiHttpGateway, server: FaultServer
) -> None:
    base = server.base("401").replace("://", "://user:secret@")
    with pytest.raises(GatewayError) as caught:
        await gateway.complete(request("openai/m", base))
    assert caught.value.fault == "setup"
    assert "secret" not in str(caught.value)


async def test_extra_headers_are_headers_and_no_field_of_the_body(
    gateway: OpenaiHttpGateway, server: FaultServer
) -> None:
    parameters = {"extra_headers": {"X-Team": "eval"}, "top_p": 0.9}
    await gateway.complete(request("openai/m", server.base("good"), parameters=parameters))
    seen = server.requests[0]
    assert seen.headers["x-team"] == "eval"
    assert (seen.body["top_p"], "extra_headers" in seen.body) == (0.9, False)


async def test_a_parameter_that_is_no_json_is_a_matter_of_setup(
    gateway: OpenaiHttpGateway, server: FaultServer
) -> None:
    asked = request("openai/m", server.base("good"), parameters={"stop": {"a", "b"}})
    with pytest.raises(GatewayError, match="JSON") as caught:
        await gateway.complete(asked)
    assert (caught.value.fault, server.requests) == ("setup", [])


async def test_text_beyond_ascii_arrives_as_it_was(
    gateway: OpenaiHttpGateway, server: FaultServer
) -> None:
    said = "Où? 東京 \N{ROCKET} \ud800"
    asked = replace(
        request("openai/m", server.base("good")), messages=({"role": "user", "content": said},)
    )
    await gateway.complete(asked)
    assert server.requests[0].body["messages"][0]["content"] == said


async def test_a_conversation_of_many_megabytes_is_sent(
    gateway: OpenaiHttpGateway, server: FaultServer
) -> None:
    long = "x" * 3_000_000
    asked = replace(
        request("openai/m", server.base("good")), messages=({"role": "user", "content": long},)
    )
    reply = await gateway.complete(asked)
    assert reply.messages == (MESSAGES["good"],)
    assert len(server.requests[0].body["messages"][0]["content"]) == len(long)


async def test_a_request_waits_for_a_connection_where_all_are_taken(server: FaultServer) -> None:
    most = now = 0

    async def counting(peer: Peer, seen: Seen) -> bool:
        nonlocal most, now
        now += 1
        most = max(most, now)
        answered = await BEHAVIOURS["good"](peer, seen)
        now -= 1
        return answered

    server.behaviours["counting"] = counting
    async with (
        aclosing(OpenaiHttpGateway(read_key, concurrency=2)) as gateway,
        anyio.create_task_group() as tasks,
    ):
        for _ in range(12):
            tasks.start_soon(gateway.complete, request("openai/m", server.base("counting")))
    assert len(server.requests) == 12
    assert most <= 2


async def test_the_password_of_a_proxy_is_sent_to_the_proxy(
    gateway: OpenaiHttpGateway, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.behaviours[""] = server.behaviours["good"]  # a proxy is sent the whole address
    monkeypatch.setenv("http_proxy", f"http://user:pw@127.0.0.1:{server.port}")
    await gateway.complete(request("openai/m", "http://models.example/v1"))
    word = server.requests[0].headers["proxy-authorization"].removeprefix("Basic ")
    assert base64.b64decode(word) == b"user:pw"


async def test_no_proxy_is_used_for_what_no_proxy_names(
    gateway: OpenaiHttpGateway, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    await gateway.complete(request("openai/m", server.base("good")))
    assert server.requests[0].path == "/good/v1/chat/completions"


async def test_a_connection_is_used_again(gateway: OpenaiHttpGateway, server: FaultServer) -> None:
    connections = set()

    async def noting(peer: Peer, seen: Seen) -> bool:
        connections.add(id(peer.writer))
        return await BEHAVIOURS["good"](peer, seen)

    server.behaviours["noting"] = noting
    for _ in range(3):
        await gateway.complete(request("openai/m", server.base("noting")))
    assert len(connections) == 1


async def test_a_cancelled_request_ends_at_once(
    gateway: OpenaiHttpGateway, server: FaultServer
) -> None:
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(gateway.complete, request("openai/m", server.base("silent")))
            while not server.requests:  # noqa: ASYNC110 - the server is on a thread of its own
                await anyio.sleep(0.001)
            tasks.cancel_scope.cancel()
    assert len(server.requests) == 1


def test_tools_are_told_apart_by_identity_and_held() -> None:
    kept = _ToolsAsJson()
    texts = [kept.of(({**TOOL, "n": n},)) for n in range(200)]
    assert len(set(texts)) == 200
    same: tuple[dict[str, Any], ...] = (TOOL,)
    assert kept.of(same) is kept.of(same)
