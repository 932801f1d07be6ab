"""The one resumable unit of work: a stored run is asked until nothing of it is missing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import anyio

from toolgauge.engine.budget import Budget
from toolgauge.engine.plan import Emit, Plan
from toolgauge.engine.runner import Outcome, run_plan
from toolgauge.errors import Superseded, ToolgaugeError, UsageError
from toolgauge.gateway.gateway import Gateway
from toolgauge.model import events
from toolgauge.model.run import Run, RunStatus
from toolgauge.model.suite import Suite, resolve
from toolgauge.model.trial import Trial, TrialError, TrialKey
from toolgauge.report.failures import FailingCase, FailingCases
from toolgauge.scoring import Scorer
from toolgauge.scoring.metrics import Accumulator
from toolgauge.service import experiments, wiring
from toolgauge.store import runs, trials
from toolgauge.store.database import Database
from toolgauge.store.runs import StoredRun
from toolgauge.store.trial_writer import TrialWriter
from toolgauge.store.trials import Batch


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A run that ended, and what a person wants to know of it at once.

    ``given_up`` names the targets that were not asked to the end, and why;
    ``not_run`` counts the trials that are still missing, of the cases ``missing_cases``.
    """

    run: Run
    failing: tuple[FailingCase, ...] = ()
    given_up: dict[str, TrialError] = field(default_factory=dict)
    not_run: int = 0
    missing_cases: tuple[str, ...] = ()
    delta: float | None = None


@dataclass(slots=True)
class Finished:
    """What is known of the finished trials of a run: keys, numbers, failures."""

    keys: set[TrialKey] = field(default_factory=set)
    by_target: dict[str, Accumulator] = field(default_factory=dict)
    failing: FailingCases = field(default_factory=FailingCases)

    def add(self, trial: Trial) -> None:
        """Take in one finished trial."""
        self.keys.add(trial.key)
        self.of(trial.key.target).add(trial)
        self.failing.add(trial)

    def of(self, target: str) -> Accumulator:
        """Return the accumulator of one target."""
        return self.by_target.setdefault(target, Accumulator())


@dataclass(frozen=True, slots=True)
class RunToAsk:
    """A stored run, and the suite that it asks as that was when the run began."""

    stored: StoredRun
    suite: Suite

    @property
    def id(self) -> str:
        return self.stored.run.id


async def run_to_ask(database: Database, run_id: str) -> RunToAsk:
    """Return a stored run, to be asked on.

    Raises:
        NotStored: there is no such run.
        UsageError: it was stored without its suite.
    """
    stored = await runs.get(database, run_id)
    return RunToAsk(stored, await suite_of(database, stored.run))


async def run_job(
    asked: RunToAsk,
    *,
    database: Database,
    gateway: Gateway,
    emit: Emit,
    budget: Budget | None = None,
    scorers: Mapping[str, Scorer] | None = None,
) -> Evaluated:
    """Ask what a stored run still lacks, and return what it came to.

    Finished trials are read, never asked again; each new one is committed before it is
    told. A run that is complete is returned as it is.

    Raises:
        Superseded: another process is asking the same run.
    """
    stored, run_id = asked.stored, asked.id
    plan = Plan(asked.suite, stored.run.targets, stored.run.options)
    finished = await read_finished(database, run_id)
    plan = replace(plan, finished=frozenset(finished.keys))
    await emit(events.JobCreated(run_id))
    await emit(events.JobStarted(run_id))
    await _mark(database, stored.run, "running")
    async with _ending(database, stored.run, finished, emit):
        async with TrialWriter(database, run_id, job_id=run_id) as writer:

            async def keep(*some: Trial) -> None:
                await writer.keep(*some)
                for trial in some:
                    finished.failing.add(trial)
                    finished.keys.add(trial.key)

            parts = wiring.parts(gateway, sink=keep, emit=emit)
            outcome = await run_plan(
                plan,
                replace(parts, budget=budget, scorers=scorers or {}),
                job_id=run_id,
                before=finished.of,
            )
        done = await _conclude(database, stored, outcome)
    await _tell_end(done, emit)
    left = replace(plan, finished=frozenset(finished.keys))
    missing = [case.id for target in plan.targets for case, _ in left.trials_of(target)]
    return replace(
        done,
        failing=finished.failing.found(done.run),
        not_run=len(missing),
        missing_cases=tuple(dict.fromkeys(missing)),
    )


async def ask_more(
    run_id: str,
    more: More,
    *,
    database: Database,
    gateway: Gateway,
    emit: Emit,
    budget: Budget | None = None,
) -> None:
    """Ask further repeats of a stored run's cases, kept beside its trials as a later batch.

    A second batch enters the run's summaries, a confirmation never does.
    """
    stored = await runs.get(database, run_id)
    target = next(target for target in stored.run.targets if target.name == more.target)
    suite = await suite_of(database, stored.run)
    plan = Plan(suite, (target,), stored.run.options, only=more.repeats)
    async with TrialWriter(database, run_id, batch=more.batch) as writer:
        parts = wiring.parts(gateway, sink=writer.keep, emit=emit)
        outcome = await run_plan(plan, replace(parts, budget=budget), job_id=run_id)
    if more.batch == "second":
        run = _summed(stored.run, await read_finished(database, run_id))
        status: RunStatus = "truncated" if outcome.is_truncated else run.status
        await runs.finish(database, replace(run, status=status))


@dataclass(frozen=True, slots=True)
class More:
    """Further repeats of one target's cases: which repeats of which cases, and what for."""

    target: str
    repeats: Mapping[str, range]
    batch: Batch


async def suite_of(database: Database, run: Run) -> Suite:
    """Return the suite that a stored run asks, as it was when the run began.

    Raises:
        UsageError: the run was stored without its suite.
    """
    document = await runs.suite_of(database, run.id)
    if document is None:
        raise UsageError(f"run {run.id!r} was stored without its suite; it cannot be asked again")
    return resolve(document, tool_choice=run.options.tool_choice)


async def read_finished(database: Database, run_id: str) -> Finished:
    """Return what is known of the trials that a run has; confirmations are left out."""
    finished = Finished()
    async for stored in trials.stream(database, run_id, batches=("first", "second")):
        finished.add(stored.trial)
    return finished


@asynccontextmanager
async def _ending(
    database: Database, run: Run, finished: Finished, emit: Emit
) -> AsyncIterator[None]:
    """Store and tell how a run ended when it did not end by itself."""
    try:
        yield
    except anyio.get_cancelled_exc_class():
        with anyio.move_on_after(1.0, shield=True):
            await _mark(database, _summed(run, finished), "cancelled")
            await emit(events.JobCancelled(run.id))
        raise
    except Superseded:
        raise  # the run is somebody else's now, and so is its state
    except Exception as error:
        # stored first: who hears of it reads it
        with anyio.move_on_after(1.0):
            await _mark_quietly(database, _summed(run, finished))
        await emit(events.JobFailed(run.id, str(error)))
        raise


async def _conclude(database: Database, stored: StoredRun, outcome: Outcome) -> Evaluated:
    """Store how a run ended by itself, and return it with its delta."""
    status: RunStatus = "completed"
    if outcome.given_up:
        status = "failed"
    elif outcome.is_truncated:
        status = "truncated"
    run = replace(
        stored.run, status=status, finished_at=datetime.now(UTC), summaries=outcome.summaries
    )
    await runs.finish(database, run)
    delta = await experiments.delta_of(database, replace(stored, run=run))
    return Evaluated(run, given_up=outcome.given_up, delta=delta)


async def _tell_end(done: Evaluated, emit: Emit) -> None:
    run = done.run
    if done.given_up:
        why = "; ".join(f"{name}: {error.message}" for name, error in done.given_up.items())
        await emit(events.JobFailed(run.id, why))
    else:
        await emit(events.ToolEvalComplete(run.id, run.id, done.delta))
        await emit(events.JobCompleted(run.id, run.status))


def _summed(run: Run, finished: Finished) -> Run:
    summaries = tuple(finished.of(target.name).summary(target.name) for target in run.targets)
    return replace(run, summaries=summaries, finished_at=datetime.now(UTC))


async def _mark(database: Database, run: Run, status: RunStatus) -> None:
    await runs.finish(database, replace(run, status=status))


async def _mark_quietly(database: Database, run: Run) -> None:
    try:
        await _mark(database, run, "failed")
    except ToolgaugeError:
        return  # the store is what failed, and that is told already
