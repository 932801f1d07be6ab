"""Finds in a question what may be the value of a parameter: numbers, dates, names, quotes.

Patterns only; nothing here understands a sentence. Every pattern is bounded, so that the
time is linear in the length of the text. Begin with ``read_facts``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from toolgauge.gateway.lexical_words import STOP_WORDS, words

FactKind = Literal[
    "url",
    "email",
    "quoted",
    "date",
    "time",
    "code",
    "number",
    "count",
    "name",
    "phrase",
    "rest",
    "choice",
]

_MAX_FACTS, _WINDOW = 200, 60
_MONTHS = "january february march april may june july august september october november december"
_MONTH = "|".join(
    f"{month[:3]}(?:{month[3:]})?" if month[3:] else month for month in _MONTHS.split()
)
_DAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NUMBER_WORDS = {
    word: number
    for number, word in enumerate(words("two three four five six seven eight nine ten"), 2)
}
_UPPER = "A-ZÀ-ÖØ-ÞĀĆČĐĒĪŁŃŌŘŚŞŠŪŹŻŽİ"
# letters alone: what holds digits is a code
_CAPITALISED = rf"[{_UPPER}](?:[^\W\d]|[&\u2019'-]){{0,40}}(?!\w)"
_PATTERN = re.compile(
    rf"""
    (?P<url>https?://[^\s<>"']{{1,500}}[^\s<>"'.,;:!?)])
  | (?P<email>\b[\w.+-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,4}})
  | (?P<quoted>"[^"\n]{{1,400}}"|“[^”\n]{{1,400}}”|(?<!\w)'[^'\n]{{1,400}}'(?!\w)|`[^`\n]{{1,400}}`)
  | (?P<date>\b\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?\b
      | \b\d{{1,2}}/\d{{1,2}}/\d{{4}}\b
      | (?i:\b(?:{_MONTH})\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?)
      | (?i:\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?(?:{_MONTH})\b(?:,?\s\d{{4}}\b)?)
      | (?i:\b(?:today|tonight|tomorrow|yesterday|(?:(?:next|this|last|coming)\s)?(?:{_DAY})
          |(?:next|this|last)\s(?:week|weekend|month|year))\b))
  | (?P<time>\b\d{{1,2}}(?::\d\d){{1,2}}(?:\s?[apAP]\.?[mM]\b)?|\b\d{{1,2}}\s?[apAP]\.?[mM]\b)
  | (?P<code>\b[A-Za-z]{{1,20}}[-_]?\d[\w-]{{0,40}}|\b\d{{1,20}}[A-Za-z]{{0,20}}-[\w-]{{1,60}}\b)
  | (?P<number>(?<![\w.])-?(?:\d{{1,3}}(?:,\d{{3}}){{1,5}}|\d{{1,15}})(?:\.\d{{1,15}})?(?!\d))
  | (?P<word>(?i:\b(?:{"|".join(_NUMBER_WORDS)})\b))
  | (?P<name>\b{_CAPITALISED}(?:\s(?:(?:of|de|la|del|van|von)\s)?{_CAPITALISED}){{0,5}}
      (?:,\s[A-Z]{{2}}\b)?)
    """,
    re.VERBOSE,
)
_BREAK = (
    r"in|at|to|from|for|about|on|of|with|near|by|and|or|but|is|are|using|please|then|that|as|into"
    r"|today|tomorrow|tonight|yesterday|next|this|last"
)
_PHRASE = re.compile(
    rf"(?i)\b(?:in|at|to|from|for|about|on|of|with|near|named|called|into)\s+(?:the\s|a\s|an\s|my\s)?"
    rf"((?!(?:{_BREAK}|me|it|the)\b)[^\W\d][\w'\u2019-]{{0,40}}"
    rf"(?:\s(?!(?:{_BREAK})\b)[^\W\d][\w'\u2019-]{{0,40}}){{0,3}})"
)
_REST = re.compile(
    r"(?i)\b(?:about|regarding|search(?:\sthe\sweb)?(?:\sfor)?|look(?:ing)?\s(?:up|for)|find|saying|says|translate)"
    r"[\s:]+([^\n]{2,400}?)(?:[.?!]\s|[.?!]?$)"
)
# capitalised for their place in the sentence, not because they name something
_OPENERS = STOP_WORDS | frozenset(
    words(
        """
        hi hello hey thanks thank ok okay find search fetch list look check see calculate compute
        determine estimate evaluate solve convert translate send email mail text call write create
        generate add set put remove delete update change edit open close start stop run play order
        buy book reserve schedule plan cancel remind provide retrieve compare analyze analyse
        describe explain predict sort turn near
        """
    )
)
_ACRONYM = re.compile(r"[A-Z]{2,}")


@dataclass(frozen=True, slots=True)
class Fact:
    """One possible value, where it stands, and the casefolded words around it."""

    kind: FactKind
    value: Any
    start: int
    end: int
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    def overlaps(self, other: Fact) -> bool:
        return self.start < other.end and other.start < self.end


def read_facts(text: str) -> tuple[Fact, ...]:
    """Return what ``text`` states, by place; at most 200 facts.

    Phrases (what follows a preposition) may overlap names, and rests (what follows a verb
    such as "find") anything.
    """
    facts = [fact for match in _PATTERN.finditer(text) if (fact := _fact(text, match))]
    facts = facts[:_MAX_FACTS]
    firm = [fact for fact in facts if fact.kind != "name"]
    phrases = [fact_at(text, "phrase", m[1], m.span(1)) for m in _PHRASE.finditer(text)]
    facts += [p for p in phrases[:_MAX_FACTS] if not any(p.overlaps(fact) for fact in firm)]
    facts += [fact_at(text, "rest", m[1], m.span(1)) for m in _REST.finditer(text)]
    return tuple(sorted(facts, key=lambda fact: fact.start)[:_MAX_FACTS])


def fact_at(text: str, kind: FactKind, value: Any, span: tuple[int, int]) -> Fact:
    """Return a fact with the up to four words before it and the two after it."""
    start, end = span
    before = re.split(r"[.!?]\s", text[max(0, start - _WINDOW) : start])[-1]
    after = text[end : end + _WINDOW]
    return Fact(kind, value, start, end, tuple(words(before)[-4:]), tuple(words(after)[:2]))


def linked(text: str, facts: Sequence[Fact], anchor: Fact) -> list[Fact]:
    """Return the facts of the anchor's kind that form one enumeration with it, by place.

    Members are parted by nothing but commas, "and", "&" and a preposition; the anchor
    alone where there is no enumeration.
    """
    alike = [fact for fact in facts if fact.kind == anchor.kind]
    group: list[Fact] = []
    for fact in alike:
        if group and not _LINK.fullmatch(text[group[-1].end : fact.start]):
            if anchor in group:
                break
            group = []
        group.append(fact)
    return group if anchor in group else [anchor]


_LINK = re.compile(r"\s*(?:,|&|\band\b|,\s*and\b)\s*(?:in|for|of|at|to|from)?\s*")


def _fact(text: str, match: re.Match[str]) -> Fact | None:
    kind, span = match.lastgroup, match.span()
    said = match[0]
    if kind == "number":
        return fact_at(text, "number", _number(said), span)
    if kind == "word":
        return fact_at(text, "count", _NUMBER_WORDS[said.casefold()], span)
    if kind == "name":
        return _name(text, span)
    if kind == "quoted":
        return fact_at(text, "quoted", said[1:-1], span)
    if kind == "date":
        return fact_at(text, "date", _iso(said), span)
    return fact_at(text, "url" if kind == "url" else _plain_kind(kind), said, span)


def _plain_kind(kind: str | None) -> FactKind:
    plain: dict[str | None, FactKind] = {"email": "email", "time": "time", "code": "code"}
    return plain[kind]


def _number(said: str) -> int | float:
    plain = said.replace(",", "")
    return float(plain) if "." in plain else int(plain)


def _iso(said: str) -> str:
    """Return a full date as YYYY-MM-DD, everything else as it was said."""
    parts = re.findall(r"[a-z]{3,}|\d+", said.casefold())
    numbers = [int(part) for part in parts if part.isdigit()]
    month = next(
        (n for n, m in enumerate(_MONTHS.split(), 1) if m[:3] in {p[:3] for p in parts}), 0
    )
    if not month or len(numbers) != 2:
        return said
    try:
        return date(numbers[1], month, numbers[0]).isoformat()
    except ValueError:
        return said


def _name(text: str, span: tuple[int, int]) -> Fact | None:
    """Return a capitalised span without what only opens a sentence; None if nothing is left."""
    start, end = span
    opens = not (head := text[:start].rstrip()) or head[-1] in ".!?:;\n"
    while start < end:
        first = text[start:end].split(maxsplit=1)[0]
        alone = len(first) == end - start
        is_opener = next(iter(words(first)), "") in _OPENERS and not _ACRONYM.fullmatch(first)
        if not is_opener and not (opens and alone and not first.isupper()):
            break
        opens = False
        start += len(first)
        start += len(text[start:end]) - len(text[start:end].lstrip())
    said = text[start:end].removesuffix("'s").removesuffix("\u2019s").rstrip("-&'\u2019")
    return fact_at(text, "name", said, (start, start + len(said))) if said else None
