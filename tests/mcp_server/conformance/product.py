"""The product as users start it."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio.streams.text import TextReceiveStream

from mcp_server.conformance.node import environment

TOOLGAUGE = (sys.executable, "-m", "toolgauge")
_SERVED = re.compile(r"serving MCP at (http\S+)")


@asynccontextmanager
async def serving_product(folder: Path, tokens: str | None = None) -> AsyncIterator[str]:
    """Give the address of ``toolgauge serve`` on a database of its own; it ends with the block."""
    arguments = ["serve", "--port", "0", "--database", f"sqlite:///{folder}/product.db"]
    keys = {"TOOLGAUGE_TOKENS": tokens} if tokens else {}
    command = [*TOOLGAUGE, *arguments, *([] if tokens else ["--no-auth"])]
    process = await anyio.open_process(
        command, stdout=None, env=environment(folder) | keys, cwd=folder
    )
    stderr = TextReceiveStream(process.stderr)
    async with process, anyio.create_task_group() as tasks:
        try:
            address = await _address(stderr)
            tasks.start_soon(_read_on, stderr)
            yield address
        finally:
            tasks.cancel_scope.cancel()
            process.terminate()


async def _address(stderr: TextReceiveStream) -> str:
    written = ""
    with anyio.fail_after(30):
        async for text in stderr:
            written += text
            if found := _SERVED.search(written):
                return found[1]
    raise SystemExit(f"toolgauge serve did not start:\n{written}")


async def _read_on(stderr: TextReceiveStream) -> None:
    """Read what nobody needs, so that the server never waits for a reader."""
    async for _ in stderr:
        pass
