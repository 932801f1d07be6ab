"""The only place where parts meet: settings become gateways, gateways reach the engine."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from toolgauge.engine.plan import Emit, Parts, Sink
from toolgauge.errors import UnknownTarget
from toolgauge.formats import transcripts
from toolgauge.gateway.gateway import Gateway, Reply, Request
from toolgauge.gateway.lexical import LexicalGateway
from toolgauge.gateway.litellm_gateway import LitellmGateway
from toolgauge.gateway.prices import PriceTable
from toolgauge.gateway.replay import Recorded, ReplayGateway
from toolgauge.model.target import Target
from toolgauge.settings import Settings


class Gateways:
    """One gateway for all targets: each request goes to the adapter of its target."""

    def __init__(self, network: Gateway, offline: dict[str, Gateway]) -> None:
        self._network = network
        self._offline = offline

    def _of(self, target: Target) -> Gateway:
        return self._offline.get(target.model, self._network)

    async def complete(self, request: Request) -> Reply:
        """Return the reply of the target's own adapter."""
        return await self._of(request.target).complete(request)

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return embeddings over the network."""
        return await self._network.embed(model, texts)

    async def aclose(self) -> None:
        """Close every adapter."""
        for gateway in (*self._offline.values(), self._network):
            await gateway.aclose()


@asynccontextmanager
async def open_gateways(
    settings: Settings, targets: Iterable[Target], *, api_base: str | None = None
) -> AsyncIterator[Gateway]:
    """Give the gateway for these targets, and close it afterwards.

    ``api_base`` is where embedding models live; the environment's OpenAI address else.

    Raises:
        InvalidFile: a ``replay`` target names a file that is no transcript.
        UnknownTarget: it does not say which of several recorded targets is meant.
    """
    offline: dict[str, Gateway] = {}
    for target in targets:
        if target.provider == "builtin":
            offline[target.model] = LexicalGateway()
        elif target.provider == "replay":
            offline[target.model] = _replay(target)
    network = LitellmGateway(
        settings.key,
        embed_api_base=api_base or settings.api_base("openai"),
        verify=settings.ca_file,
    )
    gateways = Gateways(network, offline)
    try:
        yield gateways
    finally:
        await gateways.aclose()


def parts(gateway: Gateway, *, sink: Sink, emit: Emit) -> Parts:
    """Return what the engine needs, with the real clock, real chance and listed prices."""
    return Parts(
        gateway=gateway,
        sink=sink,
        emit=emit,
        cost_of=PriceTable().cost_usd,
        clock=time.monotonic,
        rng=random.Random(),  # noqa: S311 - jitter, no secret
    )


def _replay(target: Target) -> ReplayGateway:
    name, _, wanted = target.model.removeprefix("replay/").partition("#")
    lines = list(transcripts.read_transcript(Path(name)))
    recorded = sorted({line.target for line in lines})
    if wanted and wanted not in recorded:
        raise UnknownTarget(f"{name} records {', '.join(recorded)}, not {wanted!r}")
    if not wanted and len(recorded) > 1:
        raise UnknownTarget(
            f"{name} records several targets; write one of: "
            + ", ".join(f"replay/{name}#{one}" for one in recorded)
        )
    return ReplayGateway(
        {
            (line.case_id, line.repeat): Recorded(
                line.messages, line.usage, line.latency_ms, line.error
            )
            for line in lines
            if not wanted or line.target == wanted
        }
    )
