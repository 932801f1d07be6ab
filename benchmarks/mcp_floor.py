"""A server with one tool that does nothing: the least that a call costs with the SDK.

``mcp_floor.py`` serves over stdio, ``mcp_floor.py http`` over HTTP on any free port of this
machine, whose address is its first line on stderr.
"""

from __future__ import annotations

import socket
import sys

import uvicorn
from mcp.server import MCPServer

server = MCPServer("floor", version="1", log_level="WARNING")


@server.tool()
async def nothing() -> str:
    """Do nothing."""
    return "ok"


def serve_http() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"serving MCP at http://127.0.0.1:{listener.getsockname()[1]}/mcp", file=sys.stderr)
    app = server.streamable_http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        serve_http()
    else:
        server.run("stdio")
