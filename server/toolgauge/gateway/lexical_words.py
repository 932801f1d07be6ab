"""Words of a text, reduced so that near forms of a word meet.

The rules are few, English and blunt, on purpose: they serve a floor, not a search engine.
"""

from __future__ import annotations

import re
from functools import lru_cache

_MAX_TEXT = 8_000
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# longer runs are cut, so that the cache of stems stays small
_WORD = re.compile(r"[^\W_]{1,64}")
_PLURALS = (("sses", "ss"), ("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"))
_ENDINGS = ("ation", "ating", "ated", "ate", "ing", "ed", "ion", "ment", "er", "or", "ly")
_SHORTEST_STEM = 4


def words(text: str) -> list[str]:
    """Return the words of ``text`` in order, casefolded; ``getWeather_now`` is three words.

    Only the first 8,000 characters are read.
    """
    return _WORD.findall(_HUMP.sub(" ", text[:_MAX_TEXT]).casefold())


STOP_WORDS = frozenset(
    words(
        """
        a an the this that these those and or but if then else so as at by for from in into of off
        on onto out over to up with without about above after before between during through under
        until i me my mine we us our you your he him his she her it its they them their who whom
        whose which what when where why how am is are was were be been being do does did doing
        done have has had having can could will would shall should may might must not no nor only
        own same too very just also any all each both few more most other some such than there
        here again once get gets give given show tell want wants need needs like please help let
        make using use used based s t d ll re ve m don following user value string number type
        function tool parameter input return returns result e g specified provided
        """
    )
)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return what ``word`` shares with its near forms: books, booked, booking → book.

    Words of up to three letters stay as they are.
    """
    if len(word) < _SHORTEST_STEM:
        return word
    stemmed = _without_ending(_singular(word))
    if len(stemmed) >= _SHORTEST_STEM and stemmed.endswith("e"):
        stemmed = stemmed[:-1]
    return stemmed[:-1] + "i" if stemmed.endswith("y") else stemmed


def terms(text: str) -> list[str]:
    """Return the stems of the words of ``text`` that carry meaning, in order."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def _singular(word: str) -> str:
    for plural, singular in _PLURALS:
        if word.endswith(plural):
            return word.removesuffix(plural) + singular
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            rest = word.removesuffix(ending)
            # planning → plan, but calling → call
            doubled = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return rest[:-1] if doubled else rest
    return word
