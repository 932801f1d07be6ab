"""Which cases a run failed, how often, and how they went."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from toolgauge.model.run import Run
from toolgauge.model.trial import Trial

BELOW_THRESHOLD = "below_threshold"


@dataclass(frozen=True, slots=True)
class FailingCase:
    """One case that a target failed: ``failed`` of ``runs`` scored trials.

    ``got``, ``kind`` and ``reason`` are of the first failed trial by repeat. ``kind`` is
    its failure kind, ``below_threshold`` where only the score was too low.
    """

    case_id: str
    target: str
    kind: str
    failed: int
    runs: int
    expected: Any
    got: tuple[dict[str, Any], ...]
    reason: str
    repeat: int


def failing_cases(run: Run, trials: Iterable[Trial]) -> tuple[FailingCase, ...]:
    """Return the failing cases of a run, by target and case in the run's order.

    ``trials`` may come in any order and one at a time; errored trials count nowhere.
    """
    expected = {case.id: case.expected for case in run.cases}
    runs: dict[tuple[str, str], int] = {}
    found: dict[tuple[str, str], FailingCase] = {}
    for trial in trials:
        if trial.scored is None:
            continue
        key = (trial.key.target, trial.key.case_id)
        runs[key] = runs.get(key, 0) + 1
        if not trial.scored.passed:
            known = found.get(key)
            first = _failing(trial, expected.get(trial.key.case_id))
            if known and known.repeat < first.repeat:
                first = known
            found[key] = replace(first, failed=known.failed + 1 if known else 1)
    targets = {target.name: number for number, target in enumerate(run.targets)}
    cases = {case.id: number for number, case in enumerate(run.cases)}
    ordered = sorted(found, key=lambda key: (targets.get(key[0], 0), cases.get(key[1], 0)))
    return tuple(replace(found[key], runs=runs[key]) for key in ordered)


def _failing(trial: Trial, expected: Any) -> FailingCase:
    scored = trial.scored
    reasons = [score.reason for score in scored.scores.values() if score.reason] if scored else []
    return FailingCase(
        case_id=trial.key.case_id,
        target=trial.key.target,
        kind=(scored.failure_kind if scored else None) or BELOW_THRESHOLD,
        failed=1,
        runs=1,
        expected=expected,
        got=tuple(call.as_json() for call in trial.calls),
        reason="; ".join(reasons),
        repeat=trial.key.repeat,
    )
