"""Finding and loading suites: files, folders and globs, with every problem at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from toolgauge.errors import InvalidFile, Problem, UsageError
from toolgauge.formats.suite_file import LoadedSuite, load_suite
from toolgauge.model.suite import SuiteDocument
from toolgauge.model.tools import McpTools

SUITE_SUFFIXES = frozenset({".yaml", ".yml", ".json"})


@dataclass(frozen=True, slots=True)
class SuiteCheck:
    """What loading one file found: errors (it cannot be used) and warnings (it can).

    ``unread_servers`` are the MCP servers that its tools come from; they are not asked.
    """

    file: str
    cases: int | None
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    unread_servers: tuple[str, ...] = ()


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


def server_names(document: SuiteDocument) -> tuple[str, ...]:
    """Return the MCP servers whose tools a suite asks for, each once, sorted."""
    elements = (*document.tools, *(t for c in document.test_cases for t in c.tools or ()))
    return tuple(sorted({one.mcp for one in elements if isinstance(one, McpTools)}))


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
    document = loaded.document
    return SuiteCheck(
        str(file), len(document.test_cases), (), loaded.warnings, server_names(document)
    )
