"""``toolgauge mcp``: serve agents over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolgauge.cli.stored import DatabaseUrl

ReadOnly = Annotated[bool, typer.Option("--read-only", help="Leave out every tool that writes.")]
Toolsets = Annotated[
    str, typer.Option(metavar="A,B", help="Only these: suites, runs, experiments, scoring.")
]
Folders = Annotated[
    list[Path] | None,
    typer.Option("--allow-folder", metavar="DIR", help="import_suite may read files in it."),
]


def mcp(
    read_only: ReadOnly = False,
    toolsets: Toolsets = "",
    allow_folder: Folders = None,
    allow_commands: Annotated[
        bool,
        typer.Option("--allow-commands", help="import_tools may start programs an agent names."),
    ] = False,
    database: DatabaseUrl = None,
) -> int:
    """Serve agents over MCP on stdin and stdout; hosts start this themselves.

    Targets that load code or files, and MCP servers at any address, are allowed: what asks
    here runs as you. Programs are those of .toolgauge.yml alone, unless --allow-commands.
    """
    from toolgauge.mcp_server.app import ServerOptions, make_server, run_stdio
    from toolgauge.service.permissions import Permissions
    from toolgauge.settings import Settings

    allowed = Permissions(
        folders=tuple(allow_folder or ()),
        urls=True,
        commands=allow_commands,
        local_targets=True,
    )
    options = ServerOptions(
        Settings.from_env(),
        database_url=database,
        read_only=read_only,
        toolsets=listed(toolsets),
        permissions=allowed,
    )
    run_stdio(make_server(options))
    return 0


def listed(text: str) -> tuple[str, ...]:
    """Return the words of a list with commas."""
    return tuple(word for part in text.split(",") if (word := part.strip()))
