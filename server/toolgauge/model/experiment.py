"""Experiments: runs of one suite over time, each against one baseline.

Everything here is a pure function of the runs; a score is always ``run_score``, so the
baseline's delta to itself is exactly 0. Source: ``engine.md``, section 6.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from toolgauge.model.fingerprint import digest
from toolgauge.model.run import Run, RunOptions, RunStatus
from toolgauge.model.target import Target

RunKind = Literal["eval", "param_tune", "prompt_tune", "judge"]
_SHORT = {"temperature": "temp"}
_PROMPT_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Experiment:
    """Runs of the suite ``suite_name``; ``baseline_run_id`` is set only where it was pinned."""

    id: str
    name: str
    suite_name: str
    created_at: datetime
    description: str = ""
    baseline_run_id: str | None = None
    owner: str = "local"


@dataclass(frozen=True, slots=True)
class LinkedRun:
    """A run of an experiment, and what it was made for."""

    run: Run
    kind: RunKind = "eval"


@dataclass(frozen=True, slots=True)
class TargetScore:
    """One target of a run; ``delta`` is against the same target of the baseline, if it has it."""

    target: str
    score: float | None
    delta: float | None
    configuration: str


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One run on the timeline.

    ``delta`` is the run's score minus the baseline's; None where one of them is missing,
    where the run is not completed, or where it is not comparable: some expectation
    changed, or cases came or went. ``comparable_cases`` are those that expect the same
    on both sides, in the run's order.
    """

    run_id: str
    kind: RunKind
    status: RunStatus
    at: datetime
    score: float | None
    delta: float | None
    is_baseline: bool
    is_comparable: bool
    comparable_cases: tuple[str, ...]
    configuration: str
    targets: tuple[TargetScore, ...]


@dataclass(frozen=True, slots=True)
class BestConfig:
    """The best score so far, and everything that is needed to run exactly that again."""

    run_id: str
    score: float
    target: Target
    options: RunOptions
    configuration: str


def run_score(run: Run) -> float | None:
    """Return the mean of the targets' scores (0..1); None where no target has one."""
    return _mean(summary.score for summary in run.summaries)


def baseline(experiment: Experiment, linked: Sequence[LinkedRun]) -> Run | None:
    """Return the pinned run, else the first one that completed; None where there is none yet."""
    pinned = experiment.baseline_run_id
    if pinned is not None:
        return next((one.run for one in linked if one.run.id == pinned), None)
    return next((one.run for one in _by_time(linked) if _is_measured(one)), None)


def timeline(experiment: Experiment, linked: Sequence[LinkedRun]) -> tuple[TimelineEntry, ...]:
    """Return one entry per run, the oldest first."""
    base = baseline(experiment, linked)
    return tuple(_entry(one, base) for one in _by_time(linked))


def best(experiment: Experiment, linked: Sequence[LinkedRun]) -> BestConfig | None:
    """Return the best single target of the completed runs; None where nothing was scored.

    Ties keep the first. Runs that are not comparable with the baseline do not compete:
    an easier suite is no better configuration.
    """
    base = baseline(experiment, linked)
    found: BestConfig | None = None
    for one in _by_time(linked):
        if base is None or not _is_measured(one) or not _is_comparable(one.run, base):
            continue
        for candidate in _configurations(one.run):
            if found is None or candidate.score > found.score:
                found = candidate
    return found


def configuration(target: Target, options: RunOptions) -> str:
    """Return what of a target's settings was stated, in short; ``defaults`` where nothing was.

    A prompt of the run or of the target is shown as the beginning of its SHA-256.

    >>> configuration(Target("a", "a/b", {"temperature": 0.5, "top_p": 0.9}), RunOptions())
    'temp=0.5, top_p=0.9'
    >>> configuration(Target("a", "a/b"), RunOptions())
    'defaults'
    """
    stated: dict[str, Any] = {}
    if options.temperature is not None:
        stated["temperature"] = options.temperature
    stated |= target.parameters
    if options.tool_choice is not None:
        stated["tool_choice"] = options.tool_choice
    prompt = options.system_prompt(target)
    prompt = target.system_prompt if prompt is None else prompt
    if prompt is not None:
        stated["prompt"] = digest(prompt)[:_PROMPT_DIGITS]
    shown = (f"{_SHORT.get(name, name)}={_text(value)}" for name, value in stated.items())
    return ", ".join(shown) or "defaults"


def _entry(one: LinkedRun, base: Run | None) -> TimelineEntry:
    run = one.run
    same = _same_cases(run, base)
    comparable = base is not None and _is_comparable(run, base)
    reference = base if comparable and _is_measured(one) else None
    targets = _target_scores(run, reference)
    shown = {target.configuration for target in targets}
    return TimelineEntry(
        run_id=run.id,
        kind=one.kind,
        status=run.status,
        at=run.started_at,
        score=run_score(run),
        delta=_delta(run_score(run), run_score(reference) if reference else None),
        is_baseline=base is not None and base.id == run.id,
        is_comparable=comparable,
        comparable_cases=same,
        configuration=shown.pop()
        if len(shown) == 1
        else "; ".join(f"{target.target}: {target.configuration}" for target in targets),
        targets=targets,
    )


def _target_scores(run: Run, reference: Run | None) -> tuple[TargetScore, ...]:
    scores = {summary.target: summary.score for summary in run.summaries}
    before = {s.target: s.score for s in reference.summaries} if reference else {}
    return tuple(
        TargetScore(
            target.name,
            scores.get(target.name),
            _delta(scores.get(target.name), before.get(target.name)),
            configuration(target, run.options),
        )
        for target in run.targets
    )


def _configurations(run: Run) -> Iterable[BestConfig]:
    scores = {summary.target: summary.score for summary in run.summaries}
    for target in run.targets:
        score = scores.get(target.name)
        if score is not None:
            shown = configuration(target, run.options)
            yield BestConfig(run.id, score, target, run.options, shown)


def _same_cases(run: Run, base: Run | None) -> tuple[str, ...]:
    before = {case.id: case.fingerprint.expectation for case in base.cases} if base else {}
    return tuple(c.id for c in run.cases if before.get(c.id) == c.fingerprint.expectation)


def _is_comparable(run: Run, base: Run) -> bool:
    return len(_same_cases(run, base)) == len(run.cases) == len(base.cases)


def _is_measured(one: LinkedRun) -> bool:
    return one.run.status == "completed" and one.kind != "judge"


def _by_time(linked: Iterable[LinkedRun]) -> list[LinkedRun]:
    return sorted(linked, key=lambda one: (one.run.started_at, one.run.id))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _delta(score: float | None, before: float | None) -> float | None:
    return None if score is None or before is None else score - before
