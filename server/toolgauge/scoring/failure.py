"""Why a trial did not pass, in one word (``scoring.md`` section 3)."""

from __future__ import annotations

from toolgauge.model.case import Case
from toolgauge.model.tools import Trajectory
from toolgauge.model.trial import FailureKind
from toolgauge.scoring import multi_turn, overall, selection
from toolgauge.scoring.judgement import Judgement
from toolgauge.scoring.schema_match import find_tool


def failure_kind(
    case: Case, trajectory: Trajectory, judgement: Judgement, *, schema_valid: bool | None
) -> FailureKind:
    """Return the first kind that applies to a trial which did not pass.

    Whether something was called at all comes first, then which tools, then arguments.
    """
    return (
        _of_calls_at_all(case, trajectory, judgement)
        or _of_tools(case, trajectory, judgement)
        or _of_arguments(case, judgement, schema_valid=schema_valid)
    )


def _of_calls_at_all(
    case: Case, trajectory: Trajectory, judgement: Judgement
) -> FailureKind | None:
    expects_something = case.expects == "any_call" or any(call.tools for call in case.expected)
    if not trajectory.calls:
        return "no_call" if expects_something else None
    aligned = judgement.alignment
    only_surplus = aligned is not None and bool(aligned.surplus) and not aligned.missing
    if not expects_something or only_surplus or overall.forbidden_call(case, trajectory):
        return "unexpected_call"
    return None


def _of_tools(case: Case, trajectory: Trajectory, judgement: Judgement) -> FailureKind | None:
    aligned = judgement.alignment
    if multi_turn.is_scored(case) and not judgement.tool.value:
        last = trajectory.calls[-1]
        if selection.is_expected(case.valid_prerequisites, last.name):
            return "incomplete_trajectory"
    substituted = aligned is not None and bool(aligned.missing) and bool(aligned.surplus)
    if aligned and substituted and aligned.matches_in_any_order > len(aligned.pairs):
        return "wrong_order"
    judged = [trajectory.calls[at] for at in aligned.surplus] if aligned else [judgement.call]
    if any(call and find_tool(case.tools, call.name) is None for call in judged):
        return "unknown_tool"
    if substituted or (aligned is None and not judgement.tool.value):
        return "wrong_tool"
    return "incomplete_trajectory" if aligned and aligned.missing else None


def _of_arguments(case: Case, judgement: Judgement, *, schema_valid: bool | None) -> FailureKind:
    if schema_valid is False:
        return "schema_violation"
    params_are_right = judgement.params.value is None or judgement.params.value == 1.0
    return "inefficient" if multi_turn.is_scored(case) and params_are_right else "wrong_params"
