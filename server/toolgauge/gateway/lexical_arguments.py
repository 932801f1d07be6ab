"""Fills the parameters of a tool from a question and from earlier results, by the schema.

This compares names, types and neighbouring words; it is no language model, and a required
parameter for which nothing fits is left out. Begin with ``fill``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolgauge.gateway.lexical_facts import Fact, fact_at, linked, read_facts
from toolgauge.gateway.lexical_fit import fit, is_free_text, value_of
from toolgauge.gateway.lexical_parameters import Parameter
from toolgauge.gateway.lexical_results import Known, value_for
from toolgauge.gateway.lexical_words import stem, words

# from here on a fact is taken for a parameter that could be left out, too
_STRONG = 2.0
_VAGUE_FLAG_WORDS = frozenset(map(stem, words("is has have include enable should use with flag")))
_NEGATIONS = frozenset(map(stem, words("no not without disable off exclude never don t skip")))
_NEGATION_REACH, _SHORT, _MAX_PLACES = 3, 2, 8
_WORD = re.compile(r"[^\W_]{1,64}")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the facts in it, and its words as (stem, start, end), read once for all tools."""

    text: str
    facts: tuple[Fact, ...]
    words: tuple[tuple[str, int, int], ...]

    @classmethod
    def read(cls, text: str) -> Question:
        return cls(
            text,
            read_facts(text),
            tuple((stem(m[0].casefold()), *m.span()) for m in _WORD.finditer(text)),
        )

    def topic(self) -> str:
        """Return the text without its values: no names, numbers, dates, quotes and the like."""
        kept, end = [], 0
        for fact in self.facts:
            if fact.kind not in ("phrase", "rest"):
                kept.append(self.text[end : fact.start])
                end = fact.end
        return " ".join([*kept, self.text[end:]])


@dataclass(slots=True)
class Filled:
    """The arguments that were found, the facts they came from, and what is missing."""

    arguments: dict[str, Any] = field(default_factory=dict)
    facts: dict[tuple[str, ...], Fact] = field(default_factory=dict)
    missing: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class _Match:
    fit: float
    parameter: Parameter
    fact: Fact
    rivals: Sequence[Fact]
    """The facts that were candidates for the same parameter; a list takes several."""


def fill(
    parameters: Sequence[Parameter], question: Question, known: Sequence[Known] = ()
) -> Filled:
    """Return the arguments for ``parameters``.

    What the question clearly says comes first, then earlier results, then what the
    question may mean (required parameters only). Each piece of the question is used once,
    where it fits best; ties go to required parameters, then to the order of the schema.
    """
    form = _Form(question)
    matches = sorted(
        (match for parameter in parameters for match in _matches(parameter, question)),
        key=lambda match: (-match.fit, not match.parameter.required),
    )
    form.take(match for match in matches if match.fit >= _STRONG)
    form.set_flags(parameters)
    required = [parameter for parameter in parameters if parameter.required]
    for parameter in required:
        if parameter.path not in form.values and not parameter.choices:
            form.set(parameter, value_for(parameter, known))
    form.take(match for match in matches if match.parameter.required)
    for parameter in required:
        if parameter.path not in form.values and is_free_text(parameter):
            form.set(parameter, question.text.strip() or None)
    missing = tuple(p for p in required if p.path not in form.values)
    return Filled(_nested(form.values), form.facts, missing)


def one_per_item(
    parameters: Sequence[Parameter], question: Question, filled: Filled
) -> list[dict[str, Any]]:
    """Return the arguments of the calls to make: several where the question lists things.

    "Weather in Paris and in Rome" makes two calls of a tool whose one required parameter
    is a city; lists without an "and" (``Paris, France``) are one thing.
    """
    required = [parameter for parameter in parameters if parameter.required]
    fact = filled.facts.get(required[0].path) if len(required) == 1 else None
    if fact is None or required[0].type == "array" or len(required[0].path) > 1:
        return [filled.arguments]
    group = linked(question.text, question.facts, fact)
    group = [one for one in group if fit(required[0], one) > 0]
    said = words(question.text[group[0].end : group[-1].start]) if group else []
    if "and" not in said and "&" not in said:
        return [filled.arguments]
    name = required[0].name
    return [{**filled.arguments, name: value_of(required[0], one, question.text)} for one in group]


class _Form:
    """Values that were set so far, and the places of the question that they used up."""

    def __init__(self, question: Question) -> None:
        self.values: dict[tuple[str, ...], Any] = {}
        self.facts: dict[tuple[str, ...], Fact] = {}
        self._question = question
        self._used: list[Fact] = []

    def set(self, parameter: Parameter, value: Any) -> None:
        if value is not None:
            self.values[parameter.path] = value

    def take(self, matches: Iterable[_Match]) -> None:
        text = self._question.text
        for match in matches:
            parameter, fact = match.parameter, match.fact
            if parameter.path in self.values or not self._is_free(fact):
                continue
            self.facts[parameter.path] = fact
            if parameter.items is None:
                self.set(parameter, value_of(parameter, fact, text))
                self._used.append(fact)
                continue
            listed = [f for f in linked(text, match.rivals, fact) if self._is_free(f)]
            self.set(parameter, [value_of(parameter.items, f, text) for f in listed])
            self._used += listed

    def set_flags(self, parameters: Sequence[Parameter]) -> None:
        """Set the boolean parameters whose name the question holds: false after a negation."""
        said = [word for word, _, _ in self._question.words]
        for parameter in parameters:
            named = [word for word in parameter.words if word not in _VAGUE_FLAG_WORDS]
            if parameter.type == "boolean" and named and set(named) <= set(said):
                place = said.index(named[0])
                near = said[max(0, place - _NEGATION_REACH) : place]
                self.set(parameter, _NEGATIONS.isdisjoint(near))

    def _is_free(self, fact: Fact) -> bool:
        return not any(fact.overlaps(used) for used in self._used)


def _matches(parameter: Parameter, question: Question) -> list[_Match]:
    element = parameter.items or parameter
    facts = _choices_in(element, question) if element.choices else question.facts
    rated = [(fit(element, fact), fact) for fact in facts]
    rivals = [fact for rate, fact in rated if rate > 0]
    return [_Match(rate, parameter, fact, rivals) for rate, fact in rated if rate > 0]


def _choices_in(parameter: Parameter, question: Question) -> list[Fact]:
    """Return where the question says values that the schema allows, word for word by stem.

    A value of one or two letters must stand there as it is written: every text says "a".
    """
    places: dict[str, list[int]] = {}
    for place, (word, _, _) in enumerate(question.words):
        places.setdefault(word, []).append(place)
    found = []
    for choice in parameter.choices:
        first = choice.words[:1]
        for place in places.get(first[0], ())[:_MAX_PLACES] if first else ():
            spoken = question.words[place : place + len(choice.words)]
            start, end = spoken[0][1], spoken[-1][2]
            is_same = tuple(word for word, _, _ in spoken) == choice.words
            if is_same and (end - start > _SHORT or question.text[start:end] == str(choice.value)):
                found.append(fact_at(question.text, "choice", choice.value, (start, end)))
    return found


def _nested(values: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for path, value in values.items():
        inside = arguments
        for key in path[:-1]:
            inside = inside.setdefault(key, {})
        inside[path[-1]] = value
    return arguments
