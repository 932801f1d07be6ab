"""The server: which tools, resources and prompts it has, and what state they share."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import get_args

from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from toolgauge import __version__
from toolgauge.errors import UsageError
from toolgauge.mcp_server import (
    tools_experiments,
    tools_imports,
    tools_runs,
    tools_scoring,
    tools_suites,
)
from toolgauge.mcp_server.announcements import Announcer
from toolgauge.mcp_server.completions import serve_completions
from toolgauge.mcp_server.own_subscriptions import own_subscriptions
from toolgauge.mcp_server.prompts import add_prompts
from toolgauge.mcp_server.resources import add_resources
from toolgauge.mcp_server.run_tasks import RunTasks
from toolgauge.mcp_server.state import State
from toolgauge.mcp_server.task_notices import TaskNotices
from toolgauge.mcp_server.tasks import Tasks, TaskSource
from toolgauge.mcp_server.toolbox import ToolEntry, Toolset, register
from toolgauge.service.permissions import Permissions
from toolgauge.settings import Settings

MOST_BODY_BYTES = 12 * 1024 * 1024
"""A suite of 10 MiB, and what JSON and the protocol add to it."""

Server = MCPServer[State]
"""The server of this product."""

TOOLSETS: dict[Toolset, tuple[ToolEntry, ...]] = {
    "suites": (*tools_suites.ENTRIES, *tools_imports.ENTRIES),
    "runs": tools_runs.ENTRIES,
    "experiments": tools_experiments.ENTRIES,
    "scoring": tools_scoring.ENTRIES,
}

_INSTRUCTIONS = """\
toolgauge measures how language models call tools. A suite holds tool definitions and cases \
(a prompt and the calls it should lead to); a run asks targets (models) every case; each trial \
is scored with reasons.
Usual way: list_models, save_suite (see toolgauge://schema/suite), start_run, get_run with \
wait_s until it is no longer running, list_results with outcome failed, get_result. Compare two \
runs with compare_runs. start_run with dry_run shows the cost first; builtin/lexical is a target \
that needs no key and costs nothing."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server is started; no ``toolsets`` means all of them.

    ``is_durable`` runs are finished by another process, or the next, when this one ends.
    """

    settings: Settings
    database_url: str | None = None
    read_only: bool = False
    toolsets: Sequence[str] = ()
    permissions: Permissions = field(default_factory=Permissions)
    is_durable: bool = True


def make_server(options: ServerOptions, tasks: TaskSource | None = None) -> Server:
    """Return a server; its database is opened when a tool first needs it.

    Calls that begin a task are those of ``tasks``; runs are tasks without it.

    Raises:
        UsageError: there is no such toolset.
    """
    announcer = Announcer()
    source = tasks or RunTasks()

    @asynccontextmanager
    async def lifespan(_: Server) -> AsyncIterator[State]:
        state = State(
            options.settings,
            options.permissions,
            announcer,
            database_url=options.database_url,
            is_durable=options.is_durable,
        )
        async with state.running():
            yield state

    server: Server = MCPServer(
        "toolgauge",
        title="toolgauge",
        description="Measures how language models call tools.",
        instructions=_INSTRUCTIONS,
        version=__version__,
        lifespan=lifespan,
        subscriptions=announcer.bus,
        extensions=[Tasks(source)],
        middleware=[own_subscriptions, TaskNotices(source)],
        log_level="WARNING",
    )
    for name in _chosen(options.toolsets):
        register(server, TOOLSETS[name], read_only=options.read_only)
    add_resources(server)
    add_prompts(server)
    serve_completions(server)
    announcer.serve_legacy(server)
    return server


def _chosen(names: Sequence[str]) -> tuple[Toolset, ...]:
    known: tuple[Toolset, ...] = get_args(Toolset)
    wrong = [name for name in names if name not in known]
    if wrong:
        raise UsageError(f"no toolset {wrong[0]!r}; there are: {', '.join(known)}")
    return tuple(name for name in known if not names or name in names)


def http_app(server: Server) -> Starlette:
    """Return the app that serves ``/mcp``; whoever mounts it checks headers and callers.

    The mounting app must enter ``server.session_manager.run()``, once.
    """
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return server.streamable_http_app(
        max_request_body_size=MOST_BODY_BYTES, transport_security=unchecked
    )


def run_stdio(server: Server) -> None:
    """Serve one client over standard input and output until it goes away."""
    # what somebody prints must not wait in a buffer until the descriptor is the wire again
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    server.run("stdio")
