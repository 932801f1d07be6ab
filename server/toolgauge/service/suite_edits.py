"""Saved suites as agents write them: as values or text, checked, compared, saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from toolgauge.errors import InvalidFile, NotStored, Problem, UsageError
from toolgauge.formats.document import MAX_BYTES
from toolgauge.formats.places import Loc, in_file_order, nowhere
from toolgauge.formats.suite_file import LoadedSuite, parse_suite
from toolgauge.formats.yaml_text import UnreadableText, load_yaml
from toolgauge.model.suite import SuiteDocument, case_ids
from toolgauge.model.tools import McpTools
from toolgauge.store import suites
from toolgauge.store.database import Database
from toolgauge.store.suites import SavedSuite, suite_json

_ORIGIN = "the suite"


@dataclass(frozen=True, slots=True)
class Changes:
    """Names that came, went, or mean something else now."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """A saved version, and how it differs from the latest one before."""

    saved: SavedSuite
    is_new_version: bool
    cases: Changes
    tools: Changes
    warnings: tuple[Problem, ...]


def parse_document(given: Mapping[str, Any] | str) -> LoadedSuite:
    """Return the suite that values, or a text of YAML or JSON, hold.

    Raises:
        InvalidFile: with every problem.
    """
    if not isinstance(given, str):
        return parse_suite(dict(given), file=_ORIGIN)
    if len(given) > MAX_BYTES:
        raise UsageError(f"a suite of more than {MAX_BYTES:,} characters; split it")
    try:
        content = load_yaml(given, max_expansion=5 * MAX_BYTES, with_lines=True)
    except UnreadableText as error:
        raise InvalidFile(_ORIGIN, (error.problem,)) from error
    if content.found:
        raise InvalidFile(_ORIGIN, in_file_order(content.found, content.data, nowhere))
    lines = content.lines

    def locate(loc: Loc) -> int | None:
        while loc and loc not in lines:
            loc = loc[:-1]
        return lines.get(loc)

    return parse_suite(content.data, file=_ORIGIN, locate=locate)


async def save_edited(database: Database, loaded: LoadedSuite, *, owner: str) -> Edited:
    """Return the saved version of a suite; what has not changed keeps its version."""
    document = loaded.document
    before, version = await _latest(database, document.name, owner)
    saved = await suites.save(database, document, now=datetime.now(UTC), owner=owner)
    return Edited(
        saved,
        saved.version != version,
        _changes(_cases(before), _cases(document)),
        _changes(_tools(before), _tools(document)),
        loaded.warnings,
    )


async def add_cases(
    database: Database, name: str, cases: Sequence[Mapping[str, Any]], *, owner: str
) -> Edited:
    """Return the suite's next version, with these cases at its end.

    Raises:
        NotStored: there is no such suite.
        InvalidFile: a case is wrong, or its id is taken.
    """
    _, document = await suites.get(database, name, owner=owner)
    body = suite_json(document)
    body["test_cases"] = [*body["test_cases"], *map(dict, cases)]
    return await save_edited(database, parse_suite(body, file=_ORIGIN), owner=owner)


async def _latest(
    database: Database, name: str, owner: str
) -> tuple[SuiteDocument | None, int | None]:
    try:
        saved, document = await suites.get(database, name, owner=owner)
    except NotStored:
        return None, None
    return document, saved.version


def _cases(document: SuiteDocument | None) -> dict[str, Any]:
    cases = document.test_cases if document else []
    return dict(zip(case_ids(cases), cases, strict=True))


def _tools(document: SuiteDocument | None) -> dict[str, Any]:
    tools = document.tools if document else []
    return {f"mcp:{tool.mcp}" if isinstance(tool, McpTools) else tool.name: tool for tool in tools}


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changes:
    return Changes(
        added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after),
        changed=tuple(n for n, value in after.items() if n in before and before[n] != value),
    )
