"""When an expected value and the actual one agree, one function per mode.

Begin with ``agree``. Values may come from anywhere and be nested to any depth, so what
walks them does not recurse.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from rapidfuzz import fuzz

from toolgauge.model.case import ParamMode, ParamRule
from toolgauge.scoring import patterns, similarity
from toolgauge.scoring.json_types import TYPES, is_number
from toolgauge.scoring.quoting import quote
from toolgauge.scoring.tolerance import within

Embeddings = Mapping[str, Sequence[float]]
"""Text to its vector, for the mode ``semantic``."""

FUZZY_THRESHOLD = 0.85
SEMANTIC_THRESHOLD = 0.80
SLACK = 1e-9
_DEEPEST_CONTAINS = 100


class Undecided(Exception):
    """Two values cannot be compared; ``key`` is the parameter, once that is known.

    ``score_trial`` makes a ``CannotScore`` of it, which names the case too.
    """

    def __init__(self, why: str, key: str = "") -> None:
        self.why = why
        self.key = key
        super().__init__(why)


def agree(
    expected: Any, actual: Any, *, mode: ParamMode, rule: ParamRule, embeddings: Embeddings
) -> bool:
    """Return whether two values agree under ``mode``, with the options of ``rule``.

    Source: ``scoring.md`` section 2, the table of modes.

    Raises:
        Undecided: a pattern ran out of time or cannot be compiled, or a text has no vector.

    >>> agree("NYC", "nyc", mode="exact", rule=ParamRule(), embeddings={})
    True
    >>> agree(["a"], ["cab", "b"], mode="contains", rule=ParamRule(), embeddings={})
    True
    """
    if mode == "exact":
        return agree_exactly(expected, actual)
    return _MODES[mode](expected, actual, rule, embeddings)


def agree_exactly(expected: Any, actual: Any) -> bool:
    """Return whether two values agree in the mode ``exact``, at every depth.

    Texts are equal under casefold, numbers as numbers; types never mix.

    >>> agree_exactly({"a": [1, "X"]}, {"a": [1.0, "x"]}), agree_exactly(1, True)
    (True, False)
    """
    return _by_depth(expected, actual, _scalars_agree)


def texts_compared(
    expected: Any, actual: Any, *, mode: ParamMode, rule: ParamRule
) -> Iterator[str]:
    """Yield the texts whose vectors ``agree`` would ask for; none but in ``semantic``."""
    if mode == "one_of" and rule.by == "semantic":
        for value in rule.values or ():
            yield from texts_compared(value, actual, mode="semantic", rule=rule)
    elif mode == "semantic" and _needs_vectors(expected, actual):
        yield expected
        yield actual


def _case_insensitive(
    expected: Any, actual: Any, _rule: ParamRule, _embeddings: Embeddings
) -> bool:
    def leaves_agree(left: Any, right: Any) -> bool:
        if isinstance(left, str) and isinstance(right, str):
            return _fold(left) == _fold(right)
        return _scalars_agree(left, right)

    return _by_depth(expected, actual, leaves_agree)


def _contains(expected: Any, actual: Any, _rule: ParamRule, _embeddings: Embeddings) -> bool:
    return _contains_below(expected, actual, _DEEPEST_CONTAINS)


def _contains_below(expected: Any, actual: Any, levels: int) -> bool:
    if isinstance(expected, str) and isinstance(actual, str):
        left, right = expected.casefold(), actual.casefold()
        return left == right or (bool(left) and bool(right) and (left in right or right in left))
    if isinstance(expected, list) and isinstance(actual, list):
        if not levels:
            raise Undecided(f"lists nested deeper than {_DEEPEST_CONTAINS} levels")
        return all(
            any(_contains_below(wanted, given, levels - 1) for given in actual)
            for wanted in expected
        )
    return agree_exactly(expected, actual)


def _numeric(expected: Any, actual: Any, rule: ParamRule, _embeddings: Embeddings) -> bool:
    return _by_depth(expected, actual, lambda left, right: _numbers_agree(left, right, rule))


def _numbers_agree(expected: Any, actual: Any, rule: ParamRule) -> bool:
    close = within(expected, actual, rule)
    return _scalars_agree(expected, actual) if close is None else close


def _regex(expected: Any, actual: Any, _rule: ParamRule, _embeddings: Embeddings) -> bool:
    if not isinstance(expected, str):
        return agree_exactly(expected, actual)
    try:
        return patterns.found(expected, actual if isinstance(actual, str) else _as_text(actual))
    except patterns.PatternTimeout:
        raise Undecided(f"pattern {quote(expected, 200)} ran out of time") from None
    except patterns.BadPattern as error:
        raise Undecided(f"pattern {quote(expected, 200)} is none: {error}") from None


def _fuzzy(expected: Any, actual: Any, rule: ParamRule, _embeddings: Embeddings) -> bool:
    threshold = FUZZY_THRESHOLD if rule.threshold is None else rule.threshold

    def leaves_agree(left: Any, right: Any) -> bool:
        if isinstance(left, str) and isinstance(right, str):
            left, right = _fold(left), _fold(right)
            return left == right or fuzz.ratio(left, right) / 100 >= threshold - SLACK
        if is_number(left) or is_number(right):
            return _numbers_agree(left, right, rule)
        return _scalars_agree(left, right)

    return _by_depth(expected, actual, leaves_agree)


def _semantic(expected: Any, actual: Any, rule: ParamRule, embeddings: Embeddings) -> bool:
    if not _needs_vectors(expected, actual):
        return agree_exactly(expected, actual)
    threshold = SEMANTIC_THRESHOLD if rule.threshold is None else rule.threshold
    for text in (expected, actual):
        if text not in embeddings:
            raise Undecided(f"no embedding was given for the text {quote(text)}")
    try:
        cosine = similarity.cosine(embeddings[expected], embeddings[actual])
    except ValueError as error:
        raise Undecided(f"the embeddings cannot be compared: {error}") from None
    return cosine >= threshold - SLACK


def _needs_vectors(expected: Any, actual: Any) -> bool:
    """Return whether only a model of meaning can tell: two texts that differ, neither blank."""
    return (
        isinstance(expected, str)
        and isinstance(actual, str)
        and bool(expected.strip())
        and bool(actual.strip())
        and expected.casefold() != actual.casefold()
    )


def _one_of(_expected: Any, actual: Any, rule: ParamRule, embeddings: Embeddings) -> bool:
    by: ParamMode = rule.by if rule.by and rule.by != "one_of" else "exact"
    return any(
        agree(value, actual, mode=by, rule=rule, embeddings=embeddings)
        for value in rule.values or ()
    )


def _any(_expected: Any, actual: Any, rule: ParamRule, _embeddings: Embeddings) -> bool:
    return rule.type is None or TYPES[rule.type](actual)


_MODES: Mapping[ParamMode, Callable[[Any, Any, ParamRule, Embeddings], bool]] = {
    "case_insensitive": _case_insensitive,
    "contains": _contains,
    "numeric_tolerance": _numeric,
    "regex": _regex,
    "fuzzy": _fuzzy,
    "semantic": _semantic,
    "one_of": _one_of,
    "any": _any,
}


def _by_depth(expected: Any, actual: Any, leaves_agree: Callable[[Any, Any], bool]) -> bool:
    pairs = [(expected, actual)]  # a stack, not recursion: hostile values may be nested deeply
    while pairs:
        left, right = pairs.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            pairs.extend((value, right[key]) for key, value in left.items())
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pairs.extend(zip(left, right, strict=True))
        elif not leaves_agree(left, right):
            return False
    return True


def _scalars_agree(expected: Any, actual: Any) -> bool:
    if isinstance(expected, str) and isinstance(actual, str):
        return expected == actual or expected.casefold() == actual.casefold()
    if is_number(expected) and is_number(actual):
        return bool(expected == actual) or (_is_nan(expected) and _is_nan(actual))
    return expected is actual and (expected is None or isinstance(expected, bool))


def _is_nan(number: float) -> bool:
    return isinstance(number, float) and isnan(number)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _as_text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (RecursionError, ValueError):  # nested too deeply, or a number too long to print
        raise Undecided("the value is nested too deeply to be read as text") from None
