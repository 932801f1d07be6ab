"""Scoring: a case and what a model did become scores. Pure; knows no model, store or door.

Begin with ``score_trial``; the registry below names every scorer, in the order in which
scores are shown. A scorer is a pure function of (case, trajectory) to a ``Score``. The
first three share one look at the calls (``judgement``); ``metrics`` makes numbers of
many trials.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite

from toolgauge.errors import CannotScore
from toolgauge.model.case import Case
from toolgauge.model.tools import Trajectory
from toolgauge.model.trial import Score, Scored
from toolgauge.scoring import (
    bfcl,
    exact_match,
    judgement,
    multi_turn,
    overall,
    schema_match,
)
from toolgauge.scoring.failure import failure_kind
from toolgauge.scoring.judgement import Judgement
from toolgauge.scoring.matching import Embeddings, Undecided
from toolgauge.scoring.trajectory import ahr, tp, tsa

Scorer = Callable[[Case, Trajectory], Score]

JUDGED = ("tool", "params", "overall")
"""Scores of every trial that come from the judgement."""

ALWAYS: Mapping[str, Scorer] = {
    "exact_match": exact_match.score,
    "tsa": tsa,
    "ahr": ahr,
    "tp": tp,
}
"""The other scores of every trial."""

IN_CONVERSATIONS: Mapping[str, Scorer] = {
    "efficiency": multi_turn.efficiency,
    "redundancy": multi_turn.redundancy,
    "detour": multi_turn.detour,
    "provenance": multi_turn.provenance,
}
"""The scores of ``multi_turn`` cases; ``completion``, which is judged, stands before them."""

BY_MATCH: Mapping[str, Scorer] = {"bfcl": bfcl.score}
"""The score that a case's ``match`` adds."""

NAMES = (*JUDGED, *ALWAYS, "completion", *IN_CONVERSATIONS, *BY_MATCH)
"""Every name that belongs to a scorer of ours, in the order in which scores are shown."""

_NO_EMBEDDINGS: Embeddings = {}
_NO_SCORERS: Mapping[str, Scorer] = {}


def score_trial(
    case: Case,
    trajectory: Trajectory,
    embeddings: Embeddings = _NO_EMBEDDINGS,
    *,
    extra: Mapping[str, Scorer] = _NO_SCORERS,
) -> Scored:
    """Return everything that scoring says of what a model did with a case.

    ``embeddings`` holds a vector for each of ``texts_to_embed``. ``extra`` are scorers of
    the user's own: their scores stand beside ours and change neither ``overall`` nor
    ``passed``. Source: ``scoring.md``.

    Raises:
        CannotScore: a scorer could not finish: a pattern ran out of time, a text has no
            vector, an extra scorer failed.

    >>> from toolgauge.model.case import ExpectedCall
    >>> from toolgauge.model.tools import ToolCall
    >>> goal = ExpectedCall(("get_weather",), {"city": "Paris"})
    >>> case = Case("paris", (), (), "tool", (goal,))
    >>> scored = score_trial(case, Trajectory((ToolCall("get_weather", {"city": "PARIS"}),)))
    >>> scored.passed, scored.scores["exact_match"].value
    (True, 0.0)
    """
    try:
        scored = _score(case, trajectory, embeddings)
    except Undecided as undecided:
        raise CannotScore(case.id, undecided.key or "scoring", undecided.why) from None
    except RecursionError:
        raise CannotScore(case.id, "scoring", "the calls are nested too deeply") from None
    for name, scorer in extra.items():
        scored.scores[name] = _own_score(name, scorer, case, trajectory)
    return scored


def texts_to_embed(case: Case, trajectory: Trajectory) -> frozenset[str]:
    """Return the texts that ``score_trial`` needs a vector for.

    Empty unless the case compares by meaning, and two texts that differ are compared.
    """
    return frozenset(judgement.texts_compared(_without_answers(case), trajectory))


def _score(case: Case, trajectory: Trajectory, embeddings: Embeddings) -> Scored:
    by_section_2 = _without_answers(case)
    judged = judgement.judge(by_section_2, trajectory, embeddings)
    total = overall.score(case, trajectory, judged)
    scores = {"tool": judged.tool, "params": judged.params, "overall": total}
    for name, scorer in ALWAYS.items():
        scores[name] = scorer(by_section_2, trajectory)
    if case.multi_turn:
        weighed = overall.weigh(judged.tool, judged.params, case.weights)
        scores["completion"] = multi_turn.completion(case, trajectory, weighed)
        for name, scorer in IN_CONVERSATIONS.items():
            scores[name] = scorer(case, trajectory)
    if case.match is not None:
        scores[case.match] = BY_MATCH[case.match](case, trajectory)
    schema_valid = _schema_valid(case, trajectory, judged)
    passed = overall.passes(case, total)
    return Scored(
        scores=scores,
        passed=passed,
        failure_kind=None
        if passed
        else failure_kind(case, trajectory, judged, schema_valid=schema_valid),
        schema_valid=schema_valid,
        extra_calls=judged.extra_calls,
    )


def _without_answers(case: Case) -> Case:
    """Return the case without params where those are lists of acceptable answers (``bfcl``)."""
    if case.match is None:
        return case
    return replace(case, expected=tuple(replace(call, params=None) for call in case.expected))


def _schema_valid(case: Case, trajectory: Trajectory, judged: Judgement) -> bool | None:
    if judged.alignment is None:
        return None if judged.call is None else schema_match.is_valid(case.tools, judged.call)
    verdicts = [schema_match.is_valid(case.tools, call) for call in trajectory.calls]
    known = [verdict for verdict in verdicts if verdict is not None]
    return all(known) if known else None


def _own_score(name: str, scorer: Scorer, case: Case, trajectory: Trajectory) -> Score:
    """Return what a user's scorer says, held to what a Score is."""
    if name in NAMES:
        raise CannotScore(case.id, name, "this name belongs to a built-in score; choose another")
    try:
        score = scorer(case, trajectory)
    except Exception as error:
        why = f"the scorer failed: {type(error).__name__}: {error}"
        raise CannotScore(case.id, name, why) from error
    if not isinstance(score, Score):
        raise CannotScore(case.id, name, f"the scorer returned {type(score).__name__}, no Score")
    if score.value is not None and not (isfinite(score.value) and 0 <= score.value <= 1):
        raise CannotScore(case.id, name, f"the score {score.value} is not within 0 and 1")
    return score
