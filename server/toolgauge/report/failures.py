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


class FailingCases:
    """Collects failing cases from trials that come in any order, one at a time."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, str], int] = {}
        self._found: dict[tuple[str, str], FailingCase] = {}

    def __len__(self) -> int:
        """How many cases failed so far, each counted per target."""
        return len(self._found)

    def add(self, trial: Trial) -> None:
        """Take in one trial; errored trials count nowhere."""
        if trial.scored is None:
            return
        key = (trial.key.target, trial.key.case_id)
        self._runs[key] = self._runs.get(key, 0) + 1
        if trial.scored.passed:
            return
        known = self._found.get(key)
        first = known if known and known.repeat < trial.key.repeat else _failing(trial)
        self._found[key] = replace(first, failed=known.failed + 1 if known else 1)

    def found(self, run: Run) -> tuple[FailingCase, ...]:
        """Return the failing cases, by target and case in the run's order."""
        targets = {target.name: number for number, target in enumerate(run.targets)}
        cases = {case.id: number for number, case in enumerate(run.cases)}
        expected = {case.id: case.expected for case in run.cases}
        ordered = sorted(self._found, key=lambda key: (targets[key[0]], cases[key[1]]))
        return tuple(
            replace(self._found[key], runs=self._runs[key], expected=expected[key[1]])
            for key in ordered
        )


def failing_cases(run: Run, trials: Iterable[Trial]) -> tuple[FailingCase, ...]:
    """Return the failing cases of a run, by target and case in the run's order."""
    collected = FailingCases()
    for trial in trials:
        collected.add(trial)
    return collected.found(run)


def _failing(trial: Trial) -> FailingCase:
    scored = trial.scored
    return FailingCase(
        case_id=trial.key.case_id,
        target=trial.key.target,
        kind=(scored.failure_kind if scored else None) or BELOW_THRESHOLD,
        failed=1,
        runs=1,
        expected=None,
        got=tuple(call.as_json() for call in trial.calls),
        reason=scored.main_reason if scored else "",
        repeat=trial.key.repeat,
    )
