"""Finding and loading suites: files, folders and globs, with every problem at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from toolgauge.errors import InvalidFile, Problem, UsageError
from toolgauge.formats.suite_file import LoadedSuite, load_suite
from toolgauge.model.suite import Suite, resolve
from toolgauge.model.tools import McpTools
from toolgauge.model.trial import ToolChoice

SUITE_SUFFIXES = frozenset({".yaml", ".yml", ".json"})


@dataclass(frozen=True, slots=True)
class SuiteCheck:
    """What loading one file found: errors (it cannot be used) and warnings (it can)."""

    file: str
    cases: int | None
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def find_suites(places: Iterable[str | Path]) -> tuple[Path, ...]:
    """Return the suite files of these places, each once, in order.

    A place is a file, a folder (all suites below it, by name; published schemas and
    hidden files are left out) or a glob.

    Raises:
        UsageError: a place holds no suite.
    """
    found: dict[Path, None] = {}
    for place in places:
        path = Path(place)
        if path.is_dir():
            files = _suites_in(path)
        elif path.exists():
            files = [path]
        else:
            files = sorted(file for file in Path().glob(str(place)) if _may_be_suite(file))
        if not files:
            raise UsageError(f"{place}: no suite there (a .yaml, .yml or .json file, or a folder)")
        found.update(dict.fromkeys(files))
    return tuple(found)


def load_suites(files: Iterable[Path]) -> tuple[LoadedSuite, ...]:
    """Return every suite of these files.

    Raises:
        InvalidFile: for one broken file its own; for several, one that lists them all.
    """
    loaded: list[LoadedSuite] = []
    broken: list[InvalidFile] = []
    for file in files:
        try:
            loaded.append(load_suite(file))
        except InvalidFile as error:
            broken.append(error)
    if len(broken) == 1:
        raise broken[0]
    if broken:
        raise UsageError("\n".join(str(error) for error in broken))
    return tuple(loaded)


def check_suites(files: Iterable[Path]) -> tuple[SuiteCheck, ...]:
    """Return what loading each file finds, without raising."""
    return tuple(_check(file) for file in files)


def resolve_suite(loaded: LoadedSuite, tool_choice: ToolChoice | None = None) -> Suite:
    """Return the suite as it is asked, its tools resolved.

    Raises:
        UsageError: its tools come from an MCP server, which cannot be asked here.
    """
    document = loaded.document
    elements = (
        *document.tools,
        *(tool for case in document.test_cases for tool in case.tools or ()),
    )
    servers = sorted({tool.mcp for tool in elements if isinstance(tool, McpTools)})
    if servers:
        raise UsageError(f"{loaded.file}: tools of MCP servers are not supported yet: {servers}")
    return resolve(document, tool_choice=tool_choice)


def _suites_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if _may_be_suite(file))


def _may_be_suite(file: Path) -> bool:
    return (
        file.is_file()
        and file.suffix in SUITE_SUFFIXES
        and not file.name.startswith(".")
        and not file.name.endswith(".schema.json")
    )


def _check(file: Path) -> SuiteCheck:
    try:
        loaded = load_suite(file)
    except InvalidFile as error:
        return SuiteCheck(str(file), None, error.problems, ())
    return SuiteCheck(str(file), len(loaded.document.test_cases), (), loaded.warnings)
