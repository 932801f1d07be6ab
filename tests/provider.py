"""A chat completions server on loopback that answers as a function of each request."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

from loopback import LoopbackServer

Answer = Callable[[dict[str, Any]], tuple[int, Any]]


def calling(name: str, **arguments: Any) -> tuple[int, Any]:
    """Return an answer with one native call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return completing(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        }
    )


def saying(text: str) -> tuple[int, Any]:
    """Return an answer without a call."""
    return completing({"role": "assistant", "content": text})


def completing(message: dict[str, Any]) -> tuple[int, Any]:
    return 200, {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "stub",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


class Provider(LoopbackServer):
    """Serves ``answer`` at ``base``; keeps every request body it saw."""

    def __init__(self, answer: Answer) -> None:
        self.seen: list[dict[str, Any]] = []
        super().__init__(_handler(self, answer))

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


def _handler(provider: Provider, answer: Answer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            provider.seen.append(request)
            status, body = answer(request)
            payload = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
