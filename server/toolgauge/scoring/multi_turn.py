"""Conversations that lead to a goal: the scores of ``scoring.md`` section 4.

The chain is every call of the trial in order, parallel calls included. A case without
one goal (``expected_calls``, ``expect_any_call``) defines none of these scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from toolgauge.model import mocks
from toolgauge.model.case import Case
from toolgauge.model.json_equality import equal_by_value
from toolgauge.model.tools import ToolCall, Trajectory
from toolgauge.model.trial import Score
from toolgauge.scoring import selection
from toolgauge.scoring.quoting import join_reasons, key_text, quote

UNSCORED = Score(None)
NOTHING_CALLED = "nothing was called"
_PENALTIES_PER_POINT = 10  # each costs 0.10
_MISSING = object()


def is_scored(case: Case) -> bool:
    """Return whether the case is a conversation towards one goal."""
    return case.multi_turn and case.goal is not None


def completion(case: Case, trajectory: Trajectory, weighed: Score) -> Score:
    """Return ``weighed``, the overall of section 3 of the call that is scored.

    An empty chain: 0.0, or 1.0 where no call is expected.
    """
    if not is_scored(case):
        return UNSCORED
    return weighed if trajectory.calls else _of_empty_chain(case)


def efficiency(case: Case, trajectory: Trajectory) -> Score:
    """Return ``min(1, optimal_hops / actual_hops)``, in (0, 1].

    An empty chain: 0.0, or 1.0 where no call is expected.
    """
    if not is_scored(case):
        return UNSCORED
    hops = len(trajectory.calls)
    if not hops:
        return _of_empty_chain(case)
    if hops <= case.optimal_hops:
        return Score(1.0)
    return Score(case.optimal_hops / hops, f"{hops} calls, {case.optimal_hops} are optimal")


def redundancy(case: Case, trajectory: Trajectory) -> Score:
    """Return 0.10 per call that repeats the one before it, at most 1.0.

    A repetition has the same name, letter case folded, and equal arguments. 0.0 for an
    empty chain.
    """
    if not is_scored(case):
        return UNSCORED
    chain = trajectory.calls
    repeated = [call for before, call in pairwise(chain) if _repeats(before, call)]
    return _penalty(repeated, "repeat the call before")


def detour(case: Case, trajectory: Trajectory) -> Score:
    """Return 0.10 per call that is neither the goal nor a valid prerequisite, at most 1.0.

    The last call counts too; letter case is folded. 0.0 for an empty chain.
    """
    if not is_scored(case):
        return UNSCORED
    allowed = (*(case.goal.tools if case.goal else ()), *case.valid_prerequisites)
    strays = [call for call in trajectory.calls if not selection.is_expected(allowed, call.name)]
    return _penalty(strays, "lead away from the goal")


def overall(case: Case, trajectory: Trajectory, weighed: Score) -> Score:
    """Return ``completion * efficiency - redundancy - detour``, kept within [0, 1]."""
    reached = completion(case, trajectory, weighed).value or 0.0
    pace = efficiency(case, trajectory).value or 0.0
    repeats = redundancy(case, trajectory).value or 0.0
    strays = detour(case, trajectory).value or 0.0
    value = min(1.0, max(0.0, reached * pace - repeats - strays))
    if value == 1.0:
        return Score(1.0)
    return Score(value, f"{reached:g} * {pace:g} - {repeats:g} - {strays:g}")


def provenance(case: Case, trajectory: Trajectory) -> Score:
    """Return 1.0 where each argument of ``argument_source`` is what its source returned.

    The final call is the last that names the expected tool, the last of all where none
    does. Its argument has to equal (by value) what some earlier call of the source
    returned at the path. A source that was never called: 0.0; an empty chain: 0.0; None
    where the case states no ``argument_source``.
    """
    if not is_scored(case) or not case.argument_source:
        return UNSCORED
    if not trajectory.calls:
        return Score(0.0, NOTHING_CALLED)
    last = _final_position(case, trajectory.calls)
    problems = [
        problem
        for argument, source in case.argument_source.items()
        if (problem := _provenance_problem(case, trajectory.calls[: last + 1], argument, source))
    ]
    return Score(0.0, join_reasons(problems)) if problems else Score(1.0)


def _of_empty_chain(case: Case) -> Score:
    expects_nothing = case.goal is not None and not case.goal.tools
    return Score(1.0) if expects_nothing else Score(0.0, NOTHING_CALLED)


def _penalty(calls: list[ToolCall], what: str) -> Score:
    if not calls:
        return Score(0.0)
    names = join_reasons(quote(call.name) for call in calls)
    reason = f"calls that {what}: {len(calls)} ({names})"
    return Score(min(1.0, len(calls) / _PENALTIES_PER_POINT), reason)


def _repeats(before: ToolCall, call: ToolCall) -> bool:
    return before.name.casefold() == call.name.casefold() and equal_by_value(
        before.arguments, call.arguments
    )


def _final_position(case: Case, calls: tuple[ToolCall, ...]) -> int:
    goal_tools = case.goal.tools if case.goal else ()
    positions = range(len(calls) - 1, -1, -1)
    named = (p for p in positions if selection.is_expected(goal_tools, calls[p].name))
    return next(named, len(calls) - 1)


def _provenance_problem(case: Case, calls: tuple[ToolCall, ...], argument: str, source: str) -> str:
    """Return why the last of ``calls`` has its argument from elsewhere; empty if it has not."""
    final = calls[-1]
    if not isinstance(final.arguments, dict) or argument not in final.arguments:
        return f"{key_text(argument)} is missing in the call"
    given = final.arguments[argument]
    tool, path = _parse_source(case, source)
    returned = list(_returned(case, calls[:-1], tool))
    if not returned:
        return f"{key_text(argument)}: {quote(tool)} was not called before"
    if any(equal_by_value(_at(path, result), given) for result in returned):
        return ""
    return f"{key_text(argument)} is {quote(given)}, which {quote(source)} did not return"


def _parse_source(case: Case, source: str) -> tuple[str, list[str]]:
    """Return tool and path; names may hold dots, so the longest known name counts as the tool."""
    parts = source.split(".")
    known = (*(tool.name for tool in case.tools), *case.mock_responses, *case.valid_prerequisites)
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if selection.is_expected(known, name):
            return name, parts[length:]
    return parts[0], parts[1:]


def _returned(case: Case, calls: tuple[ToolCall, ...], tool: str) -> Iterator[Any]:
    for position, call in enumerate(calls):
        if selection.is_expected((tool,), call.name):
            if call.has_result:
                yield call.result
            else:
                yield mocks.answer(case.mock_responses, calls[:position], call)


def _at(path: list[str], value: Any) -> Any:
    for step in path:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isascii() and step.isdecimal():
            # a longer number is past every list, and may be too long to convert
            position = int(step) if len(step) < 10 else len(value)
            value = value[position] if position < len(value) else _MISSING
        else:
            return _MISSING
    return value
