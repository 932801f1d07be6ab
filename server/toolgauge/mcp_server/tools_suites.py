"""The toolset ``suites``: what is measured, written and checked. ``tools_imports`` has more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from toolgauge.errors import InvalidFile, UsageError
from toolgauge.mcp_server import results
from toolgauge.mcp_server.state import Ctx, owner_of, state_of
from toolgauge.mcp_server.suite_items import (
    case_items,
    problem_items,
    suite_item,
    suite_saved,
    suite_settings,
    suite_uri,
    tool_item,
)
from toolgauge.mcp_server.toolbox import (
    ADD,
    DELETE,
    READ,
    SET,
    Cursor,
    Detail,
    Limit,
    ToolEntry,
)

if TYPE_CHECKING:
    pass

SuiteId = Annotated[str, Field(description="The name of a saved suite.")]
Version = Annotated[int | None, Field(ge=1, description="The latest without it.")]
SuiteText = Annotated[
    dict[str, Any] | str,
    Field(
        description="The suite as an object, or as YAML or JSON text. See toolgauge://schema/suite."
    ),
]


async def list_suites(ctx: Ctx, cursor: Cursor = None, limit: Limit = 20) -> results.SuitePage:
    """List the saved suites, the last saved first."""
    from toolgauge.store import suites

    database, owner = await state_of(ctx).database(), owner_of(ctx)
    page = await suites.page(database, owner=owner, cursor=cursor, limit=limit)
    return results.SuitePage(
        items=[suite_item(one) for one in page.items],
        next_cursor=page.next_cursor,
        total=await suites.count(database, owner=owner),
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
    cases = case_items(document, full=detail == "full")
    end = start + limit
    return results.SuiteView(
        suite_id=saved.name,
        version=saved.version,
        saved_at=saved.saved_at,
        tools=[tool_item(tool, full=detail == "full") for tool in document.tools],
        cases=cases[start:end],
        settings=suite_settings(document),
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


ENTRIES = (
    ToolEntry(list_suites, "List suites", READ),
    ToolEntry(get_suite, "Show a suite", READ),
    ToolEntry(validate_suite, "Check a suite", READ),
    ToolEntry(save_suite, "Save a suite", SET),
    ToolEntry(add_cases, "Add cases", ADD),
    ToolEntry(delete_suite, "Delete a suite", DELETE),
)


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
