"""Runs a plan: every case of a suite, asked of every target, as often as wanted.

Providers run side by side, the models of one provider one after another, and the
cases of one model concurrently. A bounded set of workers takes trials from an
iterator, so memory grows with concurrency and not with the number of trials. A worker
asks on while its trial is being kept; as many trials as there are workers may wait for
that, and nothing is told before it is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream

from toolgauge.engine.attempt import Asker
from toolgauge.engine.budget import BudgetSpent
from toolgauge.engine.limits import ProviderLimit
from toolgauge.engine.plan import Parts, Plan
from toolgauge.model import events
from toolgauge.model.case import Case
from toolgauge.model.run import RunOptions, Summary
from toolgauge.model.target import Target
from toolgauge.model.trial import Trial, TrialError
from toolgauge.scoring.metrics import Accumulator

# A target that only ever fails in these ways will not answer the next case either.
_HOPELESS_AT_ONCE = frozenset({"setup", "auth", "not_found", "quota", "tools_unsupported"})
_HOPELESS_IN_A_ROW = frozenset({"connection", "timeout", "bad_json", "server"})
_HOPELESS_AFTER = 8
_PARTING_S = 1.5


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
        width = min(_width(target, options) for target in targets)
        limit = ProviderLimit(width)
        for target in targets:
            asker = Asker(self.plan.suite, target, options, parts=self.parts, limit=limit)
            progress = _TargetInProgress(self, target, self.before(target.name), width)
            await progress.ask_with(asker)
            summary = progress.accumulator.summary(target.name)
            self.summaries[target.name] = summary
            await self.parts.emit(events.ToolEvalSummary(self.job_id, summary))


class _TargetInProgress:
    """Counts and summary of one target, shared by the workers that ask it."""

    def __init__(
        self, run: _RunInProgress, target: Target, accumulator: Accumulator, width: int
    ) -> None:
        self.run = run
        self.target = target
        self.accumulator = accumulator
        self.width = width
        self.total = run.plan.count_of(target)
        self.answered = self.done = 0
        self.has_answered = False
        self.finished, self.to_keep = anyio.create_memory_object_stream[Trial](math.inf)
        self.room = anyio.Semaphore(width)

    async def ask_with(self, asker: Asker) -> None:
        trials = self.run.plan.trials_of(self.target)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._keep_all)
            with self.finished:
                async with anyio.create_task_group() as workers:
                    for _ in range(min(self.width, self.total)):
                        workers.start_soon(self._work, asker, trials)

    async def _work(self, asker: Asker, trials: Iterator[tuple[Case, int]]) -> None:
        for case, repeat in trials:
            try:
                trial = await asker.attempt(case, repeat)
            except BudgetSpent:
                self.run.is_truncated = True
                return
            self.finished.send_nowait(trial)
            self.answered += 1
            if self._is_hopeless(trial):
                return
            await self.room.acquire()

    async def _keep_all(self) -> None:
        with self.to_keep:
            try:
                async for trial in self.to_keep:
                    some = [trial, *_ready(self.to_keep)]
                    await self.run.parts.sink(*some)
                    for one in some:
                        self.room.release()
                        self.accumulator.add(one)
                        await self._tell(one)
            except anyio.get_cancelled_exc_class():
                # what is finished is paid for; what the sink has already, it keeps itself
                with anyio.move_on_after(_PARTING_S, shield=True):
                    await self.run.parts.sink(*_ready(self.to_keep))
                raise

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
            or (error.code in _HOPELESS_IN_A_ROW and self.answered >= _HOPELESS_AFTER)
        ):
            self.run.given_up[self.target.name] = error
            return True
        return False


def _width(target: Target, options: RunOptions) -> int:
    """Return how many workers ask: no more than calls a minute, so that turns come in one."""
    most = target.concurrency or options.concurrency
    return min(most, target.calls_per_min or most)


def _ready(stream: MemoryObjectReceiveStream[Trial]) -> list[Trial]:
    """Return what the stream holds now, without waiting."""
    count = stream.statistics().current_buffer_used
    return [stream.receive_nowait() for _ in range(count)]
