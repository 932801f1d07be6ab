"""Suites that begin as the tools of a live MCP server, with drafted cases where wanted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolgauge.errors import NotStored, UsageError
from toolgauge.formats.document import MAX_BYTES
from toolgauge.formats.drafted_cases import drafted_case, placeholder_case
from toolgauge.formats.mcp_tools import ListedTools
from toolgauge.formats.results_file import whole_file
from toolgauge.formats.suite_file import LoadedSuite, parse_suite
from toolgauge.formats.suite_text import suite_text
from toolgauge.model.suite import SuiteDocument, case_ids
from toolgauge.report.escape import one_line
from toolgauge.service.suites import SUITE_SUFFIXES
from toolgauge.store import suites
from toolgauge.store.database import Database

_MOST_OF_A_NAME = 60
_ABOUT = (
    "Tools as the MCP server listed them. Cases tagged `draft` were made of schemas and "
    "descriptions alone: rewrite each as somebody would really ask, and take the tag off."
)


@dataclass(frozen=True, slots=True)
class ToolSuite:
    """A suite file that was written, and what was odd about the tools."""

    suite_file: Path
    tools: int
    drafted: int
    warnings: tuple[str, ...]


def write_tool_suite(
    listed: ListedTools,
    name: str,
    out: Path | None = None,
    *,
    draft_cases: bool = False,
    force: bool = False,
) -> ToolSuite:
    """Write a suite of these tools, and return what was written.

    With ``draft_cases`` it has one case for each of them, else a placeholder, as a suite has
    at least one case. ``out`` is a suite file, or a folder; the working directory otherwise.
    A file that is there is kept unless ``force``.

    Raises:
        InvalidFile: the tools cannot stand in a suite.
        UsageError: there are no tools, they are too many for a file, or the file is there
            already or cannot be written.
    """
    body = tool_suite(listed, name, draft_cases=draft_cases)
    loaded = parse_suite(body, file=f"the tools of MCP server {name!r}")
    file = _suite_file(out, body["name"])
    if file.exists() and not force:
        raise UsageError(f"{file} is there already. Name another --out, or overwrite it: --force")
    text = suite_text(body, file.suffix)
    if len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        raise UsageError(f"MCP server {name!r} lists more than {MAX_BYTES:,} bytes of tools")
    with whole_file(file) as stream:
        stream.write(text)
    odd = (f"{one.path}: {one.message}" for one in loaded.warnings)
    return ToolSuite(
        suite_file=file,
        tools=len(listed.tools),
        drafted=len(body["test_cases"]) if draft_cases else 0,
        warnings=(*listed.warnings, *odd),
    )


async def suite_with(
    database: Database, name: str, listed: ListedTools, *, owner: str, draft_cases: bool = False
) -> LoadedSuite:
    """Return a saved suite with these tools in place of its own; a new one of drafted cases.

    Raises:
        InvalidFile: its cases do not go with the tools.
        NotStored: there is no such suite, and no cases are drafted.
        UsageError: there is no such suite, and the server lists no tools.
    """
    try:
        _, document = await suites.get(database, name, owner=owner)
    except NotStored:
        if not draft_cases:
            raise
        return parse_suite(tool_suite(listed, name, draft_cases=True), file=f"suite {name!r}")
    return loaded_with(document, listed, draft_cases=draft_cases)


def loaded_with(
    document: SuiteDocument, listed: ListedTools, *, draft_cases: bool = False
) -> LoadedSuite:
    """Return the suite with these tools in place of its own, checked anew.

    With ``draft_cases`` a case is drafted for every tool, unless it was before.

    Raises:
        InvalidFile: its cases do not go with the tools.
    """
    body = suites.suite_json(document)
    body["tools"] = [tool.as_sent() for tool in listed.tools]
    if draft_cases:
        taken = set(case_ids(document.test_cases))
        drafts = map(drafted_case, listed.tools)
        body["test_cases"] += [case for case in drafts if case["id"] not in taken]
    return parse_suite(body, file=f"suite {document.name!r}")


def tool_suite(listed: ListedTools, name: str, *, draft_cases: bool) -> dict[str, Any]:
    """Return a suite of these tools as plain data, with drafted cases or a placeholder.

    Raises:
        UsageError: there are no tools.
    """
    if not listed.tools:
        raise UsageError(f"MCP server {name!r} lists no tools, so there is nothing to import")
    cases = [drafted_case(tool) for tool in listed.tools] if draft_cases else [placeholder_case()]
    return {
        "name": one_line(name, _MOST_OF_A_NAME),
        "description": _ABOUT,
        "tools": [tool.as_sent() for tool in listed.tools],
        "test_cases": cases,
    }


def _suite_file(out: Path | None, name: str) -> Path:
    place = out or Path()
    if place.is_dir() or not place.suffix:
        place /= f"{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_') or 'tools'}.suite.json"
    if place.suffix not in SUITE_SUFFIXES:
        raise UsageError(f"{place}: a suite is a .json, .yaml or .yml file")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{place.parent}: cannot be made: {error.strerror}") from error
    return place
