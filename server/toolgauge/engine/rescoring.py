"""Scores what was recorded: nothing is asked of a model but embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from toolgauge.engine.attempt import NO_SCORERS, error_of, score
from toolgauge.engine.embeddings import Embedder
from toolgauge.engine.limits import TrialBudget
from toolgauge.gateway.extract import trajectory
from toolgauge.model.case import Case
from toolgauge.model.tools import Trajectory
from toolgauge.model.trial import Trial
from toolgauge.scoring import Scorer


async def rescore(
    case: Case,
    trial: Trial,
    embedder: Embedder | None = None,
    *,
    extra: Mapping[str, Scorer] = NO_SCORERS,
    trial_timeout_s: float = 300.0,
) -> Trial:
    """Return the trial scored by today's expectations, its calls read anew from its messages.

    A trial whose error came from a provider stays as it is; one that could not be
    scored before is scored again.
    """
    if trial.error and trial.error.kind != "scoring":
        return trial
    found = Trajectory(())
    try:
        found = trajectory(trial.messages, [tool.name for tool in case.tools])
        scored = await score(case, found, embedder, TrialBudget(trial_timeout_s), extra=extra)
    except Exception as failure:  # noqa: BLE001 - the trial border: nothing may pass it
        error = error_of(failure)
        return replace(trial, scored=None, error=error, calls=found.calls, format=found.format)
    return replace(trial, scored=scored, error=None, calls=found.calls, format=found.format)
