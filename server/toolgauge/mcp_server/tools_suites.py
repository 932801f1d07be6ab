"""The toolset ``suites``: what is measured, written, checked and imported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from toolgauge.errors import InvalidFile, UsageError
from toolgauge.mcp_server import results
from toolgauge.mcp_server.state import Ctx, owner_of, state_of
from toolgauge.mcp_server.toolbox import (
    ADD,
    ASK,
    DELETE,
    READ,
    SET,
    Cursor,
    Detail,
    Limit,
    ToolEntry,
)

if TYPE_CHECKING:
    from toolgauge.errors import Problem
    from toolgauge.model.suite import SuiteDocument
    from toolgauge.service.suite_edits import Changes, Edited
    from toolgauge.store.suites import SavedSuite

SuiteId = Annotated[str, Field(description="The name of a saved suite.")]
Version = Annotated[int | None, Field(ge=1, description="The latest without it.")]
SuiteText = Annotated[
    dict[str, Any] | str,
    Field(
        description="The suite as an object, or as YAML or JSON text. See toolgauge://schema/suite."
    ),
]
_MOST_PROBLEMS = 50


async def list_suites(ctx: Ctx, cursor: Cursor = None, limit: Limit = 20) -> results.SuitePage:
    """List the saved suites, the last saved first."""
    from toolgauge.service import owned
    from toolgauge.store import suites

    database, owner = await state_of(ctx).database(), owner_of(ctx)
    page = await suites.page(database, owner=owner, cursor=cursor, limit=limit)
    return results.SuitePage(
        items=[suite_item(one) for one in page.items],
        next_cursor=page.next_cursor,
        total=await owned.total(suites.page, database, owner=owner),
    )


async def get_suite(
    ctx: Ctx,
    suite_id: SuiteId,
    version: Version = None,
    detail: Detail = "concise",
    cursor: Cursor = None,
    limit: Limit = 20,
) -> results.SuiteView:
    """Show a saved suite: its tools, and a page of its cases.

    ``full`` adds each tool's schema and each case as it was written.
    """
    from toolgauge.store import suites

    database = await state_of(ctx).database()
    saved, document = await suites.get(database, suite_id, version=version, owner=owner_of(ctx))
    start = place_of(cursor)
    cases = _cases(document, full=detail == "full")
    end = start + limit
    return results.SuiteView(
        suite_id=saved.name,
        version=saved.version,
        saved_at=saved.saved_at,
        tools=_tools(document, full=detail == "full"),
        cases=cases[start:end],
        settings=_settings(document),
        next_cursor=f"at-{end}" if end < len(cases) else None,
        total=len(cases),
        resource=suite_uri(saved.name),
    )


async def validate_suite(document: SuiteText) -> results.SuiteChecked:
    """Check a suite without saving it: every error and warning at once, with its place."""
    from toolgauge.service.suite_edits import parse_document

    try:
        loaded = parse_document(document)
    except InvalidFile as error:
        problems = problem_items(error.problems)
        return results.SuiteChecked(valid=False, n_cases=None, errors=problems, warnings=[])
    return results.SuiteChecked(
        valid=True,
        n_cases=len(loaded.document.test_cases),
        errors=[],
        warnings=problem_items(loaded.warnings),
    )


async def save_suite(ctx: Ctx, document: SuiteText) -> results.SuiteSaved:
    """Save a suite under the name it states: a new one, or the next version of one.

    Saving what the latest version holds changes nothing. Returns what differs from it.
    """
    from toolgauge.service.suite_edits import parse_document, save_edited

    database = await state_of(ctx).database()
    return suite_saved(await save_edited(database, parse_document(document), owner=owner_of(ctx)))


async def add_cases(
    ctx: Ctx,
    suite_id: SuiteId,
    cases: Annotated[
        list[dict[str, Any]],
        Field(min_length=1, max_length=500, description="Entries of test_cases."),
    ],
) -> results.SuiteSaved:
    """Add cases at the end of a saved suite, as its next version."""
    from toolgauge.service import suite_edits

    database = await state_of(ctx).database()
    return suite_saved(await suite_edits.add_cases(database, suite_id, cases, owner=owner_of(ctx)))


async def delete_suite(
    ctx: Ctx,
    suite_id: SuiteId,
    force: Annotated[bool, Field(description="Even where runs were made with it.")] = False,
) -> results.Deleted:
    """Delete every version of a suite for good. Its runs stay, with the suite as they asked it."""
    from toolgauge.store import suites

    database = await state_of(ctx).database()
    await suites.remove(database, suite_id, owner=owner_of(ctx), force=force)
    return results.Deleted(deleted=suite_id)


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
        from toolgauge.store import suites

        database, owner = await state.database(), owner_of(ctx)
        _, document = await suites.get(database, into_suite, owner=owner)
        edited = await save_edited(database, imports.loaded_with(document, listed), owner=owner)
        saved = suite_item(edited.saved)
    shown = [
        results.ToolItem(
            name=tool.name,
            description=tool.description if detail == "full" else first_line(tool.description),
            parameters=tool.parameters if detail == "full" else None,
        )
        for tool in listed.tools
    ]
    return results.ToolsImported(
        server=name,
        total=len(shown),
        tools=shown,
        warnings=list(listed.warnings[:_MOST_PROBLEMS]),
        saved=saved,
    )


ENTRIES = (
    ToolEntry(list_suites, "List suites", READ),
    ToolEntry(get_suite, "Show a suite", READ),
    ToolEntry(validate_suite, "Check a suite", READ),
    ToolEntry(save_suite, "Save a suite", SET),
    ToolEntry(add_cases, "Add cases", ADD),
    ToolEntry(delete_suite, "Delete a suite", DELETE),
    ToolEntry(import_suite, "Import a suite", SET),
    ToolEntry(import_tools, "Import tools of a server", ASK),
)


def suite_item(saved: SavedSuite) -> results.SuiteItem:
    """Return a saved version as a list shows it."""
    return results.SuiteItem(
        suite_id=saved.name,
        version=saved.version,
        n_cases=saved.n_cases,
        saved_at=saved.saved_at,
    )


def suite_saved(edited: Edited) -> results.SuiteSaved:
    """Return what saving a suite came to."""
    saved = edited.saved
    return results.SuiteSaved(
        suite_id=saved.name,
        version=saved.version,
        is_new_version=edited.is_new_version,
        n_cases=saved.n_cases,
        cases=_difference(edited.cases),
        tools=_difference(edited.tools),
        warnings=problem_items(edited.warnings),
        resource=suite_uri(saved.name),
    )


def suite_uri(name: str) -> str:
    """Return the address of a suite's resource."""
    from urllib.parse import quote

    return f"toolgauge://suites/{quote(name, safe='')}"


def problem_items(problems: Iterable[Problem]) -> list[results.ProblemItem]:
    """Return problems as results show them, at most fifty."""
    return [
        results.ProblemItem(where=one.path, message=one.message, line=one.line) for one in problems
    ][:_MOST_PROBLEMS]


def first_line(text: str, most: int = 160) -> str:
    """Return the first line of a text, cut where it is long."""
    line = text.strip().split("\n")[0]
    return line if len(line) <= most else f"{line[:most]}…"


def place_of(cursor: str | None) -> int:
    """Return where a page begins, for lists that are held whole.

    Raises:
        UsageError: it is no cursor of such a list.
    """
    if cursor is None:
        return 0
    head, _, place = cursor.partition("-")
    if head != "at" or not (place.isascii() and place.isdigit()) or len(place) > 9:
        raise UsageError(f"{cursor!r} is no cursor of this list. Begin without one")
    return int(place)


def _difference(changes: Changes) -> results.Difference:
    return results.Difference(
        added=list(changes.added), removed=list(changes.removed), changed=list(changes.changed)
    )


def _tools(document: SuiteDocument, *, full: bool) -> list[results.ToolItem]:
    from toolgauge.model.tools import McpTools

    return [
        results.ToolItem(name=f"mcp:{tool.mcp}", description="All tools of this MCP server.")
        if isinstance(tool, McpTools)
        else results.ToolItem(
            name=tool.name,
            description=tool.description if full else first_line(tool.description),
            parameters=tool.parameters if full else None,
        )
        for tool in document.tools
    ]


def _cases(document: SuiteDocument, *, full: bool) -> list[results.CaseItem]:
    from toolgauge.model.run import case_info
    from toolgauge.service.call_scores import cases_of

    cases = zip(cases_of(document), document.test_cases, strict=True)
    return [
        results.CaseItem(
            case_id=case.id,
            prompt=case.prompt,
            expected=case_info(case).expected,
            document=stated.model_dump(mode="json", exclude_unset=True) if full else None,
        )
        for case, stated in cases
    ]


def _settings(document: SuiteDocument) -> dict[str, Any]:
    settings: dict[str, Any] = document.model_dump(
        mode="json", exclude_unset=True, by_alias=True, exclude={"tools", "test_cases", "name"}
    )
    return settings
