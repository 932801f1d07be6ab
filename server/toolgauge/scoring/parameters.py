"""How many of the expected parameters a call got right (``scoring.md`` section 2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgauge.model.case import ExpectedCall, ParamMode, ParamRule
from toolgauge.model.trial import Score
from toolgauge.scoring import matching
from toolgauge.scoring.matching import Embeddings, Undecided
from toolgauge.scoring.quoting import join_reasons, key_text, quote

PERFECT = Score(1.0)
UNSCORED = Score(None)


def score(expected: ExpectedCall, arguments: Any, embeddings: Embeddings) -> Score:
    """Return the share of expected parameters that agree, each by its own mode, in [0, 1].

    ``arguments`` are those of a call of the right tool. None where the expected params
    are None; 0.0 where the arguments are no object; 1.0 where no parameter is expected.
    A missing key is wrong even where null is expected; other keys are ignored.
    Source: ``scoring.md`` section 2.

    Raises:
        Undecided: two values cannot be compared.

    >>> expected = ExpectedCall(("get_weather",), {"city": "Paris", "units": "fahrenheit"})
    >>> score(expected, {"city": "paris", "units": "celsius"}, {}).reason
    "1 of 2 expected parameters agree: units expected 'fahrenheit', got 'celsius'"
    >>> score(expected, {"city": "PARIS", "units": "Fahrenheit"}, {}).value
    1.0
    """
    params = expected.params
    if params is None:
        return UNSCORED
    if not isinstance(arguments, dict):
        return Score(0.0, f"the arguments are no object: {quote(arguments)}")
    wrong = _wrong_keys(expected, params, arguments, embeddings)
    if not wrong:
        return PERFECT
    right = len(params) - len(wrong)
    noun = "parameter agrees" if len(params) == 1 else "parameters agree"
    differences = join_reasons(
        f"{key_text(key)} expected {_wanted(expected, key, params[key])}, "
        f"got {quote(arguments[key]) if key in arguments else 'nothing'}"
        for key in wrong
    )
    return Score(right / len(params), f"{right} of {len(params)} expected {noun}: {differences}")


def texts_compared(expected: ExpectedCall, arguments: Any) -> Iterator[str]:
    """Yield the texts whose vectors ``score`` would ask for."""
    if not isinstance(arguments, dict):
        return
    for key, value in (expected.params or {}).items():
        if key in arguments:
            mode, rule = _mode_and_rule(expected, key)
            yield from matching.texts_compared(value, arguments[key], mode=mode, rule=rule)


def _wrong_keys(
    expected: ExpectedCall,
    params: dict[str, Any],
    arguments: dict[str, Any],
    embeddings: Embeddings,
) -> list[str]:
    wrong = []
    for key, value in params.items():
        mode, rule = _mode_and_rule(expected, key)
        try:
            if key not in arguments or not matching.agree(
                value, arguments[key], mode=mode, rule=rule, embeddings=embeddings
            ):
                wrong.append(key)
        except Undecided as undecided:
            undecided.key = key
            raise
    return wrong


def _mode_and_rule(expected: ExpectedCall, key: str) -> tuple[ParamMode, ParamRule]:
    """Return how one parameter is compared; a rule that names no mode takes the case's."""
    rule = expected.rules.get(key, expected.rule)
    return rule.mode or expected.rule.mode or "exact", rule


def _wanted(expected: ExpectedCall, key: str, value: Any) -> str:
    mode, rule = _mode_and_rule(expected, key)
    if mode == "one_of":
        return f"one of {quote(rule.values)}"
    if mode == "any":
        return f"any {rule.type}" if rule.type else "any value"
    return quote(value) if mode == "exact" else f"{quote(value)} ({mode})"
