"""Several expected calls against all calls of a trial (``scoring.md`` section 9).

``align`` finds out which call answers which expected one; how the best pairs are found is
in ``best_pairs``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isqrt

from toolgauge.model.case import Case, ExpectedCall
from toolgauge.model.tools import ToolCall, Trajectory
from toolgauge.model.trial import Score
from toolgauge.scoring import parameters
from toolgauge.scoring.best_pairs import Problem, best_pairs
from toolgauge.scoring.matching import Embeddings
from toolgauge.scoring.quoting import join_reasons, quote
from toolgauge.scoring.selection import is_expected

MOST_PAIRS = 250_000
MOST_STEPS = 10_000_000

PERFECT = Score(1.0)
UNSCORED = Score(None)
_Table = list[list[Score | None]]


@dataclass(frozen=True, slots=True)
class Pair:
    """An actual call that answers an expected one; both are positions from 0."""

    expected: int
    actual: int
    params: Score


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which calls answer which expected ones, and what that is worth.

    ``missing`` are the required calls that nothing answers, ``surplus`` the actual calls
    that answer nothing (positions from 0). ``matches_in_any_order`` is how many pairs there
    would be if order did not matter; it is ``len(pairs)`` unless calls are both missing and
    surplus.
    """

    tool: Score
    params: Score
    pairs: tuple[Pair, ...]
    missing: tuple[int, ...]
    surplus: tuple[int, ...]
    matches_in_any_order: int


def align(case: Case, trajectory: Trajectory, embeddings: Embeddings) -> Alignment:
    """Return the alignment of expected and actual calls that has the highest overall score.

    ``order: strict`` pairs without crossing, ``any`` freely; equal overall scores are told
    apart by more pairs, then by params. ``tool`` is pairs / max(required + paired optional,
    actual), 1.0 where nothing is expected and nothing was called; ``params`` the mean over
    required calls that state params (0.0 for a missing one) and paired optional ones that
    do, None where there are none. Both in [0, 1].

    Beyond ``MOST_PAIRS`` expected * actual calls, or ``MOST_STEPS`` times the shorter side
    of the two, only the first actual calls are paired, the later ones are surplus; 50
    expected calls have room for 4,000, 200 for 250. Source: ``scoring.md`` section 9.

    Raises:
        Undecided: two values cannot be compared.

    >>> case = Case("c", (), (), "calls", (ExpectedCall(("a",)), ExpectedCall(("b",))))
    >>> found = align(case, Trajectory((ToolCall("b", {}), ToolCall("a", {}))), {})
    >>> found.tool.value, found.missing, found.surplus, found.matches_in_any_order
    (0.5, (0,), (1,), 2)
    """
    expected = [call for call in case.expected if call.tools]
    calls = trajectory.calls
    perfect = _perfect_pairs(expected, calls, embeddings)
    if perfect is not None:
        params = _params_score(expected, perfect, ())
        return Alignment(PERFECT, params, tuple(perfect), (), (), len(perfect))
    table = _score_pairs(expected, calls[: _most_calls(len(expected))], embeddings)
    shares = [[None if score is None else score.value or 0.0 for score in row] for row in table]
    problem = Problem.of(expected, shares, calls=len(calls), weights=case.weights)
    chosen = best_pairs(problem, case.order)
    pairs = [Pair(row, column, table[row][column] or UNSCORED) for row, column in chosen]
    answered, answering = {pair.expected for pair in pairs}, {pair.actual for pair in pairs}
    missing = [at for at, e in enumerate(expected) if not e.optional and at not in answered]
    surplus = [at for at in range(len(calls)) if at not in answering]
    may_be_disorder = case.order == "strict" and missing and surplus
    freely = best_pairs(problem, "any") if may_be_disorder else chosen
    return Alignment(
        _tool_score(expected, calls, pairs=len(pairs), missing=missing, surplus=surplus),
        _params_score(expected, pairs, missing),
        tuple(pairs),
        tuple(missing),
        tuple(surplus),
        len(freely),
    )


def _perfect_pairs(
    expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], embeddings: Embeddings
) -> list[Pair] | None:
    """Return the pairs where the calls are all right one by one: nothing can be better."""
    if len(expected) != len(calls):
        return None
    pairs = []
    for position, (wanted, call) in enumerate(zip(expected, calls, strict=True)):
        if not is_expected(wanted.tools, call.name):
            return None
        params = parameters.score(wanted, call.arguments, embeddings)
        if params.value is not None and params.value < 1:
            return None
        pairs.append(Pair(position, position, params))
    return pairs


def _most_calls(expected: int) -> int:
    """Return how many actual calls can be paired with so many expected ones in good time."""
    most = MOST_PAIRS // max(expected, 1)
    if min(expected, most) * expected * most <= MOST_STEPS:
        return most
    wide = MOST_STEPS // expected**2
    # where calls are the shorter side, they are what is squared
    return wide if wide >= expected else isqrt(MOST_STEPS // expected)


def _score_pairs(
    expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], embeddings: Embeddings
) -> _Table:
    """Return, per expected and actual call, the params score; None where the tool is wrong."""
    return [
        [
            parameters.score(wanted, call.arguments, embeddings)
            if is_expected(wanted.tools, call.name)
            else None
            for call in calls
        ]
        for wanted in expected
    ]


def _tool_score(
    expected: Sequence[ExpectedCall],
    calls: Sequence[ToolCall],
    *,
    pairs: int,
    missing: Sequence[int],
    surplus: Sequence[int],
) -> Score:
    places = max(pairs + len(missing), len(calls))
    if pairs == places:
        return PERFECT
    absent = [f"missing {quote(expected[each].tools[0])}" for each in missing]
    unasked = [f"surplus {quote(calls[each].name)} (call {each + 1})" for each in surplus]
    reason = f"{pairs} of {places} calls match: {join_reasons([*absent, *unasked])}"
    return Score(pairs / places, reason)


def _params_score(
    expected: Sequence[ExpectedCall], pairs: Sequence[Pair], missing: Sequence[int]
) -> Score:
    values = [pair.params.value for pair in pairs if pair.params.value is not None]
    absent = [each for each in missing if expected[each].params is not None]
    counted = len(values) + len(absent)
    if not counted:
        return UNSCORED
    value = fsum(values) / counted
    if value == 1:
        return PERFECT
    reasons = [
        f"{quote(expected[pair.expected].tools[0])} {pair.params.value:.3g} ({pair.params.reason})"
        for pair in pairs
        if pair.params.value is not None and pair.params.value < 1
    ]
    reasons += [f"{quote(expected[each].tools[0])} 0 (missing)" for each in absent]
    return Score(value, f"mean over {counted} calls: {join_reasons(reasons)}")
