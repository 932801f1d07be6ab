"""Suite files, loaded whole: a suite, or every problem of the file at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolgauge.errors import InvalidFile, Problem
from toolgauge.formats.document import MAX_BYTES, read_source
from toolgauge.formats.field_problems import validate
from toolgauge.formats.places import Found, Loc, Locate, as_list, in_file_order, kind_of, nowhere
from toolgauge.formats.suite_checks import WEIGHTS, find_contradictions
from toolgauge.formats.suite_warnings import find_oddities, with_open_schemas
from toolgauge.model.suite import SuiteDocument

MAX_CASES = 50_000


@dataclass(frozen=True, slots=True)
class LoadedSuite:
    """A suite as written, and what is odd about it without stopping it, in file order."""

    document: SuiteDocument
    warnings: tuple[Problem, ...]
    file: str


def load_suite(
    path: Path | str, *, max_bytes: int = MAX_BYTES, max_cases: int = MAX_CASES
) -> LoadedSuite:
    """Return the suite of a ``.yaml``, ``.yml`` or ``.json`` file.

    Raises:
        InvalidFile: with every problem of the file, in file order.
    """
    source = read_source(Path(path), max_bytes=max_bytes)
    return _parse(source.data, source.file, source.locate, found=source.found, max_cases=max_cases)


def parse_suite(
    data: Any, *, file: str, locate: Locate = nowhere, max_cases: int = MAX_CASES
) -> LoadedSuite:
    """Return the suite that plain data holds; ``file`` is what messages call its origin.

    Raises:
        InvalidFile: with every problem of the data.
    """
    return _parse(data, file, locate, found=(), max_cases=max_cases)


def _parse(
    data: Any, file: str, locate: Locate, *, found: Iterable[Found], max_cases: int
) -> LoadedSuite:
    why_not = _not_a_suite(data, max_cases)
    if why_not is not None:
        raise InvalidFile(file, in_file_order([*found, why_not], data, locate))
    suite, replaced = with_open_schemas(data)
    document, wrong = validate(SuiteDocument, suite, _wording)
    problems = [*found, *wrong, *find_contradictions(suite)]
    if document is None or problems:
        raise InvalidFile(file, in_file_order(problems, data, locate))
    warnings = in_file_order([*replaced, *find_oddities(suite)], data, locate)
    return LoadedSuite(document, warnings, file)


def _not_a_suite(data: Any, max_cases: int) -> Found | None:
    """Return why nothing within the data is worth looking at; None where it is."""
    if not isinstance(data, dict):
        found = "it is empty" if data is None else f"not {kind_of(data)}"
        return Found((), f"must be a suite: an object with `name` and `test_cases`; {found}")
    count = len(as_list(data.get("test_cases")))
    if count > max_cases:
        return Found(
            ("test_cases",),
            f"has {count:,} cases, more than {max_cases:,}; split the suite, or raise the limit",
        )
    return None


def _wording(loc: Loc, value: Any) -> str | None:
    """Return the message of fields whose parts say less than the whole."""
    match loc:
        case ("weights",):
            return WEIGHTS
        case ("test_cases", int(), "expected_tool"):
            return "must be a tool name, a list of at least one name, or null"
        case ("test_cases", int(), "expected_calls", int(), "tool"):
            return "must be a tool name, or a list of at least one name"
        case ("tools", int()) | ("test_cases", int(), "tools", int()):
            if isinstance(value, dict) and ("function" in value or "mcp" in value):
                return None
            return "must be {type: function, function: {name: …, parameters: …}} or {mcp: SERVER}"
    return None
