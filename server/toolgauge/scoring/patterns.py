"""Regular expressions of strangers: searched with a time limit, compiled once.

A pattern may come from a suite or from a tool's schema and meet whatever a model
wrote, so each search may take 0.1 s, not more.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache

import regex

TIMEOUT_S = 0.1
_MAX_UNROLLED = 100_000
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d+)(?:,\d*)?\}|.", re.DOTALL)


class PatternTimeout(Exception):
    """A pattern ran out of time; ``pattern`` is its text."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        super().__init__(pattern)


class BadPattern(Exception):
    """A text is no regular expression; the message says why."""


def found(pattern: str, text: str) -> bool:
    """Return whether ``pattern`` is found anywhere in ``text``, letter case as written.

    Raises:
        PatternTimeout: the search took longer than ``TIMEOUT_S``.
        BadPattern: the pattern cannot be compiled.

    >>> found("ris$", "Paris"), found("par", "Paris")
    (True, False)
    """
    compiled = _compiled(pattern)
    if isinstance(compiled, BadPattern):
        raise compiled
    try:
        return compiled.search(text, timeout=TIMEOUT_S) is not None
    except TimeoutError:
        raise PatternTimeout(pattern) from None


def unrolled_size(pattern: str) -> int:
    """Return about how many atoms a compiler makes of a pattern, counted repeats unrolled.

    A few nested counts are enough to take all memory while compiling, which no time
    limit on a search prevents.

    >>> unrolled_size("a{2}b"), unrolled_size("(?:[ab]{100}){100}")
    (3, 10200)
    """
    groups = [0]
    atom = 0
    for match in _TOKEN.finditer(pattern):
        part = match.group()
        if part == "(":
            groups.append(0)
            continue
        if part == ")" and len(groups) > 1:
            atom = groups.pop()
        elif match.group(1):
            repeats = min(int(match.group(1)[:10]), _MAX_UNROLLED * 10)
            groups[-1] += atom * max(0, repeats - 1)
            atom *= max(1, repeats)
            continue
        else:
            atom = 1
        groups[-1] += atom
    return sum(groups)


def can_compile(pattern: str) -> bool:
    """Return whether ``pattern`` is a regular expression."""
    return not isinstance(_compiled(pattern), BadPattern)


@lru_cache(maxsize=2048)
def _compiled(pattern: str) -> regex.Pattern[str] | BadPattern:
    if unrolled_size(pattern) > _MAX_UNROLLED:
        return BadPattern("it repeats too much; use smaller counts")
    try:
        with warnings.catch_warnings():
            # what the compiler finds odd in a stranger's pattern is for its author to see on load
            warnings.simplefilter("ignore")
            return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError, ValueError, MemoryError) as error:
        return BadPattern(str(error))
