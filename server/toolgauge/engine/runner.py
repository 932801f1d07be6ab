"""Runs a plan: every case of a suite, asked of every target, as often as wanted.

Providers run side by side, the models of one provider one after another, and the
cases of one model concurrently. A bounded set of workers takes trials from an
iterator, so memory grows with concurrency and not with the number of trials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import anyio

from toolgauge.engine.attempt import Asker
from toolgauge.engine.budget import BudgetSpent
from toolgauge.engine.limits import ProviderLimit
from toolgauge.engine.plan import Parts, Plan
from toolgauge.model import events
from toolgauge.model.case import Case
from toolgauge.model.run import Summary
from toolgauge.model.target import Target
from toolgauge.model.trial import Trial, TrialError
from toolgauge.scoring.metrics import Accumulator

# A target that only ever fails in these ways will not answer the next case either.
_HOPELESS_AT_ONCE = frozenset({"setup", "auth", "not_found", "quota", "tools_unsupported"})
_HOPELESS_IN_A_ROW = frozenset({"connection", "timeout", "bad_json", "server"})
_HOPELESS_AFTER = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to.

    ``given_up`` names targets that were not asked to the end, and why; ``is_truncated``
    says that the budget ended before the trials did.
    """

    summaries: tuple[Summary, ...]
    given_up: dict[str, TrialError] = field(default_factory=dict)
    is_truncated: bool = False


async def run_plan(
    plan: Plan,
    parts: Parts,
    *,
    job_id: str,
    before: Callable[[str], Accumulator] = lambda _: Accumulator(),
) -> Outcome:
    """Ask everything that the plan still wants, and return what it came to.

    ``before`` gives the accumulator of a target with its finished trials already in it.
    A target whose every trial so far failed for a reason that will not pass (a missing
    key, a server that is not there) is given up: its other trials are not asked.
    """
    run = _RunInProgress(plan, parts, job_id, before)
    await parts.emit(
        events.ToolEvalInit(job_id, plan.suite.name, tuple(t.name for t in plan.targets), run.total)
    )
    by_provider: dict[str, list[Target]] = {}
    for target in plan.targets:
        by_provider.setdefault(target.provider, []).append(target)
    try:
        async with anyio.create_task_group() as providers:
            for targets in by_provider.values():
                providers.start_soon(run.ask_provider, targets)
    except BaseExceptionGroup as group:
        raise _first_of(group) from group
    return Outcome(
        tuple(
            run.summaries[target.name] for target in plan.targets if target.name in run.summaries
        ),
        run.given_up,
        run.is_truncated,
    )


def _first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return what went wrong first; its neighbours were only cancelled for it."""
    first = group.exceptions[0]
    return _first_of(first) if isinstance(first, BaseExceptionGroup) else first


class _RunInProgress:
    """The state of one run: how far it is, and what each target came to."""

    def __init__(
        self, plan: Plan, parts: Parts, job_id: str, before: Callable[[str], Accumulator]
    ) -> None:
        self.plan = plan
        self.parts = parts
        self.job_id = job_id
        self.before = before
        self.total = sum(plan.count_of(target) for target in plan.targets)
        self.done = 0
        self.summaries: dict[str, Summary] = {}
        self.given_up: dict[str, TrialError] = {}
        self.is_truncated = False

    async def ask_provider(self, targets: list[Target]) -> None:
        options = self.plan.options
        width = min(target.concurrency or options.concurrency for target in targets)
        limit = ProviderLimit(width)
        for target in targets:
            asker = Asker(self.plan.suite, target, options, parts=self.parts, limit=limit)
            progress = _TargetInProgress(self, target, self.before(target.name))
            trials = self.plan.trials_of(target)
            async with anyio.create_task_group() as workers:
                for _ in range(min(width, self.plan.count_of(target))):
                    workers.start_soon(progress.work, asker, trials)
            summary = progress.accumulator.summary(target.name)
            self.summaries[target.name] = summary
            await self.parts.emit(events.ToolEvalSummary(self.job_id, summary))


class _TargetInProgress:
    """Counts and summary of one target, shared by the workers that ask it."""

    def __init__(self, run: _RunInProgress, target: Target, accumulator: Accumulator) -> None:
        self.run = run
        self.target = target
        self.accumulator = accumulator
        self.total = run.plan.count_of(target)
        self.done = 0
        self.has_answered = False

    async def work(self, asker: Asker, trials: Iterator[tuple[Case, int]]) -> None:
        for case, repeat in trials:
            try:
                trial = await asker.attempt(case, repeat)
            except BudgetSpent:
                self.run.is_truncated = True
                return
            await self.run.parts.sink(trial)
            self.accumulator.add(trial)
            await self._tell(trial)
            if self._is_hopeless(trial):
                return

    async def _tell(self, trial: Trial) -> None:
        run = self.run
        self.done += 1
        run.done += 1
        percent = 100 * run.done / run.total
        detail = f"{self.target.name}: {trial.key.case_id}"
        emit = run.parts.emit
        await emit(events.JobProgress(run.job_id, percent, detail))
        await emit(events.ToolEvalProgress(run.job_id, self.target.name, self.done, self.total))
        await emit(events.ToolEvalResult(run.job_id, trial))

    def _is_hopeless(self, trial: Trial) -> bool:
        if self.target.name in self.run.given_up:
            return True
        error = trial.error
        if error is None or error.kind == "scoring" or self.target.is_deterministic:
            self.has_answered = True
        elif not self.has_answered and (
            error.code in _HOPELESS_AT_ONCE
            or (error.code in _HOPELESS_IN_A_ROW and self.done >= _HOPELESS_AFTER)
        ):
            self.run.given_up[self.target.name] = error
            return True
        return False
