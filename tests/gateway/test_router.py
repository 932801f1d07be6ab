from __future__ import annotations

import pytest

from builders import FakeGateway
from toolgauge.gateway.gateway import Request
from toolgauge.gateway.router import GatewayRouter
from toolgauge.model.target import Target

pytestmark = pytest.mark.anyio


async def asked(target: Target) -> str:
    gateways = {name: FakeGateway() for name in ("own", "direct", "litellm")}
    router = GatewayRouter(
        {"builtin/lexical": gateways["own"]},
        direct=gateways["direct"],
        litellm=gateways["litellm"],
    )
    await router.complete(Request(target, (), (), "auto"))
    (name,) = (name for name, gateway in gateways.items() if gateway.requests)
    return name


@pytest.mark.parametrize(
    ("target", "adapter"),
    [
        (Target("x", "builtin/lexical"), "own"),
        (Target("x", "openai/gpt-4o-mini"), "direct"),
        (Target("x", "hosted_vllm/qwen", api_base="http://127.0.0.1:1/v1"), "direct"),
        (Target("x", "openrouter/a/b"), "direct"),
        (Target("x", "anthropic/claude-sonnet-4-5"), "litellm"),
        (Target("x", "gemini/gemini-2.5-flash"), "litellm"),
        (Target("x", "nosuchprovider/model"), "litellm"),
        (Target("x", "openai/gpt-4o-mini", gateway="litellm"), "litellm"),
        (Target("x", "anthropic/claude", api_base="http://h/v1", gateway="direct"), "direct"),
    ],
)
async def test_each_target_is_asked_through_the_adapter_that_it_needs(target, adapter) -> None:
    assert await asked(target) == adapter


async def test_embeddings_go_over_the_network() -> None:
    direct, litellm = FakeGateway(), FakeGateway()
    router = GatewayRouter({}, direct=direct, litellm=litellm)
    await router.embed("openai/text-embedding-3-small", ("a",))
    await router.embed("voyage/voyage-3", ("b",))
    assert (direct.embedded, litellm.embedded) == ([("a",)], [("b",)])
