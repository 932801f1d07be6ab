"""A gateway that keeps to calls and tokens per minute, over all processes together."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable

import anyio

from toolgauge.gateway.gateway import Gateway, Reply, Request
from toolgauge.model.target import Target
from toolgauge.store import rates
from toolgauge.store.database import Database

_CHARACTERS_PER_TOKEN = 4


class LimitedGateway:
    """Asks the targets that state ``calls_per_min`` or ``tokens_per_min`` when it is their turn.

    Turns are evenly spaced, so no minute sees more than the limit and what was in flight.
    Targets of the same model at the same address share one limit, in whichever process.
    """

    def __init__(
        self,
        inner: Gateway,
        database: Database,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        """Wrap ``inner``; ``clock`` gives seconds since an epoch that all processes share."""
        self._inner = inner
        self._database = database
        self._clock = clock
        self._sleep = sleep

    async def complete(self, request: Request) -> Reply:
        """Return the inner gateway's reply, asked for when the limits allow it.

        Tokens are guessed before (a quarter of the characters sent) and settled after.

        Raises:
            GatewayError: what the inner gateway raises.
            CannotStore: the limits cannot be read.
        """
        target = request.target
        guessed = _guessed_tokens(request) if target.tokens_per_min else 0
        await self._wait_for_turn(target, guessed)
        reply = await self._inner.complete(request)
        if target.tokens_per_min:
            used = (reply.usage.input_tokens or guessed) + (reply.usage.output_tokens or 0)
            await self._take("tokens", target, target.tokens_per_min, used - guessed)
        return reply

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return the inner gateway's vectors; embedding models have no limits."""
        return await self._inner.embed(model, texts)

    async def aclose(self) -> None:
        """Close the inner gateway."""
        await self._inner.aclose()

    async def _wait_for_turn(self, target: Target, tokens: int) -> None:
        wait_s = 0.0
        if target.calls_per_min:
            wait_s = await self._take("calls", target, target.calls_per_min, 1)
        if target.tokens_per_min:
            wait_s = max(wait_s, await self._take("tokens", target, target.tokens_per_min, tokens))
        if wait_s > 0:
            await self._sleep(wait_s)

    async def _take(self, kind: str, target: Target, per_min: int, weight: int) -> float:
        """Return how long to wait until what went before is paid off, and add our weight."""
        per_s = per_min / 60
        paid_off_s = await rates.take(
            self._database,
            f"{kind} {target.model} {target.api_base or ''}",
            per_s=per_s,
            burst=0,
            now=self._clock(),
            weight=weight,
        )
        return max(0.0, paid_off_s - weight / per_s)


def _guessed_tokens(request: Request) -> int:
    sent = json.dumps([request.messages, request.tools], ensure_ascii=False)
    return len(sent) // _CHARACTERS_PER_TOKEN + 1
