"""Expected calls as other systems write them: a fixed list of names and arguments.

What such a list cannot say is a ``BadRecord``, so that nothing is exported that another
system would score otherwise than it was meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from toolgauge.formats.places import kind_of
from toolgauge.formats.records import BadRecord
from toolgauge.model.case import Case, ExpectedCall

_NO_VALUES = ("regex", "one_of", "any")
"""Modes whose expected value is no right value itself."""


def plain_calls(
    case: Case, *, unstated: dict[str, Any] | None = None
) -> list[tuple[str, dict[str, Any]]]:
    """Return name and arguments of each expected call; empty where none is expected.

    ``unstated`` stands for parameters that the case does not state.

    Raises:
        BadRecord: the expectation cannot be written as such a list.
    """
    if case.match:
        raise BadRecord("match", "lists of acceptable values can only be exported as bfcl")
    calls = single_calls(case)
    if case.order == "any" and len(calls) > 1:
        raise BadRecord("order", "is `any`; this format knows only a fixed order")
    for name, call in calls:
        _refuse_patterns(name, call)
    return [(name, _stated(name, call, unstated)) for name, call in calls]


def single_calls(case: Case) -> list[tuple[str, ExpectedCall]]:
    """Return each expected call with its one tool.

    Raises:
        BadRecord: there are alternatives, optional calls, a loop with mocks, or a rule
            that no list of calls can say.
    """
    if case.multi_turn:
        raise BadRecord("multi_turn", "this format cannot say how a conversation goes on")
    if case.expects == "any_call":
        raise BadRecord("expect_any_call", "this format needs to know which call")
    if case.forbidden_tools:
        raise BadRecord("forbidden_tools", "this format has no place for them")
    calls = []
    for expected in case.expected:
        if len(expected.tools) > 1:
            raise BadRecord("", f"accepts several tools ({', '.join(expected.tools)}); keep one")
        if expected.optional:
            raise BadRecord("expected_calls", "this format has no optional calls")
        calls += [(tool, expected) for tool in expected.tools]
    return calls


def arguments_of(sent: Any, field: str) -> dict[str, Any]:
    """Return the arguments of a recorded call: JSON text, or the object itself.

    Blank, missing and null arguments are none.

    Raises:
        BadRecord: they are no object.
    """
    value = sent
    if isinstance(sent, str):
        try:
            value = json.loads(sent) if sent.strip() else None
        except (ValueError, RecursionError):
            raise BadRecord(field, "is not valid JSON") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadRecord(field, f"must be an object, not {kind_of(value)}")
    return value


def expected_call(name: Any, arguments: Any, field: str) -> dict[str, Any]:
    """Return one entry of ``expected_calls``; ``field`` is where the call stands.

    Raises:
        BadRecord: the name is no text, or the arguments are no object.
    """
    if not isinstance(name, str) or not name:
        raise BadRecord(field, "names no tool")
    return {"tool": name, "params": arguments_of(arguments, f"{field}.arguments")}


def expected_calls(entries: Any, field: str) -> list[dict[str, Any]]:
    """Return ``expected_calls`` from a list of OpenAI tool calls, flat ones among them.

    Raises:
        BadRecord: this is no list of calls.
    """
    if entries is None:
        return []
    if not isinstance(entries, list):
        raise BadRecord(field, f"must be a list of calls, not {kind_of(entries)}")
    calls = []
    for position, entry in enumerate(entries):
        place = f"{field}[{position}]"
        if not isinstance(entry, dict):
            raise BadRecord(place, f"must be a call, not {kind_of(entry)}")
        function = entry["function"] if isinstance(entry.get("function"), dict) else entry
        calls.append(expected_call(function.get("name"), _first(function), place))
    return calls


def openai_calls(calls: Iterable[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return calls as OpenAI writes them, without ids."""
    return [
        {
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
        }
        for name, arguments in calls
    ]


def _first(function: dict[str, Any]) -> Any:
    return next((function[key] for key in ("arguments", "args") if key in function), None)


def _refuse_patterns(name: str, call: ExpectedCall) -> None:
    for key in call.params or {}:
        mode = call.rule_for(key).mode
        if mode in _NO_VALUES:
            raise BadRecord("", f"{name}, {key}: mode {mode!r} gives no value to expect")


def _stated(name: str, call: ExpectedCall, unstated: dict[str, Any] | None) -> dict[str, Any]:
    params = unstated if call.params is None else call.params
    if params is None:
        raise BadRecord("", f"states no parameters of {name}; this format compares them all")
    return params
