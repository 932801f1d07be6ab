"""``toolgauge serve``: serve agents over HTTP."""

from __future__ import annotations

import socket
from typing import Annotated

import typer

from toolgauge.cli.mcp import Folders, ReadOnly, Toolsets, listed
from toolgauge.cli.stored import DatabaseUrl
from toolgauge.errors import UsageError


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")] = 8765,
    no_auth: Annotated[
        bool, typer.Option("--no-auth", help="Ask for no token; on loopback addresses only.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name by which clients reach the server."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="A site whose pages may ask (http://localhost:6274)."),
    ] = None,
    read_only: ReadOnly = False,
    toolsets: Toolsets = "",
    allow_folder: Folders = None,
    database: DatabaseUrl = None,
) -> int:
    """Serve agents over MCP at http://HOST:PORT/mcp, with tokens from TOOLGAUGE_TOKENS.

    TOOLGAUGE_TOKENS is name:token,name:token; each name sees what it made itself.
    """
    import uvicorn

    from toolgauge.cli.loop import collect_garbage
    from toolgauge.cli.output import print_note
    from toolgauge.mcp_server.app import ServerOptions
    from toolgauge.service.permissions import Permissions
    from toolgauge.settings import Settings
    from toolgauge.web.app import WebOptions, make_app
    from toolgauge.web.auth import TOKENS, read_tokens

    settings = Settings.from_env()
    tokens = None if no_auth else read_tokens(settings.key(TOKENS))
    options = ServerOptions(
        settings,
        database_url=database,
        read_only=read_only,
        toolsets=listed(toolsets),
        permissions=Permissions(folders=tuple(allow_folder or ())),
    )
    web = WebOptions(host, tokens, tuple(allow_host or ()), tuple(allow_origin or ()))
    app = make_app(options, web)
    listener = _listener(host, port)
    shown = f"[{host}]" if ":" in host else host
    print_note(f"serving MCP at http://{shown}:{listener.getsockname()[1]}/mcp")
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=5)
    collect_garbage()
    uvicorn.Server(config).run([listener])
    return 0


def _listener(host: str, port: int) -> socket.socket:
    """Return a socket that listens already, so that what is told of it is true."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(f"cannot listen on {host} port {port}: {error.strerror}") from error
