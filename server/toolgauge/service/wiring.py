"""The only place where parts meet: settings become gateways, gateways reach the engine."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from toolgauge.engine.embeddings import Embedder
from toolgauge.engine.limits import Patience, ProviderLimit
from toolgauge.engine.plan import Emit, Parts, Sink
from toolgauge.gateway.caching import CacheMode, CachingGateway
from toolgauge.gateway.gateway import Gateway
from toolgauge.gateway.litellm_gateway import LitellmGateway
from toolgauge.gateway.openai_http import OpenaiHttpGateway
from toolgauge.gateway.prices import PriceTable
from toolgauge.gateway.router import GatewayRouter
from toolgauge.jobs.provider_limits import LimitedGateway
from toolgauge.model.run import RunOptions
from toolgauge.model.target import LOCAL_PROVIDERS, Target
from toolgauge.settings import Settings
from toolgauge.store.cache import StoredReplies
from toolgauge.store.database import Database, open_database
from toolgauge.store.location import default_url

_CONNECTIONS = 100


@asynccontextmanager
async def open_gateways(
    settings: Settings,
    targets: Iterable[Target],
    *,
    api_base: str | None = None,
    import_roots: Sequence[Path] = (),
    concurrency: int = _CONNECTIONS,
) -> AsyncIterator[Gateway]:
    """Give the gateway for these targets, and close it afterwards.

    ``api_base`` is where embedding models live; the environment's address of their
    provider else.
    ``import_roots`` are folders in which ``python:`` targets are found, before the
    working directory. ``concurrency`` is how many connections may be open at once.

    Raises:
        GatewayError: a ``python:`` target cannot be imported.
        InvalidFile: a ``replay`` target names a file that is no transcript.
        UnknownTarget: it does not say which of several recorded targets is meant.
    """
    own: dict[str, Gateway] = {}
    for target in targets:
        if target.provider in LOCAL_PROVIDERS:
            from toolgauge.service.local_targets import local_gateway  # noqa: PLC0415 - 40 ms that models behind a network are spared

            own[target.model] = local_gateway(target, import_roots)

    def embed_base(model: str) -> str | None:
        return api_base or settings.api_base(model.partition("/")[0])

    router = GatewayRouter(
        own,
        direct=OpenaiHttpGateway(
            settings.key,
            concurrency=concurrency,
            embed_base=embed_base,
            verify=settings.ca_file,
        ),
        litellm=LitellmGateway(settings.key, embed_base=embed_base, verify=settings.ca_file),
        embed_base=embed_base,
    )
    try:
        yield router
    finally:
        await router.aclose()


def behind_store(gateway: Gateway, database: Database, mode: CacheMode) -> Gateway:
    """Return the gateway as runs use it: what all processes on a database share holds for it.

    Targets are asked as often a minute as they allow, and what the response cache holds, where
    one is wanted, is not asked at all.
    """
    limited = LimitedGateway(gateway, database)
    if mode == "off":
        return limited
    return CachingGateway(limited, stored_replies(database), mode=mode)


def embedder(gateway: Gateway, model: str | None) -> Embedder | None:
    """Return who makes vectors where nothing else is asked; None without a model for it."""
    if model is None:
        return None
    options = RunOptions()
    patience = Patience(
        ProviderLimit(1),
        attempts=options.attempts,
        attempt_timeout_s=options.attempt_timeout_s,
        clock=time.monotonic,
        rng=random.Random(),  # noqa: S311 - jitter, no secret
    )
    return Embedder(gateway, model, patience)


def stored_replies(database: Database) -> StoredReplies:
    """Return the response cache of a database, stamping what it keeps with the real time."""
    return StoredReplies(database, lambda: datetime.now(UTC))


@asynccontextmanager
async def open_store(settings: Settings, url: str | None = None) -> AsyncIterator[Database]:
    """Give the database of ``url``, else of the settings, else the user's own file."""
    async with open_database(url or settings.database_url or default_url()) as database:
        yield database


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
