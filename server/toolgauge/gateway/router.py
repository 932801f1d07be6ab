"""One gateway for all targets: each request goes to the adapter that its target needs."""

from __future__ import annotations

from collections.abc import Mapping

from toolgauge.gateway.gateway import Gateway, Reply, Request
from toolgauge.gateway.providers import ReadBase, providers_own, speaks_chat_completions
from toolgauge.model.target import Target


class GatewayRouter:
    """Routes requests by target.

    ``own`` holds adapters of single models (built in, recordings, agents). Of the rest,
    what speaks OpenAI's chat completions is asked directly, everything else through
    litellm, unless the target says otherwise. ``embed_base`` says where an embedding model
    lives, None for the provider's own address.
    """

    def __init__(
        self,
        own: Mapping[str, Gateway],
        *,
        direct: Gateway,
        litellm: Gateway,
        embed_base: ReadBase = providers_own,
    ) -> None:
        self._own = own
        self._direct = direct
        self._litellm = litellm
        self._embed_base = embed_base

    async def complete(self, request: Request) -> Reply:
        """Return the reply of the target's adapter."""
        return await self._of(request.target).complete(request)

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return one vector per text, over the network."""
        target = Target(model, model, api_base=self._embed_base(model))
        return await self._of(target).embed(model, texts)

    async def aclose(self) -> None:
        """Close every adapter."""
        for gateway in (*self._own.values(), self._direct, self._litellm):
            await gateway.aclose()

    def _of(self, target: Target) -> Gateway:
        if target.model in self._own:
            return self._own[target.model]
        wanted = target.gateway or ("direct" if speaks_chat_completions(target) else "litellm")
        return self._direct if wanted == "direct" else self._litellm
