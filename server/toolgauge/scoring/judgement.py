"""What the calls of one trial are worth before they are weighed (sections 1, 2 and 9).

``tool``, ``params`` and ``overall`` rest on one look at the calls, which is taken here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolgauge.model.case import Case, ExpectedCall
from toolgauge.model.tools import ToolCall, Trajectory
from toolgauge.model.trial import Score
from toolgauge.scoring import expected_calls, parameters, selection
from toolgauge.scoring.matching import Embeddings

NOT_REACHED = Score(0.0, "no call of the expected tool to compare")


@dataclass(frozen=True, slots=True)
class Judgement:
    """Both scores of a trial, and the call they were taken from.

    ``call`` is the scored call; None where nothing was called, and with
    ``expected_calls``, which are judged all together by their ``alignment``.
    ``extra_calls`` counts surplus calls, which a conversation by ``multi_turn`` has not.
    """

    tool: Score
    params: Score
    call: ToolCall | None = None
    extra_calls: int = 0
    alignment: expected_calls.Alignment | None = None


def judge(case: Case, trajectory: Trajectory, embeddings: Embeddings) -> Judgement:
    """Return tool and parameter scores of a trial's calls.

    A case by ``expected_tool`` is judged on one call: of several, the one that scores
    best (tool, then params, then the first); in a conversation the last that names the
    expected tool, the last of all where none does. Source: ``scoring.md`` sections 1,
    2, 4 and 9.

    Raises:
        Undecided: two values cannot be compared.
    """
    calls = trajectory.calls
    if case.expects == "calls":
        alignment = expected_calls.align(case, trajectory, embeddings)
        return Judgement(alignment.tool, alignment.params, None, len(alignment.surplus), alignment)
    if case.goal is None:
        first = calls[0] if calls else None
        return Judgement(selection.any_call(first), parameters.UNSCORED, first)
    if not calls:
        return Judgement(selection.score(case.goal, None), _params_without_call(case.goal))
    if case.multi_turn:
        return _judged(case.goal, goal_call(case.goal, calls), embeddings)
    extra_calls = len(calls) - bool(case.goal.tools)
    return max((_judged(case.goal, call, embeddings, extra_calls) for call in calls), key=_rank)


def goal_call(goal: ExpectedCall, calls: tuple[ToolCall, ...]) -> ToolCall:
    """Return the last call that names the expected tool, the last of all where none does."""
    named = (call for call in reversed(calls) if selection.is_expected(goal.tools, call.name))
    return next(named, calls[-1])


def texts_compared(case: Case, trajectory: Trajectory) -> Iterator[str]:
    """Yield the texts whose vectors ``judge`` may ask for."""
    calls = trajectory.calls
    if case.multi_turn and case.goal and calls:
        calls = (goal_call(case.goal, calls),)
    for expected in case.expected:
        for call in calls:
            if selection.is_expected(expected.tools, call.name):
                yield from parameters.texts_compared(expected, call.arguments)


def _judged(
    goal: ExpectedCall, call: ToolCall, embeddings: Embeddings, extra_calls: int = 0
) -> Judgement:
    tool = selection.score(goal, call)
    params = (
        parameters.score(goal, call.arguments, embeddings)
        if tool.value
        else _params_without_call(goal)
    )
    return Judgement(tool, params, call, extra_calls)


def _params_without_call(goal: ExpectedCall) -> Score:
    """Return 0.0 wherever params are stated; where no call is expected there are none to score."""
    scored = goal.params is not None and goal.tools
    return NOT_REACHED if scored else parameters.UNSCORED


def _rank(judgement: Judgement) -> tuple[float, float]:
    return judgement.tool.value or 0.0, judgement.params.value or 0.0
