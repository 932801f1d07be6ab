"""Tools of a live MCP server, as tool definitions: over stdio, streamable HTTP or SSE.

Servers are other people's programs. What they list is read within bounds of time, number
and size (``mcp_mending``), and why one cannot be read is told in one line (``mcp_faults``).
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from toolgauge.errors import CannotMeasure
from toolgauge.formats.mcp_faults import Seen, why_unread
from toolgauge.formats.mcp_mending import Mended, Mender
from toolgauge.model.tools import ToolSpec

MAX_PAGES = 100
TIMEOUT_S = 40.0
_MOST_OF_AN_ANSWER = 16 * 1024 * 1024
_SDK_LOGGERS = ("mcp.client.stdio", "mcp.client.sse", "mcp.client.streamable_http")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Program:
    """A server that is started and spoken to by stdio; it gets ``env`` and no other secrets.

    ``secrets`` are values that no message may show.
    """

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: Path | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Address:
    """A server that listens; ``is_sse`` for the transport of before March 2025.

    ``secrets`` are values that no message may show.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_sse: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class ListedTools:
    """The tools of a server in its order, and what was mended or left out.

    ``title`` is what the server calls itself, empty where it does not say.
    """

    tools: tuple[ToolSpec, ...]
    warnings: tuple[str, ...]
    title: str = ""


async def list_tools(
    server: Program | Address, *, name: str, timeout_s: float = TIMEOUT_S
) -> ListedTools:
    """Return every tool of a server; ``name`` is what messages call it.

    Raises:
        UsageError: there is no such program or address, it refuses, or speaks no MCP.
        CannotMeasure: it is dead, or takes too long.
    """
    mender, seen = Mender(), Seen(isinstance(server, Program), server.secrets)
    try:
        with anyio.fail_after(timeout_s), _quiet():
            title = await _read(server, mender, name, seen)
    except TimeoutError as error:
        why = (
            "It wrote things that are not the protocol"
            if mender.has_nonsense
            else "Is it the right one, and does it start that fast?"
        )
        raise CannotMeasure(
            f"MCP server {name!r} did not answer within {timeout_s:g} s. {why}"
        ) from error
    return ListedTools(tuple(mender.tools.values()), tuple(mender.warnings), title)


async def _read(server: Program | Address, mender: Mender, name: str, seen: Seen) -> str:
    """Take in the tools of a server, and return its title."""
    try:
        async with _connected(server, mender, seen) as client:
            await _read_pages(client, mender)
            info = client.server_info
            return (info.title or info.name or "") if info else ""
    except (
        *(MCPError, OSError, ValueError, RuntimeError, ExceptionGroup),
        *(httpx2.HTTPError, httpx2.InvalidURL),
    ) as error:
        raise why_unread(error, name, seen) from error


async def _read_pages(client: Client, mender: Mender) -> None:
    cursor, seen = None, set[str]()
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        cursor = page.next_cursor
        if cursor is None or mender.is_full:
            return
        if cursor in seen:
            mender.warn("the server repeats a page; the rest was not read")
            return
        seen.add(cursor)
    mender.warn(f"more than {MAX_PAGES} pages; the rest was not read")


@asynccontextmanager
async def _connected(
    server: Program | Address, mender: Mender, seen: Seen
) -> AsyncIterator[Client]:
    async with (
        _transport(server, seen) as transport,
        Client(Mended(transport, mender)) as client,
    ):
        yield client


@asynccontextmanager
async def _transport(
    server: Program | Address, seen: Seen
) -> AsyncIterator[AbstractAsyncContextManager[Any]]:
    if isinstance(server, Program):
        parameters = StdioServerParameters(
            command=server.command, args=list(server.args), env=dict(server.env), cwd=server.cwd
        )
        # what the program says of itself is not ours to show
        with Path(os.devnull).open("w") as nowhere:  # noqa: ASYNC230 - it opens at once
            yield stdio_client(parameters, errlog=nowhere)
    elif server.is_sse:

        def factory(
            headers: dict[str, str] | None = None,
            timeout: httpx2.Timeout | None = None,
            auth: httpx2.Auth | None = None,  # noqa: ARG001 - the SDK's signature; we have none
        ) -> httpx2.AsyncClient:
            return _http(headers or {}, timeout, seen)

        headers = dict(server.headers)
        yield sse_client(server.url, headers=headers, httpx_client_factory=factory)
    else:
        async with _http(server.headers, httpx2.Timeout(30.0), seen) as http:
            yield streamable_http_client(
                server.url, http_client=http, max_sse_event_size=_MOST_OF_AN_ANSWER
            )


def _http(
    headers: Mapping[str, str], timeout: httpx2.Timeout | None, seen: Seen
) -> httpx2.AsyncClient:
    """Return a client that takes no more than it is worth, and notes how it was refused."""

    async def look(response: httpx2.Response) -> None:
        seen.note(response.request.method, response.status_code)
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("it compresses, though asked not to")
        response.stream = _Bounded(response.stream)

    # compressed answers could be of any size, once unpacked
    return httpx2.AsyncClient(
        headers={**headers, "Accept-Encoding": "identity"},
        timeout=timeout,
        event_hooks={"response": [look]},
    )


class _Bounded(httpx2.AsyncByteStream):
    """The body of an answer, up to a limit."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the bytes; an error where they are too many."""
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > _MOST_OF_AN_ANSWER:
                raise httpx2.ReadError(f"it answers with more than {_MOST_OF_AN_ANSWER:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        """Close the body."""
        await self._inner.aclose()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the SDK from logging a traceback for whatever a server says; it is told once, by us."""

    def is_wanted(_: logging.LogRecord) -> bool:
        return _log.isEnabledFor(logging.INFO)

    loggers = [logging.getLogger(name) for name in _SDK_LOGGERS]
    for logger in loggers:
        logger.addFilter(is_wanted)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(is_wanted)
