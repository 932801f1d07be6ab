"""Ranks tools by the words that they share with a question.

Knows nothing of requests, replies and arguments. Begin with ``ToolIndex``.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rapidfuzz import fuzz, process

from toolgauge.gateway.lexical_parameters import Parameter, parameters_of
from toolgauge.gateway.lexical_words import terms

# how much a word counts by where it stands
_NAME, _DESCRIPTION, _PARAMETER, _PARAMETER_TEXT = 3.0, 1.0, 1.0, 0.4
_SATURATION, _LENGTH_SHARE = 1.2, 0.5
_NEAR_RATIO, _NEAR_SHARE, _NEAR_MIN_LETTERS, _MAX_NEAR = 86.0, 0.7, 4, 32
_MAX_TERMS, _MAX_ENUM_VALUES = 256, 50


@dataclass(frozen=True, slots=True)
class IndexedTool:
    """One tool as it was read: its name, the stems of the name, and its parameters."""

    name: str
    name_terms: frozenset[str]
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A tool with its score: 0 where it shares no word with the question."""

    tool: IndexedTool
    score: float


class ToolIndex:
    """The words of a list of tools. What is no tool definition is passed over."""

    def __init__(self, definitions: Sequence[Any]) -> None:
        self.tools: list[IndexedTool] = []
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        lengths = []
        for definition in definitions:
            function = definition.get("function") if isinstance(definition, dict) else None
            if isinstance(function, dict) and isinstance(function.get("name"), str):
                weights = self._add(function)
                lengths.append(sum(weights.values()))
                for term, weight in weights.items():
                    self._postings[term].append((len(lengths) - 1, weight))
        mean = sum(lengths) / len(lengths) if lengths else 0.0
        self._norms = [
            _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * (n / mean if mean else 1.0))
            for n in lengths
        ]

    def _add(self, function: dict[str, Any]) -> dict[str, float]:
        name_terms = terms(function["name"])
        parameters = parameters_of(function.get("parameters"))
        self.tools.append(IndexedTool(function["name"], frozenset(name_terms), parameters))
        weights: dict[str, float] = defaultdict(float)
        for term in name_terms:
            weights[term] += _NAME
        description = function.get("description")
        for term in set(terms(description)) if isinstance(description, str) else ():
            weights[term] += _DESCRIPTION
        for parameter in parameters:
            for term in terms(parameter.name):
                weights[term] += _PARAMETER
            for choice in parameter.choices[:_MAX_ENUM_VALUES]:
                for term in choice.words:
                    weights[term] += _PARAMETER
            for term in parameter.hints:
                weights[term] += _PARAMETER_TEXT
        return weights

    def rank(self, question: str, *, explained: Collection[str] = ()) -> list[Ranked]:
        """Return all tools, best first; ties keep the order in which they were given.

        The score is BM25 over weighted words, with ``log(1 + (tools + 1) / tools that have
        the word)`` as a word's worth, so that it means something for a single tool too. A
        word that no tool has counts as the nearest one that some tool has, at a discount.
        Words in ``explained`` count nothing.
        """
        asked = dict.fromkeys(terms(question)[:_MAX_TERMS])
        scores = [0.0] * len(self.tools)
        for term, share in self._known(asked, frozenset(explained)):
            postings = self._postings[term]
            worth = share * math.log(1 + (len(self.tools) + 1) / len(postings))
            for position, weight in postings:
                norm = self._norms[position]
                scores[position] += worth * weight * (_SATURATION + 1) / (weight + norm)
        order = sorted(range(len(scores)), key=lambda position: -scores[position])
        return [Ranked(self.tools[n], scores[n]) for n in order]

    def _known(self, asked: Collection[str], explained: Collection[str]) -> list[tuple[str, float]]:
        """Return the index's words that the question holds or nearly holds, with their share."""
        known = {term: 1.0 for term in asked if term in self._postings}
        foreign = [term for term in asked if term not in known and len(term) >= _NEAR_MIN_LETTERS]
        for term in foreign[:_MAX_NEAR]:
            near = process.extractOne(
                term, self._vocabulary, scorer=fuzz.ratio, score_cutoff=_NEAR_RATIO
            )
            if near:
                known.setdefault(near[0], _NEAR_SHARE)
        return [(term, share) for term, share in known.items() if term not in explained]

    @cached_property
    def _vocabulary(self) -> list[str]:
        return [term for term in self._postings if len(term) >= _NEAR_MIN_LETTERS]
