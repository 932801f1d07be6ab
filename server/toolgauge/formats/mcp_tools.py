"""Tools of a live MCP server, as tool definitions: over stdio, streamable HTTP or SSE.

Servers are other people's programs. What they list is read within bounds of time, number
and size, and what is sloppy in it is mended or left out with a warning.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import ValidationError

from toolgauge.errors import UsageError
from toolgauge.model.tools import FunctionSpec, ToolSpec

MAX_TOOLS, MAX_PAGES = 1000, 100
_MOST_OF_A_TOOL = 200_000
_MOST_OF_ALL_TOOLS = 10_000_000
_MOST_OF_AN_EVENT = 16 * 1024 * 1024
_MOST_OF_A_REASON = 500
_DEEPEST = 64
_TIMEOUT_S = 40.0
_ANY_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class Program:
    """A server that is started and spoken to by stdio; it gets ``env`` and no other secrets."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None


@dataclass(frozen=True, slots=True)
class Address:
    """A server that listens; ``is_sse`` for the transport of before March 2025."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    is_sse: bool = False


@dataclass(frozen=True, slots=True)
class ListedTools:
    """The tools of a server in its order, and what was mended or left out."""

    tools: tuple[ToolSpec, ...]
    warnings: tuple[str, ...]


async def list_tools(
    server: Program | Address, *, name: str, timeout_s: float = _TIMEOUT_S
) -> ListedTools:
    """Return every tool of a server; ``name`` is what messages call it.

    Raises:
        UsageError: it cannot be started or reached, answers nonsense, or takes too long.
    """
    mender = _Mender()
    try:
        with anyio.fail_after(timeout_s):
            await _read(server, mender, name)
    except TimeoutError as error:
        raise UsageError(f"MCP server {name!r} did not answer within {timeout_s:g} s") from error
    return ListedTools(tuple(mender.tools.values()), tuple(mender.warnings))


async def _read(server: Program | Address, mender: _Mender, name: str) -> None:
    try:
        async with _connected(server, mender) as client:
            await _read_pages(client, mender)
    except (MCPError, OSError, ValueError, RuntimeError, httpx2.HTTPError, ExceptionGroup) as error:
        raise UsageError(f"MCP server {name!r} cannot be read: {_reason(error)}") from error


async def _read_pages(client: Client, mender: _Mender) -> None:
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
async def _connected(server: Program | Address, mender: _Mender) -> AsyncIterator[Client]:
    async with _transport(server) as transport, Client(_Mended(transport, mender)) as client:
        yield client


@asynccontextmanager
async def _transport(
    server: Program | Address,
) -> AsyncIterator[AbstractAsyncContextManager[Any]]:
    if isinstance(server, Program):
        parameters = StdioServerParameters(
            command=server.command, args=list(server.args), env=dict(server.env), cwd=server.cwd
        )
        # what the program says of itself is not ours to show
        with Path(os.devnull).open("w") as nowhere:  # noqa: ASYNC230 - it opens at once
            yield stdio_client(parameters, errlog=nowhere)
    elif server.is_sse:
        yield sse_client(server.url, headers=dict(server.headers))
    else:
        limits = httpx2.Timeout(30.0)
        async with httpx2.AsyncClient(headers=dict(server.headers), timeout=limits) as http:
            yield streamable_http_client(
                server.url, http_client=http, max_sse_event_size=_MOST_OF_AN_EVENT
            )


@dataclass(slots=True)
class _Mender:
    """Takes in listed tools, and gives back what the SDK accepts of them."""

    tools: dict[str, ToolSpec] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    _size: int = 0

    @property
    def is_full(self) -> bool:
        """Whether no more tools are taken in."""
        return len(self.tools) >= MAX_TOOLS or self._size > _MOST_OF_ALL_TOOLS

    def warn(self, text: str) -> None:
        """Keep a warning, unless there are plenty."""
        if len(self.warnings) < MAX_PAGES:
            self.warnings.append(text)

    def mended(self, listed: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the tools of one page, as the protocol wants them."""
        kept = []
        for entry in listed:
            if self.is_full:
                self.warn(f"more than {MAX_TOOLS:,} tools or too much text; the rest was left out")
                break
            tool = self._tool(entry)
            if tool is not None:
                self.tools[tool.name] = tool
                kept.append({"name": tool.name, "inputSchema": tool.parameters})
        return kept

    def _tool(self, entry: Any) -> ToolSpec | None:
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name:
            self.warn("a tool without a name was left out")
            return None
        if name in self.tools:
            self.warn(f"tool {name!r} is listed twice; the first was kept")
            return None
        size = _size(entry)
        self._size += size
        if size > _MOST_OF_A_TOOL or _depth(entry) > _DEEPEST:
            self.warn(f"tool {name[:100]!r} is too large or too deep; it was left out")
            return None
        description = entry.get("description")
        if not isinstance(description, str):
            self.warn(f"tool {name!r} has no description")
            description = ""
        parameters = self._parameters(name, entry.get("inputSchema"))
        return ToolSpec(
            function=FunctionSpec(name=name, description=description, parameters=parameters)
        )

    def _parameters(self, name: str, schema: Any) -> dict[str, Any]:
        if not isinstance(schema, dict) or schema.get("type", "object") != "object":
            self.warn(f"tool {name!r} has no schema of an object; it takes anything now")
            return dict(_ANY_OBJECT)
        if "type" not in schema:
            self.warn(f"the schema of tool {name!r} lacks its type; `object` was added")
        if not isinstance(schema.get("properties", {}), dict):
            self.warn(f"the properties of tool {name!r} are no object; it takes anything now")
            return dict(_ANY_OBJECT)
        return _ANY_OBJECT | schema


class _Mended:
    """A transport whose lists of tools are mended before the SDK reads them."""

    def __init__(self, inner: AbstractAsyncContextManager[Any], mender: _Mender) -> None:
        self._inner = inner
        self._mender = mender

    async def __aenter__(self) -> tuple[Any, Any]:
        """Open the transport."""
        reading, writing = await self._inner.__aenter__()
        return _MendedStream(reading, self._mender), writing

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Close it."""
        return await self._inner.__aexit__(kind, error, trace)


class _MendedStream:
    """The messages of a server, with lists of tools mended."""

    def __init__(self, inner: Any, mender: _Mender) -> None:
        self._inner = inner
        self._mender = mender

    @property
    def last_context(self) -> Any:
        """What the SDK asks of its own streams."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        """Return the next message."""
        return self._mended(await self._inner.receive())

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        """Iterate over the messages."""
        return self

    async def __anext__(self) -> Any:
        """Return the next message; stop at the end."""
        return self._mended(await self._inner.__anext__())

    async def __aenter__(self) -> Self:
        """Open the stream."""
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Close it."""
        closed: bool | None = await self._inner.__aexit__(kind, error, trace)
        return closed

    def _mended(self, item: Any) -> Any:
        result = getattr(getattr(item, "message", None), "result", None)
        if isinstance(result, dict) and isinstance(result.get("tools"), list):
            result["tools"] = self._mender.mended(result["tools"])
        return item


def _size(entry: Any) -> int:
    try:
        return len(json.dumps(entry))
    except RecursionError:
        return _MOST_OF_A_TOOL + 1


def _depth(value: Any) -> int:
    """Return how deep a JSON value is nested, looking no deeper than is of interest."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        inner = [
            v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list)
        ]
        level, depth = [one for values in inner for one in values], depth + 1
    return depth


def _reason(error: BaseException) -> str:
    """Return what the first error within groups says."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ValidationError):
        return "what it answers is not the protocol"
    return (str(error) or type(error).__name__)[:_MOST_OF_A_REASON]
