"""Whether the calls are exactly the expected ones, in order (``scoring.md`` section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toolgauge.model.case import Case, ExpectedCall
from toolgauge.model.json_equality import identical
from toolgauge.model.tools import ToolCall, Trajectory
from toolgauge.model.trial import Score
from toolgauge.scoring.quoting import key_text, quote

SAME = Score(1.0)
UNSCORED = Score(None)
_NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two lists of calls first differ.

    ``position`` counts calls from 1. ``field`` is ``call`` (one list ends here), ``name``,
    ``arguments`` or ``arguments.<key>``. ``expected`` and ``got`` are quoted and clipped.
    """

    position: int
    field: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"call {self.position}, {self.field}: expected {self.expected}, got {self.got}"


def score(case: Case, trajectory: Trajectory) -> Score:
    """Return 1.0 where all calls are the expected ones, in order and identical, else 0.0.

    Names are case-sensitive, arguments are compared as JSON: ``1`` differs from ``1.0``,
    null from missing. The reason gives the first difference. None for ``expect_any_call``,
    for multi-turn by ``expected_tool``, and where some expected params are not stated.
    Nothing expected and nothing called: 1.0. Source: ``scoring.md`` section 5.

    >>> expected = ExpectedCall(("search",), {"limit": 1})
    >>> case = Case("c", (), (), "tool", (expected,))
    >>> score(case, Trajectory((ToolCall("search", {"limit": 1}),))).value
    1.0
    >>> score(case, Trajectory((ToolCall("search", {"limit": 1.0}),))).reason
    'call 1, arguments.limit: expected 1, got 1.0'
    """
    expected = expected_list(case, trajectory.calls)
    if expected is None or any(params is None for _, params in expected):
        return UNSCORED
    difference = first_difference(
        expected, [(call.name, call.arguments) for call in trajectory.calls]
    )
    return Score(0.0, str(difference)) if difference else SAME


def expected_list(
    case: Case, calls: Sequence[ToolCall]
) -> list[tuple[str, dict[str, Any] | None]] | None:
    """Return name and params of each expected call, in order.

    Where a call may be of several tools, ``expected_tool`` takes the first alternative
    that was called, else the first; ``expected_calls`` prefers the tool that was called
    in the same place. Empty where nothing is expected; None where no list can be:
    ``expect_any_call`` and multi-turn by ``expected_tool``.
    """
    if case.expects == "calls":
        return [
            (_chosen_tool(expected, calls, calls[at : at + 1]), expected.params)
            for at, expected in enumerate(case.expected)
        ]
    if case.expects == "any_call" or case.multi_turn:
        return None
    return [(_chosen_tool(one, calls, ()), one.params) for one in case.expected if one.tools]


def first_difference(
    expected: Sequence[tuple[str, Any]], actual: Sequence[tuple[str, Any]]
) -> Difference | None:
    """Return where two lists of (name, arguments) first differ, None where they do not.

    >>> print(first_difference([("f", {}), ("g", {"a": 1})], [("f", {})]))
    call 2, call: expected 'g' with {'a': 1}, got nothing
    """
    # the lists may differ in length: that is what comes after the loop
    for position, (wanted, got) in enumerate(zip(expected, actual, strict=False), start=1):
        if wanted[0] != got[0]:
            return Difference(position, "name", quote(wanted[0]), quote(got[0]))
        if not identical(wanted[1], got[1]):
            return _arguments_difference(position, wanted[1], got[1])
    if len(expected) == len(actual):
        return None
    end = min(len(expected), len(actual))
    return Difference(end + 1, "call", _call_text(expected, end), _call_text(actual, end))


def _chosen_tool(
    expected: ExpectedCall, calls: Sequence[ToolCall], first: Sequence[ToolCall]
) -> str:
    if len(expected.tools) == 1:
        return expected.tools[0]
    same_place = next((call.name for call in first if call.name in expected.tools), None)
    called = {call.name for call in calls}
    return same_place or next((t for t in expected.tools if t in called), expected.tools[0])


def _arguments_difference(position: int, wanted: Any, got: Any) -> Difference:
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in wanted | got:
            in_both = key in wanted and key in got
            if not (in_both and identical(wanted[key], got[key])):
                return Difference(
                    position,
                    f"arguments.{key_text(str(key))}",
                    quote(wanted[key]) if key in wanted else _NOTHING,
                    quote(got[key]) if key in got else _NOTHING,
                )
    return Difference(position, "arguments", quote(wanted), quote(got))


def _call_text(calls: Sequence[tuple[str, Any]], at: int) -> str:
    if at >= len(calls):
        return _NOTHING
    name, arguments = calls[at]
    return f"{quote(name)} with {quote(arguments)}"
