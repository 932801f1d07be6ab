"""``toolgauge import mcp``: the tools of a live MCP server, as a suite."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from toolgauge.formats.mcp_tools import Address, ListedTools, Program
    from toolgauge.service.tool_suites import ToolSuite
    from toolgauge.settings import Settings

_MOST_WARNINGS = 20
_COMMAND = "command of the server"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class CommandAfterDashes(TyperCommand):
    """A command that keeps what stands after ``--``, for ``command_of``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own, dashes, command = _parted(args)
        if dashes:
            ctx.meta[_COMMAND] = command
        return list(super().parse_args(ctx, own))


def import_mcp(
    ctx: typer.Context,
    server: Annotated[
        str | None,
        typer.Argument(metavar="SERVER", help="A server under mcp_servers of .toolgauge.yml."),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="A server that listens instead (http://…/mcp).")
    ] = None,
    sse: Annotated[bool, typer.Option("--sse", help="It speaks the older SSE transport.")] = False,
    header: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VARIABLE",
            help="Send this header, with the value of an environment variable.",
        ),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VARIABLE", help="Hand this environment variable to the started program."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="PLACE", help="The suite file to write (.json, .yaml), or a folder."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The suite's name; else the server's.")] = None,
    draft_cases: Annotated[
        bool, typer.Option("--draft-cases", help="Draft one case per tool, to be rewritten.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file.")] = False,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=600, metavar="SECONDS", help="How long it may take.")
    ] = 40.0,
    config: Annotated[
        Path | None, typer.Option(help="The project file, in place of .toolgauge.yml.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Write the tools of a live MCP server as a suite.

    The server is named in .toolgauge.yml, or given by --url, or started by a command after
    two dashes, which gets no environment variables but PATH, HOME and those of --env:
    toolgauge import mcp --draft-cases --out suites/weather.yaml -- python weather_server.py
    """
    from functools import partial

    from toolgauge.cli.loop import run_async
    from toolgauge.formats.mcp_tools import list_tools
    from toolgauge.service.imports import with_variables
    from toolgauge.service.tool_suites import write_tool_suite
    from toolgauge.settings import Settings

    settings = Settings.from_env()
    command = tuple(ctx.meta.get(_COMMAND, ()))
    found = _server(server, url, command, settings=settings, config=config, is_sse=sse)
    found = with_variables(found, _variables(found, header or [], env or []), settings)
    called = server or _called(url, command)
    listed = run_async(partial(list_tools, found, name=called, timeout_s=timeout))
    title = name or server or listed.title or called
    done = write_tool_suite(listed, title, out, draft_cases=draft_cases, force=force)
    _show(done, listed, as_json=as_json)
    return 0


def _server(
    name: str | None,
    url: str | None,
    command: tuple[str, ...],
    *,
    settings: Settings,
    config: Path | None,
    is_sse: bool,
) -> Program | Address:
    from toolgauge.errors import UsageError
    from toolgauge.service.imports import free_server, named_server
    from toolgauge.service.permissions import Permissions
    from toolgauge.service.project import open_project

    if sum(map(bool, (name, url, command))) != 1:
        raise UsageError(
            "say which server, in one way: a name of .toolgauge.yml, --url URL, or a command "
            "after two dashes (toolgauge import mcp -- python server.py)"
        )
    if name:
        return named_server(name, settings, open_project(config))
    # whoever types a command or an address may run it anyway
    return free_server(url, command, Permissions(urls=True, commands=True), is_sse=is_sse)


def _variables(
    server: Program | Address, headers: list[str], variables: list[str]
) -> dict[str, str]:
    """Return the headers, or the variables of the program, with the variables they come from.

    Messages never repeat what was given: it may be the secret itself.
    """
    from toolgauge.errors import UsageError
    from toolgauge.formats.mcp_tools import Program

    if headers and isinstance(server, Program):
        raise UsageError("--header is for servers at an address; hand variables over by --env")
    if variables and not isinstance(server, Program):
        raise UsageError("--env is for servers that are started; send secrets by --header")
    stated = (header.partition("=") for header in headers)
    found = dict(zip(variables, variables, strict=True)) | {
        name.strip(): variable.strip() for name, _, variable in stated
    }
    if not all(map(_VARIABLE.fullmatch, found.values())):
        option = "--header NAME=VARIABLE" if headers else "--env VARIABLE"
        raise UsageError(
            f"{option} takes the name of an environment variable, never the value itself"
        )
    return found


def _called(url: str | None, command: tuple[str, ...]) -> str:
    """Return what messages call a server that has no name: without what may be secret."""
    from urllib.parse import urlsplit

    if not url:
        return Path(command[0]).name
    return urlsplit(url).netloc.rpartition("@")[2] or "at the address"


def _show(done: ToolSuite, listed: ListedTools, *, as_json: bool) -> None:
    from toolgauge.cli.output import console, print_json, print_note, print_warnings
    from toolgauge.errors import Problem
    from toolgauge.report.escape import one_line

    if as_json:
        print_json(
            {
                "suite": str(done.suite_file),
                "server": listed.title,
                "tools": done.tools,
                "drafted_cases": done.drafted,
                "warnings": list(done.warnings),
            }
        )
        return
    file = str(done.suite_file)
    print_warnings(file, [Problem("", text) for text in done.warnings[:_MOST_WARNINGS]])
    if len(done.warnings) > _MOST_WARNINGS:
        print_note(f"warning: and {len(done.warnings) - _MOST_WARNINGS} more; --json shows them")
    console().print(f"{one_line(file, 4000)}: {done.tools} tools", soft_wrap=True)
    if done.drafted:
        print_note(
            f"{done.drafted} cases are drafts, tagged `draft`: read the descriptions, rewrite each "
            "case as somebody would ask, then take the tag off"
        )
    else:
        print_note("now write cases in place of the placeholder, or begin with --draft-cases")


def _parted(args: list[str]) -> tuple[list[str], bool, list[str]]:
    if "--" not in args:
        return args, False, []
    at = args.index("--")
    return args[:at], True, args[at + 1 :]
