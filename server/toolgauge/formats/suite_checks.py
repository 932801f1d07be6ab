"""Checks across the fields of a suite, on its raw data.

A wrong type anywhere must not hide other problems, so everything here takes whatever
was written and leaves types to the model. Begin with ``find_contradictions``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgauge.formats.places import (
    Found,
    Loc,
    as_list,
    as_object,
    did_you_mean,
    kind_of,
    nearest,
    path_text,
)
from toolgauge.formats.rule_checks import find_bad_rules
from toolgauge.model.case import CaseDocument
from toolgauge.model.mocks import MOCK_KEYS, is_structured

WEIGHTS = "must be {tool: …, params: …}, both from 0 to 1, with a sum of 1"
_SLACK = 1e-9
_WHEN_KEYS = ("params", "return")
_CASE_FIELDS = frozenset(CaseDocument.model_fields)
_EXPECTATIONS = ("expected_tool", "expected_calls", "expect_no_call", "expect_any_call")


def find_contradictions(suite: dict[str, Any]) -> Iterator[Found]:
    """Yield what is wrong across the fields of a suite and of each of its cases."""
    defaults = as_object(suite.get("defaults"))
    yield from _bad_weights(suite.get("weights"))
    yield from _unsafe_targets(suite)
    yield from _bad_mocks(defaults.get("mock_responses"), ("defaults", "mock_responses"))
    yield from _bad_sources(defaults.get("argument_source"), ("defaults", "argument_source"))
    cases = as_list(suite.get("test_cases"))
    yield from _repeated_ids(cases)
    for position, entry in enumerate(cases):
        if isinstance(entry, dict):
            yield from _case(entry, suite, ("test_cases", position))


def expects_no_call(case: dict[str, Any]) -> bool:
    """Return whether a case says that nothing may be called, in whichever of four ways."""
    return (
        case.get("expect_no_call") is True
        or case.get("should_call_tool") is False
        or case.get("expected_calls") == []
        or ("expected_tool" in case and case["expected_tool"] is None)
    )


def _case(case: dict[str, Any], suite: dict[str, Any], loc: Loc) -> Iterator[Found]:
    defaults = as_object(suite.get("defaults"))
    yield from _conversation(case, loc)
    yield from _expectation(case, loc)
    yield from _bad_mocks(case.get("mock_responses"), (*loc, "mock_responses"))
    yield from _bad_sources(case.get("argument_source"), (*loc, "argument_source"))
    match = case["match"] if "match" in case else defaults.get("match")
    if (match or suite.get("match")) == "bfcl":
        yield from _bad_answers(case, loc)
    else:
        yield from find_bad_rules(case, defaults, loc)


def _bad_weights(weights: Any) -> Iterator[Found]:
    shares = [as_object(weights).get(name) for name in ("tool", "params")]
    numbers = [s for s in shares if isinstance(s, (int, float)) and not isinstance(s, bool)]
    if len(numbers) == len(shares) and abs(sum(numbers) - 1) > _SLACK:
        yield Found(("weights",), WEIGHTS)


def _unsafe_targets(suite: dict[str, Any]) -> Iterator[Found]:
    for position, target in enumerate(as_list(suite.get("targets"))):
        if isinstance(target, str) and target.startswith("python:"):
            yield Found(
                ("targets", position),
                "a suite must not name code to run; name this target in the project file "
                "or on the command line",
            )


def _repeated_ids(cases: list[Any]) -> Iterator[Found]:
    first: dict[str, int] = {}
    for position, case in enumerate(cases):
        case_id = as_object(case).get("id")
        if not isinstance(case_id, str):
            continue
        earlier = first.setdefault(case_id, position)
        if earlier != position:
            yield Found(
                ("test_cases", position, "id"),
                f"{case_id!r} is the id of test_cases[{earlier}] already; choose another",
            )


def _conversation(case: dict[str, Any], loc: Loc) -> Iterator[Found]:
    has_prompt = case.get("prompt") is not None
    has_messages = case.get("messages") is not None
    if has_prompt and has_messages:
        yield Found(loc, "states both `prompt` and `messages`; keep one of them")
    if not (has_prompt or has_messages or _misspells(case, ("prompt", "messages"))):
        yield Found(loc, "says nothing to the model; state `prompt` or `messages`")
    for position, message in enumerate(as_list(case.get("messages"))):
        if isinstance(message, dict) and not _is_name(message.get("role")):
            role_loc: Loc = (*loc, "messages", position, "role")
            yield Found(role_loc, "is required: system, user, assistant or tool")


def _misspells(case: dict[str, Any], names: tuple[str, ...]) -> bool:
    """Whether an unknown field is most likely one of ``names``: that is told already."""
    unknown = case.keys() - _CASE_FIELDS
    return any(nearest(str(field), _CASE_FIELDS) in names for field in unknown)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _expectation(case: dict[str, Any], loc: Loc) -> Iterator[Found]:
    stated = dict(_stated_expectations(case))
    if not stated and not _misspells(case, _EXPECTATIONS):
        yield Found(
            loc,
            "states no expectation; add `expected_tool` (null where nothing should be called), "
            "`expected_calls`, `expect_no_call: true` or `expect_any_call: true`",
        )
    if len(set(stated.values())) > 1 or {"expected_tool", "expected_calls"} <= stated.keys():
        listed = " and ".join(f"`{name}`" for name in stated)
        yield Found(loc, f"states expectations that exclude each other; keep one of {listed}")
    elif case.get("expected_params") is not None and "expected_calls" in stated:
        yield Found(
            loc, "states `expected_params` beside `expected_calls`; move it into a call's `params`"
        )
    elif case.get("expected_params") is not None and "expect_any_call" in stated:
        yield Found(
            loc, "states `expected_params` beside `expect_any_call`, which looks at none; remove it"
        )


def _stated_expectations(case: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each field that states an expectation, and what kind; a wrong type counts too.

    ``should_call_tool: true`` and ``expect_no_call: false`` say nothing: exports hold them
    as defaults.
    """
    if "expected_tool" in case:
        yield "expected_tool", "nothing" if case["expected_tool"] is None else "a tool"
    if case.get("expected_calls") is not None:
        yield "expected_calls", "calls" if case["expected_calls"] else "nothing"
    if case.get("expect_no_call") not in (None, False):
        yield "expect_no_call", "nothing"
    if case.get("should_call_tool") not in (None, True):
        yield "should_call_tool", "nothing"
    if case.get("expect_any_call") not in (None, False):
        yield "expect_any_call", "anything"


def _bad_mocks(mocks: Any, loc: Loc) -> Iterator[Found]:
    for tool, mock in as_object(mocks).items():
        if not is_structured(mock):
            continue
        where: Loc = (*loc, tool)
        for key in mock.keys() - MOCK_KEYS:
            yield Found(
                (*where, key),
                "does not go with `when` or `sequence`; to return this object as it is, "
                f"write it under `{path_text((*where, 'default'))}`",
            )
        yield from _bad_sequence(mock, where)
        yield from _bad_conditions(mock, where)


def _bad_sequence(mock: dict[str, Any], loc: Loc) -> Iterator[Found]:
    if "sequence" in mock and not (isinstance(mock["sequence"], list) and mock["sequence"]):
        yield Found((*loc, "sequence"), "must be a list of at least one value")


def _bad_conditions(mock: dict[str, Any], loc: Loc) -> Iterator[Found]:
    if "when" not in mock:
        return
    if not isinstance(mock["when"], list) or not mock["when"]:
        yield Found((*loc, "when"), "must be a list of {params: {…}, return: …}")
    for position, condition in enumerate(as_list(mock["when"])):
        yield from _bad_condition(condition, (*loc, "when", position))


def _bad_condition(condition: Any, loc: Loc) -> Iterator[Found]:
    if not isinstance(condition, dict):
        yield Found(loc, f"must be {{params: {{…}}, return: …}}, not {kind_of(condition)}")
        return
    if not isinstance(condition.get("params"), dict):
        yield Found((*loc, "params"), "must be an object: the arguments that this answers")
    if "return" not in condition:
        yield Found((*loc, "return"), "is required: what the tool answers")
    for key in condition:
        if key not in _WHEN_KEYS:
            hint = did_you_mean(key, _WHEN_KEYS, otherwise="known are: params, return")
            yield Found((*loc, key), f"is no known field; {hint}")


def _bad_sources(sources: Any, loc: Loc) -> Iterator[Found]:
    for argument, source in as_object(sources).items():
        if isinstance(source, str) and not all(source.split(".")):
            yield Found(
                (*loc, argument),
                "must be `tool.path`, such as `search_flights.flights.0.id`",
            )


def _bad_answers(case: dict[str, Any], loc: Loc) -> Iterator[Found]:
    """Yield parameters that lack the list of acceptable values that ``match: bfcl`` asks for."""
    stated: list[tuple[Any, Loc]] = [(case.get("expected_params"), (*loc, "expected_params"))]
    for position, call in enumerate(as_list(case.get("expected_calls"))):
        params_loc: Loc = (*loc, "expected_calls", position, "params")
        stated.append((as_object(call).get("params"), params_loc))
    for params, params_loc in stated:
        for key, answers in as_object(params).items():
            if not isinstance(answers, list):
                yield Found(
                    (*params_loc, key),
                    "`match: bfcl` takes a list of acceptable values for each parameter",
                )
