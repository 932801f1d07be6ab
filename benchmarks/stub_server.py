"""A chat completions server that answers every question rightly, after a wait.

``http://127.0.0.1:PORT/200/chat/completions`` answers after 200 ms. The answer calls
``get_weather`` for the city that the request names (``City 17``). Several processes
share one port, and each speaks HTTP by hand: what is measured is the client, on the
same machine. Begin with ``serving``; run as a script, it is one of those processes.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
_HEAD_END = b"\r\n\r\n"
_PATH = re.compile(rb"POST /(\d+)/")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CITY = re.compile(rb"City \d+")
_ANSWER = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "call_1",
                            "type": "function",
                            "function": {
                                "name": "get_weather",
                                "arguments": json.dumps({"city": "CITY", "units": "celsius"}),
                            },
                        }
                    ],
                },
            }
        ],
        "usage": {"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420},
    }
).encode()


class _Connection(asyncio.Protocol):
    """One client, kept alive; requests come one after another."""

    def __init__(self) -> None:
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (request := self._next_request()) is not None:
            head, body = request
            wait = _PATH.match(head)
            city = _CITY.search(body)
            if wait is None or city is None:
                self._transport.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                continue
            answer = _ANSWER.replace(b"CITY", city[0])
            if wait_ms := int(wait[1]):
                loop = asyncio.get_running_loop()
                loop.call_later(wait_ms / 1000, self._answer, answer)
            else:
                self._answer(answer)

    def _next_request(self) -> tuple[bytes, bytes] | None:
        head, found, rest = self._received.partition(_HEAD_END)
        stated = _LENGTH.search(head)
        length = int(stated[1]) if stated else 0
        if not found or len(rest) < length:
            return None
        self._received = rest[length:]
        return head, rest[:length]

    def _answer(self, body: bytes) -> None:
        if not self._transport.is_closing():
            head = (
                f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
            )
            self._transport.write(head.encode() + _HEAD_END + body)


@contextmanager
def serving(processes: int = 2) -> Iterator[str]:
    """Give the address of servers that stop with the block; ``/WAIT_MS`` comes after it."""
    with ExitStack() as started, socket.socket() as port_holder:
        # bound but not listening: it reserves the number and takes no connection
        port_holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        port_holder.bind(("127.0.0.1", 0))
        port = port_holder.getsockname()[1]
        for _ in range(processes):
            started.enter_context(_process(port))
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _process(port: int) -> Iterator[None]:
    command = [sys.executable, __file__, str(port)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        if process.stdout.readline() != "ready\n":
            raise SystemExit("the stub server did not start")
        try:
            yield
        finally:
            process.stdin.close()  # it lives as long as we do, however we end


async def _serve(port: int) -> None:
    loop = asyncio.get_running_loop()
    await loop.create_server(_Connection, "127.0.0.1", port, reuse_port=True, backlog=1024)
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
