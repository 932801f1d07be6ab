"""A chat-completions server on loopback that fails in every way providers do.

``http://127.0.0.1:PORT/<behaviour>/v1`` is the ``api_base`` of one behaviour; the names
are the keys of ``BEHAVIOURS``. It speaks plain sockets, because resets, silence and
bodies that never end are no business of an HTTP library. It runs on a thread of its own
and keeps every request it has read.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Self

DRIP_S = 0.02
RETRY_DATE = {
    "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
    "Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT",
}


@dataclass(frozen=True)
class Seen:
    """One request as the server read it; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Peer:
    """One connection, as a behaviour sees it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """Close with RST: what is not yet read is lost."""
        linger = struct.pack("ii", 1, 0)
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.writer.transport.abort()


Behaviour = Callable[[Peer, Seen], Awaitable[bool]]
"""Answers one request; returns whether the connection can carry another."""


def head(status: int, length: int, headers: dict[str, str] | None = None) -> bytes:
    fields = {"Content-Type": "application/json", "Content-Length": str(length)} | (headers or {})
    lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {text}" for name, text in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def answering(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Behaviour:
    """Return a behaviour that answers with one body: text as it is, all else as JSON."""
    data = (body if isinstance(body, str) else json.dumps(body)).encode()

    async def answer(peer: Peer, _: Seen) -> bool:
        await peer.send(head(status, len(data), headers) + data)
        return True

    return answer


async def silent(peer: Peer, _: Seen) -> bool:
    """Say nothing until the client gives up."""
    await peer.reader.read()
    return False


async def dripping(peer: Peer, _: Seen) -> bool:
    """Send a byte now and then, so that every single read succeeds in time."""
    await peer.send(head(200, 1_000_000))
    while True:
        await peer.send(b" ")
        await asyncio.sleep(DRIP_S)


async def resetting(peer: Peer, _: Seen) -> bool:
    peer.reset()
    return False


async def truncating(peer: Peer, _: Seen) -> bool:
    """Promise more than is sent, then hang up."""
    await peer.send(head(200, 1000) + b'{"choices": [')
    return False


async def babbling(peer: Peer, _: Seen) -> bool:
    """Speak something that is no HTTP."""
    await peer.send(b"220 mail.example ESMTP\r\n\r\n")
    return False


async def embedding(peer: Peer, seen: Seen) -> bool:
    """Answer with vectors in reverse order: ``index`` says which is which."""
    count = len(seen.body["input"])
    data = [{"index": i, "embedding": [float(i), 0.5]} for i in reversed(range(count))]
    return await answering({"data": data})(peer, seen)


def completion(message: dict[str, Any], finish: str = "stop", **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": message}
    return {"id": "c1", "object": "chat.completion", "model": "m", "choices": [choice], **more}


def call(arguments: Any, name: str = "get_weather", **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **more}


def calling(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def error(message: str, code: Any = None, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "some_error", "code": code, **more}}


USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
MESSAGES: dict[str, dict[str, Any]] = {
    "good": calling(call('{"city": "Oslo"}', id="call_1")) | {"reasoning_content": "cold there"},
    "parallel": calling(call('{"city": "Oslo"}', id="a"), call('{"city": "Rome"}', id="b")),
    "text": {"role": "assistant", "content": "It rains.", "refusal": None},
    "malformed_arguments": calling(call('{"city": "Os', id="a")),
    "list_arguments": calling(call('["Oslo"]', id="a")),
    "dict_arguments": calling(call({"city": "Oslo"}, id="a")),
    "null_arguments": calling(call(None, id="a")),
    "no_id": calling(call('{"city": "Oslo"}')),
    "filtered": {"role": "assistant", "content": ""},
    "unknown_fields": calling(call("{}", id="a", index=3)) | {"weird": {"a": [1]}},
}
REPLIES = {name: completion(message, usage=USAGE) for name, message in MESSAGES.items()} | {
    "filtered": completion(MESSAGES["filtered"], "content_filter", usage=USAGE),
    "no_id": completion(MESSAGES["no_id"]),
}
TOOL_CHOICE = error("tool_choice 'required' is not supported by this model", param="tool_choice")
BEHAVIOURS: dict[str, Behaviour] = {
    **{name: answering(reply) for name, reply in REPLIES.items()},
    "empty_choices": answering({"id": "c1", "object": "chat.completion", "choices": []}),
    "429": answering(error("Rate limit reached"), 429),
    "429_seconds": answering(error("Rate limit reached"), 429, {"Retry-After": "7"}),
    "429_date": answering(error("Rate limit reached"), 429, RETRY_DATE),
    "429_quota": answering(error("You have no credit left", "insufficient_quota"), 429),
    "500": answering(error("The server had an error"), 500),
    "502": answering("<html><title>502 Bad Gateway</title></html>", 502),
    "503": answering(error("Overloaded"), 503, {"Retry-After": "2"}),
    "401": answering(error("Incorrect API key provided: sk-secret-key"), 401),
    "403": answering(error("Country not supported"), 403),
    "403_empty": answering("", 403),
    "404": answering(error("The model m does not exist", "model_not_found"), 404),
    "408": answering(error("Request timed out"), 408),
    "307": answering("", 307, {"Location": "/good/v1/chat/completions"}),
    "bad_request": answering(error("temperature must be at most 2"), 400),
    "unsupported_param": answering(error("Unsupported parameter: 'seed'"), 400),
    "tool_choice_400": answering(TOOL_CHOICE, 400),
    "tool_choice_422": answering(
        {"detail": [{"loc": ["body", "tool_choice"], "msg": "Input should be 'auto'"}]}, 422
    ),
    "no_functions": answering(error("m does not support tools"), 400),
    "content_filter_400": answering(error("Blocked by policy", "content_filter"), 400),
    "context_length": answering(error("Too long", "context_length_exceeded"), 400),
    "error_200": answering(error("Upstream is overloaded", 529)),
    "error_200_rate": answering(error("Slow down", "rate_limit_exceeded")),
    "error_200_bare": answering({"error": "something broke"}),
    "invalid_json": answering('{"choices": [{"message": '),
    "html": answering("<html>Welcome</html>", 200, {"Content-Type": "text/html"}),
    "no_choices": answering({"id": "c1", "object": "chat.completion"}),
    "null_message": answering({"choices": [{"message": None}]}),
    "array": answering([1, 2]),
    "reset": resetting,
    "silent": silent,
    "slow_body": dripping,
    "truncated": truncating,
    "no_http": babbling,
    "vectors": embedding,
    "missing_vector": answering({"data": [{"index": 0, "embedding": [1.0]}]}),
    "uneven_vectors": answering(
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]}
    ),
}


@dataclass
class FaultServer:
    """The server, as a context manager; ``behaviours`` may be replaced or added to."""

    behaviours: dict[str, Behaviour] = field(default_factory=lambda: dict(BEHAVIOURS))
    tls: ssl.SSLContext | None = None
    requests: list[Seen] = field(default_factory=list)
    port: int = 0

    def base(self, behaviour: str) -> str:
        scheme = "https" if self.tls else "http"
        return f"{scheme}://127.0.0.1:{self.port}/{behaviour}/v1"

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._serving: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault server")
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        """Leave no socket behind: neither of a connection just accepted, nor of one at work."""
        accepting = asyncio.all_tasks() - {asyncio.current_task()} - self._serving.keys()
        await asyncio.gather(*accepting)  # before the server is closed: it would drop them
        self._server.close()
        for task, writer in self._serving.items():
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving[self._loop.create_task(self._serve(Peer(reader, writer)))] = writer

    async def _serve(self, peer: Peer) -> None:
        try:
            if self.tls:
                await peer.writer.start_tls(self.tls)
            while await self._answer(peer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client has gone
        peer.writer.close()

    async def _answer(self, peer: Peer) -> bool:
        lines = (await peer.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        fields = (line.split(": ", 1) for line in lines[1:] if line)
        headers = {name.lower(): text for name, text in fields}
        body = await peer.reader.readexactly(int(headers.get("content-length", "0")))
        seen = Seen(lines[0].split(" ")[1], headers, json.loads(body or b"null"))
        self.requests.append(seen)
        return await self.behaviours[seen.path.split("/")[1]](peer, seen)
