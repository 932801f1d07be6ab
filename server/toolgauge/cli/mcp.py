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
        typer.Option(
            "--allow-commands",
            help="Agents may name programs (import_tools) and code or files (python:, replay/).",
        ),
    ] = False,
    database: DatabaseUrl = None,
) -> int:
    """Serve agents over MCP on stdin and stdout; hosts start this themselves.

    MCP servers at any address may be asked for their tools. Programs, and targets that load
    code or files, are those of .toolgauge.yml alone, unless --allow-commands.
    """
    from toolgauge.cli.loop import collect_garbage
    from toolgauge.mcp_server.app import ServerOptions, make_server, run_stdio
    from toolgauge.service.permissions import Permissions
    from toolgauge.settings import Settings

    allowed = Permissions(
        folders=tuple(allow_folder or ()),
        urls=True,
        commands=allow_commands,
        local_targets=allow_commands,
    )
    options = ServerOptions(
        Settings.from_env(),
        database_url=database,
        read_only=read_only,
        toolsets=listed(toolsets),
        permissions=allowed,
    )
    server = make_server(options)
    collect_garbage()
    run_stdio(server)
    return 0


def listed(text: str) -> tuple[str, ...]:
    """Return the words of a list with commas."""
    return tuple(word for part in text.split(",") if (word := part.strip()))
