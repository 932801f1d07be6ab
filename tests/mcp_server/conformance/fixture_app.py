"""The product's own app with everything that the conformance suites ask a server for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.types import JSONRPCMessage

from mcp_server.conformance.asking import add_asking
from mcp_server.conformance.contents import add_contents
from mcp_server.conformance.memory_tasks import MemoryTasks, add_task_tools
from serving import serving
from toolgauge.mcp_server.app import ServerOptions, make_server
from toolgauge.settings import Settings
from toolgauge.web.app import WebOptions, app_of

RETRY_MS = 500


@asynccontextmanager
async def serving_fixtures(folder: Path) -> AsyncIterator[str]:
    """Give the address of the server, which is made as the product makes it."""
    options = ServerOptions(Settings({}), f"sqlite:///{folder}/fixtures.db", is_durable=False)
    async with anyio.create_task_group() as group:
        server = make_server(options, MemoryTasks(group))
        add_contents(server)
        add_asking(server)
        add_task_tools(server)
        # streams that go on after a broken connection: the product leaves them out, since all
        # that it answers can be had again by an id; older clients' scenarios need them
        server.streamable_http_app = partial(
            server.streamable_http_app, event_store=Events(), retry_interval=RETRY_MS
        )
        async with serving(app_of(server, WebOptions("127.0.0.1", None))) as base:
            yield f"{base}/mcp"
        group.cancel_scope.cancel()


class Events(EventStore):
    """All events, by their number."""

    def __init__(self) -> None:
        self._events: list[tuple[str, JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(
        self, last_event_id: str, send_callback: EventCallback
    ) -> str | None:
        after = int(last_event_id)
        stream_id = self._events[after - 1][0]
        for number, (stream, message) in enumerate(self._events[after:], start=after + 1):
            if stream == stream_id and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream_id
