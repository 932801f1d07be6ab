"""Which suite files a repository's own globs mean, never one from outside of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from toolgauge.errors import Problem, UsageError
from toolgauge.service.suites import SUITE_SUFFIXES, check_suites
from toolgauge_action.workflow import Annotation, Level

_MOST_PATTERNS = 64
_BRACES = re.compile(r"\{([^{}]*)\}")


class NoSuites(UsageError):
    """The input ``suites`` names no suite of this repository."""


def find_suites(
    patterns: Iterable[str], folder: Path, *, leave_out: Iterable[str]
) -> tuple[Path, ...]:
    """Return the suite files that globs mean, sorted, as paths below ``folder``.

    ``**`` is any folders, ``{a,b}`` one or the other. Left out are hidden files, published
    schemas, ``leave_out``, and whatever leads out of ``folder`` by a symbolic link.

    Raises:
        NoSuites: nothing is left.
    """
    unwanted = {(folder / one).resolve() for one in leave_out}
    root = folder.resolve()
    found = {
        path
        for pattern in patterns
        for one in _without_braces(_checked(pattern))
        for path in _matches(folder, one)
        if path.resolve().is_relative_to(root) and path.resolve() not in unwanted
    }
    if not found:
        raise NoSuites(f"no suite there: {', '.join(patterns)}. Set the input `suites`")
    return tuple(sorted(found))


def lint(files: Iterable[Path]) -> list[Annotation]:
    """Return what is wrong or odd in suite files, at its lines; wrong first."""
    checks = check_suites(files)
    wrong = [_annotation("error", one.file, problem) for one in checks for problem in one.errors]
    odd = [_annotation("warning", one.file, problem) for one in checks for problem in one.warnings]
    return wrong + odd


def _annotation(level: Level, file: str, problem: Problem) -> Annotation:
    where = f"{problem.path}: " if problem.path else ""
    return Annotation(
        level,
        "Invalid suite" if level == "error" else "Odd in a suite",
        f"{where}{problem.message}",
        file=Path(file).as_posix(),
        line=problem.line,
    )


def _matches(folder: Path, pattern: str) -> Iterator[Path]:
    for path in folder.glob(pattern):
        relative = path.relative_to(folder)
        if (
            path.is_file()
            and path.suffix in SUITE_SUFFIXES
            and not path.name.endswith(".schema.json")
            and not any(part.startswith(".") for part in relative.parts)
        ):
            yield path


def _checked(pattern: str) -> str:
    if pattern.startswith(("/", "~")) or ".." in pattern.split("/") or "\\" in pattern:
        raise NoSuites(f"{pattern!r} leads out of the working directory, or has backslashes")
    return pattern


def _without_braces(pattern: str) -> list[str]:
    """Return the globs that a glob with ``{a,b}`` stands for."""
    patterns = [pattern]
    while any(_BRACES.search(one) for one in patterns):
        patterns = [
            one[: found.start()] + choice + one[found.end() :]
            for one in patterns
            for found in [_BRACES.search(one)]
            if found
            for choice in found[1].split(",")
        ] + [one for one in patterns if not _BRACES.search(one)]
        if len(patterns) > _MOST_PATTERNS:
            raise NoSuites(f"{pattern!r} stands for more than {_MOST_PATTERNS} globs")
    return patterns
