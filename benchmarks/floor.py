"""Sends requests by a bare aiohttp loop: the least that asking a server costs.

``floor.py URL REQUESTS CONCURRENCY FILE``: the bodies are the lines of FILE, over and
over. Nothing is parsed, scored or kept.
"""

from __future__ import annotations

import asyncio
import sys
from itertools import cycle, islice
from pathlib import Path

import aiohttp


async def ask(url: str, requests: int, *, concurrency: int, bodies: list[bytes]) -> None:
    """Send so many requests, so many at a time, and read the answers."""
    waiting = islice(cycle(bodies), requests)
    headers = {"Content-Type": "application/json"}
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector, raise_for_status=True) as session:

        async def work() -> None:
            for body in waiting:
                async with session.post(url, data=body, headers=headers) as response:
                    await response.read()

        await asyncio.gather(*(work() for _ in range(concurrency)))


if __name__ == "__main__":
    asyncio.run(
        ask(
            sys.argv[1],
            int(sys.argv[2]),
            concurrency=int(sys.argv[3]),
            bodies=Path(sys.argv[4]).read_bytes().splitlines(),
        )
    )
