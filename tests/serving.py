"""An ASGI app on a loopback port, for as long as a block lasts."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import uvicorn


@asynccontextmanager
async def serving(app: Any) -> AsyncIterator[str]:
    """Give the address of an app that is served meanwhile."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()  # whoever connects before the server is up waits in the backlog
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2, ws="none")
    server = uvicorn.Server(config)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.serve, [listener])
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
