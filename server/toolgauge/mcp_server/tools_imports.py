"""The rest of the toolset ``suites``: what other systems and live MCP servers hold, imported."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgauge.errors import UsageError
from toolgauge.mcp_server import results
from toolgauge.mcp_server.state import Ctx, owner_of, state_of
from toolgauge.mcp_server.suite_items import MOST_PROBLEMS, suite_item, suite_saved, tool_item
from toolgauge.mcp_server.toolbox import ASK, SET, Detail, ToolEntry


async def import_suite(
    ctx: Ctx,
    kind: Annotated[
        str,
        Field(description="suite, or the format of another system; a wrong one lists them all."),
    ],
    # plain str: the SDK would read JSON text for anything else as the value it stands for
    content: Annotated[str, Field(description="The text of the file.")] = "",
    suffix: Annotated[str, Field(description="The suffix of the content's file.")] = ".json",
    path: Annotated[
        str | None, Field(description="A file in an allowed folder, instead of content.")
    ] = None,
) -> results.SuiteSaved:
    """Save the suite that a file or dataset of this or another system makes."""
    from toolgauge.service import imports
    from toolgauge.service.suite_edits import save_edited

    if bool(content) == bool(path):
        raise UsageError("pass either content or path")
    state = state_of(ctx)
    if path:
        loaded = await imports.import_place(kind, path, state.permissions)
    else:
        loaded = await imports.import_content(kind, content, suffix)
    return suite_saved(await save_edited(await state.database(), loaded, owner=owner_of(ctx)))


async def import_tools(
    ctx: Ctx,
    server: Annotated[
        str | None, Field(description="A name under mcp_servers of .toolgauge.yml.")
    ] = None,
    url: Annotated[str | None, Field(description="The address of a server instead.")] = None,
    sse: Annotated[bool, Field(description="The address speaks the older SSE transport.")] = False,
    command: Annotated[
        list[str] | None, Field(description="A program to start instead, with its arguments.")
    ] = None,
    into_suite: Annotated[
        str | None, Field(description="Save the tools as those of this suite, a next version.")
    ] = None,
    draft_cases: Annotated[
        bool,
        Field(
            description="With into_suite, which may be new then: draft a case for each tool, "
            "tagged draft, to be rewritten as somebody would really ask."
        ),
    ] = False,
    detail: Detail = "concise",
) -> results.ToolsImported:
    """List the tools of a live MCP server, and optionally put them into a saved suite.

    Use it to write cases for tools as they really are. ``full`` adds their schemas.
    """
    from toolgauge.formats.mcp_tools import list_tools
    from toolgauge.service import imports

    state = state_of(ctx)
    if server and not (url or command):
        found, name = imports.named_server(server, state.settings), server
    else:
        given = tuple(command or ())
        if server:
            raise UsageError("name one of: server, url, command")
        found = imports.free_server(url, given, state.permissions, is_sse=sse)
        name = url or given[0]
    listed = await list_tools(found, name=name)
    saved = None
    if into_suite:
        from toolgauge.service.suite_edits import save_edited
        from toolgauge.service.tool_suites import suite_with

        database, owner = await state.database(), owner_of(ctx)
        loaded = await suite_with(
            database, into_suite, listed, owner=owner, draft_cases=draft_cases
        )
        edited = await save_edited(database, loaded, owner=owner)
        saved = suite_item(edited.saved)
    return results.ToolsImported(
        server=name,
        total=len(listed.tools),
        tools=[tool_item(tool, full=detail == "full") for tool in listed.tools],
        warnings=list(listed.warnings[:MOST_PROBLEMS]),
        saved=saved,
    )


ENTRIES = (
    ToolEntry(import_suite, "Import a suite", SET),
    ToolEntry(import_tools, "Import tools of a server", ASK),
)
