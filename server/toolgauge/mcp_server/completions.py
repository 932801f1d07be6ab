"""Completing ids while a person fills in a prompt or the address of a resource."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from mcp.server import MCPServer
from mcp.types import CompleteRequestParams, CompleteResult, Completion

from toolgauge.errors import ToolgaugeError
from toolgauge.mcp_server.docs import TOPICS
from toolgauge.mcp_server.state import State, owner_of_request

if TYPE_CHECKING:
    from toolgauge.store.database import Database

_MOST_VALUES = 100

Known = Callable[["Database", str, dict[str, str]], Awaitable[list[str]]]


def serve_completions(server: MCPServer[Any]) -> None:
    """Answer ``completion/complete`` with the caller's own ids."""
    # the SDK's decorator hands over no context, and so no caller
    lowlevel = server._lowlevel_server  # noqa: SLF001 - see above
    lowlevel.add_request_handler("completion/complete", CompleteRequestParams, _complete)


async def _complete(ctx: Any, params: CompleteRequestParams) -> CompleteResult:
    state: State = ctx.lifespan_context
    name, begun = params.argument.name, params.argument.value
    given = (params.context.arguments or {}) if params.context else {}
    try:
        known = await _known(state, name, owner_of_request(ctx.request), given)
    except ToolgaugeError:
        known = []
    matching = [one for one in known if one.casefold().startswith(begun.casefold())]
    return CompleteResult(
        completion=Completion(
            values=matching[:_MOST_VALUES],
            total=len(matching),
            has_more=len(matching) > _MOST_VALUES,
        )
    )


async def _known(state: State, name: str, owner: str, given: dict[str, str]) -> list[str]:
    if name == "topic":
        return list(TOPICS)
    if name == "server":
        return _servers()
    find = _FINDERS.get(name)
    return await find(await state.database(), owner, given) if find else []


def _servers() -> list[str]:
    from pathlib import Path

    from toolgauge.formats.project_file import find_project, load_project

    path = find_project(Path.cwd())
    return sorted(load_project(path).mcp_servers) if path else []


async def _suites(database: Database, owner: str, _: dict[str, str]) -> list[str]:
    from toolgauge.store import suites

    page = await suites.page(database, owner=owner, limit=_MOST_VALUES)
    return [one.name for one in page.items]


async def _runs(database: Database, owner: str, _: dict[str, str]) -> list[str]:
    from toolgauge.store import runs

    page = await runs.page(database, runs.RunFilter(owner=owner), limit=_MOST_VALUES)
    return [one.run.id for one in page.items]


async def _experiments(database: Database, owner: str, _: dict[str, str]) -> list[str]:
    from toolgauge.store import experiments

    page = await experiments.page(database, owner=owner, limit=_MOST_VALUES)
    return [one.id for one in page.items]


async def _cases(database: Database, owner: str, given: dict[str, str]) -> list[str]:
    from toolgauge.service.owned import owned_run

    stored = await owned_run(database, given.get("run_id", ""), owner)
    return [case.id for case in stored.run.cases]


_FINDERS: dict[str, Known] = {
    "suite_id": _suites,
    "run_id": _runs,
    "baseline": _runs,
    "candidate": _runs,
    "experiment_id": _experiments,
    "case_id": _cases,
}
