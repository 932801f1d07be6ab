"""Checks of how parameters are compared: patterns, values, and keys that nobody expects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolgauge.formats.places import Found, Loc, as_list, as_object, did_you_mean
from toolgauge.scoring import patterns


@dataclass(frozen=True, slots=True)
class Comparison:
    """Expected values and the rule that holds for them, each with where it stands.

    ``config`` and ``params`` are as they were written; either may be of a wrong type.
    """

    params: Any
    params_loc: Loc
    config: Any
    config_loc: Loc
    mode: Any

    @property
    def rules(self) -> dict[str, Any]:
        """Rules of single parameters."""
        return as_object(as_object(self.config).get("params"))

    def rule_of(self, key: str) -> tuple[dict[str, Any], Loc]:
        """Return the rule of one parameter and where it stands; it inherits only the mode."""
        own, own_loc = self.rules.get(key), (*self.config_loc, "params", key)
        rule, loc = (own, own_loc) if key in self.rules else (self.config, self.config_loc)
        stated = as_object(rule)
        return stated | {"mode": stated.get("mode") or self.mode}, loc


def find_bad_rules(case: dict[str, Any], defaults: dict[str, Any], loc: Loc) -> Iterator[Found]:
    """Yield what is wrong with the rules by which a case compares parameters.

    The mode is the configuration's, else ``param_scoring``, else ``exact``; each is the
    expected call's own, else the case's, else the suite's default.
    """
    compared = list(_comparisons(case, defaults, loc))
    for comparison in compared:
        for key, value in as_object(comparison.params).items():
            yield from _bad_rule(comparison, key, value)
        if not as_object(comparison.params) and not comparison.rules:
            # nothing uses the rule of the whole case, and yet it has to make sense
            yield from _bad_values(*comparison.rule_of(""))
    yield from _unexpected_keys(compared)


def _comparisons(case: dict[str, Any], defaults: dict[str, Any], loc: Loc) -> Iterator[Comparison]:
    config = _stated("scoring_config", case, defaults, loc)
    scoring = _stated("param_scoring", case, defaults, loc)
    if case.get("expected_calls") is None:
        params_loc: Loc = (*loc, "expected_params")
        yield _comparison(case.get("expected_params"), params_loc, config, scoring)
    for position, entry in enumerate(as_list(case.get("expected_calls"))):
        call, call_loc = as_object(entry), (*loc, "expected_calls", position)
        yield _comparison(
            call.get("params"),
            (*call_loc, "params"),
            config if call.get("scoring_config") is None else (call["scoring_config"], call_loc),
            (call["param_scoring"], call_loc) if call.get("param_scoring") else scoring,
        )


def _stated(name: str, case: dict[str, Any], defaults: dict[str, Any], loc: Loc) -> tuple[Any, Loc]:
    """Return a field and what states it: the case, even by null, else the suite's defaults."""
    return (case[name], loc) if name in case else (defaults.get(name), ("defaults",))


def _comparison(
    params: Any, params_loc: Loc, config: tuple[Any, Loc], scoring: tuple[Any, Loc]
) -> Comparison:
    stated, owner = config if config[0] is not None else (None, scoring[1])
    mode = as_object(stated).get("mode") or scoring[0] or "exact"
    return Comparison(params, params_loc, stated, (*owner, "scoring_config"), mode)


def _bad_rule(comparison: Comparison, key: str, value: Any) -> Iterator[Found]:
    rule, loc = comparison.rule_of(key)
    if rule["mode"] == "regex":
        yield from _bad_pattern(value, (*comparison.params_loc, key))
    yield from _bad_values(rule, loc)


def _bad_values(rule: dict[str, Any], loc: Loc) -> Iterator[Found]:
    if rule["mode"] != "one_of":
        return
    if rule.get("values") is None:
        yield Found((*loc, "values"), "is required by `one_of`: list the values that are right")
    if rule.get("by") == "regex":
        for position, value in enumerate(as_list(rule.get("values"))):
            yield from _bad_pattern(value, (*loc, "values", position))


def _bad_pattern(pattern: Any, loc: Loc) -> Iterator[Found]:
    if not isinstance(pattern, str):
        return
    try:
        patterns.found(pattern, "")
    except patterns.BadPattern as error:
        yield Found(loc, f"the pattern of {_named(loc)} is no regular expression: {error}")
    except patterns.PatternTimeout:
        yield Found(loc, f"the pattern of {_named(loc)} takes too long; make it simpler")


def _named(loc: Loc) -> str:
    keys = [step for step in loc if isinstance(step, str)]
    return f"`{keys[-2] if keys[-1] == 'values' else keys[-1]}`"


def _unexpected_keys(compared: list[Comparison]) -> Iterator[Found]:
    """Yield keys with rules that no expectation has; defaults may name keys of some cases."""
    for config_loc in dict.fromkeys(comparison.config_loc for comparison in compared):
        users = [comparison for comparison in compared if comparison.config_loc == config_loc]
        if config_loc[0] == "defaults" or any(
            not isinstance(user.params, dict | None) for user in users
        ):
            continue
        known = {key for user in users for key in user.params or ()}
        for key in users[0].rules:
            if key not in known:
                hint = did_you_mean(key, known, otherwise="remove it, or expect it")
                message = f"`{key}` has a rule but no expected value; {hint}"
                yield Found((*config_loc, "params", key), message)
