"""The web app: MCP over streamable HTTP, and whether it is alive."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from toolgauge import __version__
from toolgauge.errors import UsageError
from toolgauge.mcp_server.app import Server, ServerOptions, http_app, make_server
from toolgauge.web.auth import BearerAuth, HeaderChecks, Tokens, is_loopback

HEALTH = "/healthz"


@dataclass(frozen=True, slots=True)
class WebOptions:
    """Where the app listens and who may ask.

    ``tokens`` None: everybody may, which only a loopback address allows. ``hosts`` are names
    by which the server is known besides ``host``; ``origins`` pages that may ask it.
    """

    host: str
    tokens: Tokens | None
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()


def make_app(server: ServerOptions, web: WebOptions) -> Starlette:
    """Return the app; it may be served once.

    Raises:
        UsageError: it would be open to a network without tokens, or no host name is known.
    """
    return app_of(make_server(server), web)


def app_of(mcp: Server, web: WebOptions) -> Starlette:
    """Return the app that serves an MCP server; it may be served once.

    Raises:
        UsageError: it would be open to a network without tokens, or no host name is known.
    """
    if web.tokens is None and not is_loopback(web.host):
        raise UsageError(
            f"without tokens anybody who reaches {web.host} could spend your money; listen on "
            "127.0.0.1, or set TOOLGAUGE_TOKENS"
        )
    inner = http_app(mcp)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with mcp.session_manager.run():
            yield

    return Starlette(
        routes=[Route(HEALTH, _health), *inner.routes],
        lifespan=lifespan,
        middleware=[
            Middleware(HeaderChecks, hosts=_hosts(web), origins=web.origins),
            Middleware(BearerAuth, tokens=web.tokens, open_paths=(HEALTH,)),
        ],
    )


async def _health(_: Request) -> JSONResponse:
    return JSONResponse({"status": "ok", "version": __version__})


def _hosts(web: WebOptions) -> tuple[str, ...]:
    own = ("127.0.0.1", "localhost", "::1") if is_loopback(web.host) else (web.host,)
    known = (*own, *web.hosts)
    if set(known) <= {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
        raise UsageError(
            f"listening on {web.host}, the server must know its names: add --allow-host NAME"
        )
    return known
