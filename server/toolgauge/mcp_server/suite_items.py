"""Suites as results show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from toolgauge.mcp_server import results

if TYPE_CHECKING:
    from toolgauge.errors import Problem
    from toolgauge.model.suite import SuiteDocument
    from toolgauge.model.tools import McpTools, ToolSpec
    from toolgauge.service.suite_edits import Changes, Edited
    from toolgauge.store.suites import SavedSuite

MOST_PROBLEMS = 50


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
    ][:MOST_PROBLEMS]


def _first_line(text: str, most: int = 160) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= most else f"{line[:most]}…"


def _difference(changes: Changes) -> results.Difference:
    return results.Difference(
        added=list(changes.added), removed=list(changes.removed), changed=list(changes.changed)
    )


def tool_item(tool: ToolSpec | McpTools, *, full: bool) -> results.ToolItem:
    """Return a tool as a list shows it; ``full`` adds its schema and all of its description."""
    from toolgauge.model.tools import McpTools

    if isinstance(tool, McpTools):
        return results.ToolItem(name=f"mcp:{tool.mcp}", description="All tools of this MCP server.")
    return results.ToolItem(
        name=tool.name,
        description=tool.description if full else _first_line(tool.description),
        parameters=tool.parameters if full else None,
    )


def case_items(document: SuiteDocument, *, full: bool) -> list[results.CaseItem]:
    """Return the cases of a suite; ``full`` adds each as it was written."""
    from toolgauge.model.run import expected_in_short
    from toolgauge.service.call_scores import cases_of

    cases = zip(cases_of(document), document.test_cases, strict=True)
    return [
        results.CaseItem(
            case_id=case.id,
            prompt=case.prompt,
            expected=expected_in_short(case),
            document=stated.model_dump(mode="json", exclude_unset=True) if full else None,
        )
        for case, stated in cases
    ]


def suite_settings(document: SuiteDocument) -> dict[str, Any]:
    """Return what a suite says besides its name, tools and cases."""
    settings: dict[str, Any] = document.model_dump(
        mode="json", exclude_unset=True, by_alias=True, exclude={"tools", "test_cases", "name"}
    )
    return settings
