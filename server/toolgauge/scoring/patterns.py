"""Regular expressions of strangers: searched with a time limit, compiled once.

A pattern may come from a suite or from a tool's schema and meet whatever a model
wrote, so each search may take 0.1 s, not more.
"""

from __future__ import annotations

import warnings
from functools import lru_cache

import regex

TIMEOUT_S = 0.1


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


def can_compile(pattern: str) -> bool:
    """Return whether ``pattern`` is a regular expression."""
    return not isinstance(_compiled(pattern), BadPattern)


@lru_cache(maxsize=2048)
def _compiled(pattern: str) -> regex.Pattern[str] | BadPattern:
    try:
        with warnings.catch_warnings():
            # what the compiler finds odd in a stranger's pattern is for its author to see on load
            warnings.simplefilter("ignore")
            return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        return BadPattern(str(error))
