"""The one number of a trial, and whether it passes (``scoring.md`` section 3)."""

from __future__ import annotations

from toolgauge.model.case import Case, Weights
from toolgauge.model.tools import Trajectory
from toolgauge.model.trial import Score
from toolgauge.scoring import bfcl, multi_turn, selection
from toolgauge.scoring.judgement import Judgement
from toolgauge.scoring.matching import SLACK
from toolgauge.scoring.quoting import quote

PERFECT = Score(1.0)


def weigh(tool: Score, params: Score, weights: Weights) -> Score:
    """Return ``weights.tool * tool + weights.params * params``, in [0, 1].

    The tool score alone where the parameters are not scored; None where neither is.
    Source: ``scoring.md`` section 3.

    >>> weigh(Score(1.0), Score(0.5), Weights())
    Score(value=0.8, reason='0.6 * 1 + 0.4 * 0.5', numerator=None, denominator=None)
    >>> weigh(Score(0.0), Score(None), Weights()).value
    0.0
    """
    if params.value is None or tool.value is None:
        return PERFECT if tool.value == 1.0 else Score(tool.value, "the tool score alone")
    value = weights.tool * tool.value + weights.params * params.value
    if tool.value == params.value == 1.0:
        return PERFECT
    shares = f"{weights.tool:g} * {tool.value:g} + {weights.params:g} * {params.value:g}"
    return Score(min(1.0, value), shares)


def score(case: Case, trajectory: Trajectory, judgement: Judgement) -> Score:
    """Return what the whole trial is worth, in [0, 1].

    The weighed scores of the judgement; in a conversation by ``multi_turn`` the formula
    of section 4; under ``match: bfcl`` that verdict. Calling a forbidden tool (letter
    case folded) makes it 0.0. Source: ``scoring.md`` sections 3, 4, 9 and 10.
    """
    forbidden = forbidden_call(case, trajectory)
    if forbidden is not None:
        return Score(0.0, f"called the forbidden tool {quote(forbidden)}")
    if case.match == "bfcl":
        verdict = bfcl.score(case, trajectory)
        return Score(verdict.value, f"bfcl: {verdict.reason}" if verdict.reason else "")
    weighed = weigh(judgement.tool, judgement.params, case.weights)
    if multi_turn.is_scored(case):
        return multi_turn.overall(case, trajectory, weighed)
    return weighed


def passes(case: Case, overall: Score) -> bool:
    """Return whether ``overall`` reaches the case's ``pass_threshold``, with a slack of 1e-9."""
    return overall.value is not None and overall.value >= case.pass_threshold - SLACK


def forbidden_call(case: Case, trajectory: Trajectory) -> str | None:
    """Return the name of the first call of a forbidden tool; None where there is none."""
    if not case.forbidden_tools:
        return None
    names = (call.name for call in trajectory.calls)
    return next((n for n in names if selection.is_expected(case.forbidden_tools, n)), None)
