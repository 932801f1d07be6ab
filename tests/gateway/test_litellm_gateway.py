from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

import toolgauge
from gateway.fault_server import MESSAGES, FaultServer, Peer, Seen, answering, error
from gateway.test_contract import KEY, Expected, request
from toolgauge.errors import GatewayError
from toolgauge.gateway.litellm_gateway import LitellmGateway
from toolgauge.gateway.providers import PROVIDERS
from toolgauge.model.trial import Usage

pytestmark = pytest.mark.anyio

ARGUMENTS = {"city": "Oslo"}
ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [
        {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": ARGUMENTS},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 11, "output_tokens": 7},
}
GEMINI = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [{"functionCall": {"name": "get_weather", "args": ARGUMENTS}}],
            },
            "finishReason": "STOP",
        }
    ],
    "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18},
}
OLLAMA = {
    "model": "m",
    "message": {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"function": {"name": "get_weather", "arguments": ARGUMENTS}}],
    },
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 11,
    "eval_count": 7,
}
RESPONSES = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-5",
    "status": "completed",
    "output": [
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "get_weather",
            "arguments": '{"city": "Oslo"}',
            "status": "completed",
        }
    ],
    "usage": {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18},
    "parallel_tool_calls": True,
    "tool_choice": "required",
    "tools": [],
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "metadata": {},
}
NATIVE: dict[str, dict[str, Any]] = {
    "anthropic/claude-sonnet-4-5": ANTHROPIC,
    "gemini/gemini-2.5-pro": GEMINI,
    "ollama_chat/llama3.1": OLLAMA,
    "openai/responses/gpt-5": RESPONSES,
}
CLAUDE = "anthropic/claude-sonnet-4-5"


@pytest.fixture
async def gateway() -> AsyncIterator[LitellmGateway]:
    async with aclosing(LitellmGateway(lambda _: KEY)) as opened:
        yield opened


def served(model: str, body: dict[str, Any], server: FaultServer) -> Any:
    server.behaviours["native"] = answering(body)
    return request(model, server.base("native"))


@pytest.mark.parametrize(
    "provider", [name for name, known in PROVIDERS.items() if known.client is not None]
)
async def test_every_provider_with_our_client_keeps_the_raw_message(
    gateway: LitellmGateway, server: FaultServer, provider: str
) -> None:
    reply = await gateway.complete(
        request(f"{provider}/m", server.base("dict_arguments"), tool_choice="auto")
    )

    assert (reply.messages, reply.finish_reason) == ((MESSAGES["dict_arguments"],), "stop")
    assert reply.tool_choice_sent == server.requests[0].body.get("tool_choice")
    assert [seen.path for seen in server.requests] == ["/dict_arguments/v1/chat/completions"]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("model", NATIVE)
async def test_a_provider_with_a_language_of_its_own_comes_back_in_openais(
    gateway: LitellmGateway, server: FaultServer, model: str
) -> None:
    reply = await gateway.complete(served(model, NATIVE[model], server))

    (message,) = reply.messages
    (made,) = message["tool_calls"]
    assert (message["role"], made["function"]["name"]) == ("assistant", "get_weather")
    assert made["function"]["arguments"] == '{"city": "Oslo"}'
    assert reply.usage == Usage(11, 7)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        (CLAUDE, "required"),
        ("gemini/gemini-2.5-pro", "required"),
        ("openai/responses/gpt-5", "required"),
        ("ollama_chat/llama3.1", None),
    ],
)
async def test_a_tool_choice_that_litellm_drops_is_not_called_sent(
    gateway: LitellmGateway, server: FaultServer, model: str, sent: str | None
) -> None:
    reply = await gateway.complete(served(model, NATIVE[model], server))
    assert reply.tool_choice_sent == sent


NATIVE_FAULTS = [
    Expected("429_seconds", "rate_limit", 429, 7.0),
    Expected("500", "server", 500),
    Expected("401", "auth", 401),
    Expected("404", "not_found", 404),
    Expected("tool_choice_400", "tool_choice_rejected", 400),
    Expected("no_functions", "tools_unsupported", 400),
    Expected("context_length", "context_window", 400),
    Expected("invalid_json", "bad_json"),
    Expected("reset", "connection"),
]


@pytest.mark.parametrize("expected", NATIVE_FAULTS, ids=lambda expected: expected.behaviour)
async def test_native_providers_fail_by_the_same_classes(
    gateway: LitellmGateway, server: FaultServer, expected: Expected
) -> None:
    asked = request(CLAUDE, server.base(expected.behaviour))
    with pytest.raises(GatewayError) as caught:
        await gateway.complete(asked)

    error = caught.value
    found = Expected(expected.behaviour, error.fault, error.status, error.retry_after_s)
    assert found == expected
    assert KEY not in str(error)


async def test_the_deadline_holds_for_native_providers(
    gateway: LitellmGateway, server: FaultServer
) -> None:
    await gateway.complete(served(CLAUDE, ANTHROPIC, server))  # loads what is loaded late
    with pytest.raises(GatewayError) as caught:
        await gateway.complete(request(CLAUDE, server.base("silent"), timeout_s=0.4))
    assert caught.value.fault == "timeout"


async def test_a_tool_choice_outside_litellms_table_is_a_rejection_without_a_request(
    gateway: LitellmGateway, server: FaultServer
) -> None:
    with pytest.raises(GatewayError) as caught:
        await gateway.complete(request("deepinfra/m", server.base("good")))
    assert caught.value.fault == "tool_choice_rejected"
    assert server.requests == []


async def test_a_parameter_outside_litellms_table_is_an_unsupported_parameter(
    gateway: LitellmGateway, server: FaultServer
) -> None:
    asked = request(CLAUDE, server.base("good"), parameters={"logit_bias": {"1": 1}})
    with pytest.raises(GatewayError, match="logit_bias") as caught:
        await gateway.complete(asked)
    assert caught.value.fault == "unsupported_param"


@pytest.mark.parametrize("name", ["mock_response", "fallbacks", "num_retries"])
async def test_a_parameter_cannot_steer_litellm(
    gateway: LitellmGateway, server: FaultServer, name: str
) -> None:
    with pytest.raises(GatewayError, match=name) as caught:
        await gateway.complete(request("openai/m", server.base("good"), parameters={name: "x"}))
    assert (caught.value.fault, server.requests) == ("setup", [])


@pytest.mark.parametrize(
    ("model", "variable"), [("openai/m", "OPENAI_API_KEY"), (CLAUDE, "ANTHROPIC_API_KEY")]
)
async def test_a_missing_key_is_named_by_the_variable_to_set(model: str, variable: str) -> None:
    asked = request(model, "")
    async with aclosing(LitellmGateway(lambda _: None)) as gateway:
        with pytest.raises(GatewayError, match=f"set {variable}") as caught:
            await gateway.complete(replace(asked, target=replace(asked.target, api_base=None)))
    assert caught.value.fault == "setup"


async def test_a_local_server_is_asked_without_a_key(server: FaultServer) -> None:
    async with aclosing(LitellmGateway(lambda _: None)) as gateway:
        await gateway.complete(request("openai/m", server.base("good")))
    assert server.requests[0].headers["authorization"] == "Bearer not-needed"


async def test_a_provider_that_nobody_knows_is_a_matter_of_setup(
    gateway: LitellmGateway, server: FaultServer
) -> None:
    with pytest.raises(GatewayError, match="nosuch/m") as caught:
        await gateway.complete(request("nosuch/m", server.base("good")))
    assert caught.value.fault == "setup"


async def test_an_error_that_arrives_in_time_is_read_though_litellm_rewords_it(
    gateway: LitellmGateway, server: FaultServer
) -> None:
    server.behaviours["odd"] = answering(error("tool_choice: 'required' is unknown"), 422)
    with pytest.raises(GatewayError) as caught:
        await gateway.complete(request("openai/m", server.base("odd")))
    assert str(caught.value) == "under test: HTTP 422: tool_choice: 'required' is unknown"


async def test_targets_of_one_server_share_one_client(
    gateway: LitellmGateway, server: FaultServer
) -> None:
    for model in ("openai/a", "openai/b", "custom_openai/a"):
        await gateway.complete(request(model, server.base("good")))
    assert len(gateway._openai) == 1


async def test_closing_one_gateway_leaves_the_requests_of_another_alone(
    gateway: LitellmGateway, server: FaultServer
) -> None:
    held, closed = threading.Event(), threading.Event()

    async def held_until_closed(peer: Peer, seen: Seen) -> bool:
        held.set()
        await asyncio.to_thread(closed.wait, 30)
        return await answering(GEMINI)(peer, seen)

    async def close_another() -> None:
        async with aclosing(LitellmGateway(lambda _: KEY)) as other:
            await other.complete(request("openai/m", server.base("good")))
            await anyio.to_thread.run_sync(held.wait, 30)
        closed.set()

    server.behaviours["held"] = held_until_closed
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(close_another)
        reply = await gateway.complete(request("gemini/gemini-2.5-pro", server.base("held")))

    assert len(reply.messages) == 1
    assert [seen.path.split("/")[1] for seen in server.requests].count("held") == 1


def run_python(code: str, cwd: Path) -> str:
    """Run code in a process of its own and return what it printed."""
    source = str(Path(toolgauge.__file__).parents[1])
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env=kept | {"PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.strip()


def test_the_adapters_are_imported_without_the_libraries_beneath(tmp_path: Path) -> None:
    code = (
        "import sys, toolgauge.gateway.litellm_gateway, toolgauge.gateway.openai_http\n"
        "print(sorted({'litellm', 'openai', 'aiohttp', 'httpx'} & sys.modules.keys()))"
    )
    assert run_python(code, tmp_path) == "[]"


def test_no_env_file_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_BASE=http://evil.example/v1\n")
    code = (
        "import os, anyio\n"
        "from toolgauge.gateway.litellm_gateway import LitellmGateway\n"
        "anyio.run(LitellmGateway(lambda _: None)._loaded)\n"
        "print(os.environ.get('OPENAI_API_BASE'))"
    )
    assert run_python(code, tmp_path) == "None"
