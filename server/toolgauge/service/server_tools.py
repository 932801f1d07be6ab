"""Suites whose tools are a live MCP server's: the tools are asked for before a run begins.

A suite that names no server costs nothing here: what speaks MCP is imported where it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolgauge.errors import Problem
from toolgauge.formats.suite_file import LoadedSuite, parse_suite
from toolgauge.service.project import Project
from toolgauge.service.suites import server_names
from toolgauge.settings import Settings

if TYPE_CHECKING:
    from toolgauge.formats.mcp_tools import ListedTools


async def with_server_tools(
    suites: Sequence[LoadedSuite], project: Project, settings: Settings
) -> tuple[LoadedSuite, ...]:
    """Return suites with the tools of each ``{mcp: NAME}`` in its place, as they are now.

    Each server is asked once for all suites. A suite that names none is returned as it is.
    What is odd about the tools comes after what was odd in the file.

    Raises:
        UsageError: the project does not name a server, or it cannot be read as stated.
        CannotMeasure: a server is dead or too slow.
    """
    names = sorted({name for one in suites for name in server_names(one.document)})
    if not names:
        return tuple(suites)
    from toolgauge.formats.mcp_tools import list_tools  # noqa: PLC0415 - half a second, rarely used
    from toolgauge.service.imports import named_server  # noqa: PLC0415 - as above

    servers = {name: named_server(name, settings, project) for name in names}
    listed = {name: await list_tools(server, name=name) for name, server in servers.items()}
    return tuple(_filled(one, listed) for one in suites)


def _filled(loaded: LoadedSuite, listed: Mapping[str, ListedTools]) -> LoadedSuite:
    """Return a suite with the listed tools, checked anew now that they are known."""
    names = server_names(loaded.document)
    if not names:
        return loaded
    tools = {name: [tool.as_sent() for tool in listed[name].tools] for name in names}
    body = loaded.document.model_dump(mode="json", exclude_unset=True, by_alias=True)
    for owner in (body, *body["test_cases"]):
        if owner.get("tools"):
            owner["tools"] = [
                one for tool in owner["tools"] for one in tools.get(tool.get("mcp"), [tool])
            ]
    found = parse_suite(body, file=loaded.file)
    told = {problem.message for problem in loaded.warnings}
    warnings = [
        *loaded.warnings,
        *(
            Problem("tools", f"MCP server {name!r}: {text}")
            for name in names
            for text in listed[name].warnings
        ),
        *(problem for problem in found.warnings if problem.message not in told),
    ]
    return LoadedSuite(found.document, tuple(warnings), loaded.file)
