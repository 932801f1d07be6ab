"""Runs: made when they begin, finished when they end, listed newest first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import TypeAdapter
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from toolgauge.errors import CannotDelete, NotStored, UsageError
from toolgauge.model.experiment import RunKind
from toolgauge.model.run import CaseInfo, Run, RunStatus
from toolgauge.model.suite import SuiteDocument
from toolgauge.store import contents
from toolgauge.store.database import Database
from toolgauge.store.pages import Order, Page, read_page
from toolgauge.store.suites import suite_json
from toolgauge.store.tables import ExperimentRow, RunRow

_NEWEST = Order(RunRow, ("started_at", "id"), newest_first=True)
_IDS_IN_ERRORS = 5
_run_type: TypeAdapter[Run] = TypeAdapter(Run)
_cases_type: TypeAdapter[tuple[CaseInfo, ...]] = TypeAdapter(tuple[CaseInfo, ...])


@dataclass(frozen=True, slots=True)
class Counts:
    """Trials stored so far, by outcome; fresh confirmations are not among them."""

    passed: int = 0
    failed: int = 0
    errored: int = 0


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run and what the store knows besides.

    ``suite_hash`` is the content it asked, None where that was not given.
    ``source_run_id`` is the run whose transcripts were scored again. ``counts`` grow while
    the run goes on; once it has summaries they are the summaries' own.
    """

    run: Run
    owner: str = "local"
    kind: RunKind = "eval"
    suite_hash: str | None = None
    experiment_id: str | None = None
    source_run_id: str | None = None
    counts: Counts = Counts()


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs a page is of; None means any."""

    owner: str | None = None
    suite_name: str | None = None
    status: RunStatus | None = None
    experiment_id: str | None = None


async def create(
    database: Database, stored: StoredRun, *, suite: SuiteDocument | None = None
) -> StoredRun:
    """Store a run that begins, with the suite it asks, and return it as stored.

    Raises:
        NotStored: its experiment is not there.
        UsageError: its experiment is of another suite.
    """
    async with database.writing() as session:
        await _check_experiment(session, stored)
        shared = [_cases_json(stored.run)] + ([suite_json(suite)] if suite else [])
        hashes = await contents.keep(database, session, shared)
        if suite:
            stored = replace(stored, suite_hash=hashes[1])
        session.add(_row(stored, hashes[0]))
    return stored


async def finish(database: Database, run: Run) -> None:
    """Store what a run came to: its status, end and summaries; counts are the summaries'.

    A run that is resumed is written back the same way, with the status ``running``.

    Raises:
        NotStored: there is no such run.
    """
    async with database.writing() as session:
        row = await _existing(session, run.id)
        row.status = run.status
        row.document = _document(run)
        if run.summaries:
            counts = _counted(run)
            row.n_passed = counts.passed
            row.n_failed = counts.failed
            row.n_errored = counts.errored


async def get(database: Database, run_id: str) -> StoredRun:
    """Return one run, cases included.

    Raises:
        NotStored: there is no such run.
    """
    async with database.reading() as session:
        row = await _existing(session, run_id)
        bodies = await contents.read(session, [row.cases_hash])
    return stored_run(row, cases_of(bodies[row.cases_hash]))


async def suite_of(database: Database, run_id: str) -> SuiteDocument | None:
    """Return the suite that a run asked, as it was then; None where it was not given.

    Raises:
        NotStored: there is no such run.
    """
    async with database.reading() as session:
        row = await _existing(session, run_id)
        if row.suite_hash is None:
            return None
        bodies = await contents.read(session, [row.suite_hash])
    return SuiteDocument.model_validate(bodies[row.suite_hash])


async def page(
    database: Database,
    wanted: RunFilter = RunFilter(),
    *,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[StoredRun]:
    """Return runs, newest first, without their cases: ``run.cases`` is empty."""
    query = select(RunRow)
    if wanted.owner is not None:
        query = query.where(col(RunRow.owner) == wanted.owner)
    if wanted.suite_name is not None:
        query = query.where(col(RunRow.suite_name) == wanted.suite_name)
    if wanted.status is not None:
        query = query.where(col(RunRow.status) == wanted.status)
    if wanted.experiment_id is not None:
        query = query.where(col(RunRow.experiment_id) == wanted.experiment_id)
    async with database.reading() as session:
        rows, after = await read_page(session, query, _NEWEST, cursor=cursor, limit=limit)
    return Page(tuple(stored_run(row) for row in rows), after)


async def remove(database: Database, run_id: str) -> None:
    """Delete a run with its trials.

    Raises:
        NotStored: there is no such run.
        CannotDelete: it is the pinned baseline of an experiment.
    """
    async with database.writing() as session:
        row = await _existing(session, run_id)
        pinned_in = select(ExperimentRow).where(col(ExperimentRow.baseline_run_id) == run_id)
        experiments = (await session.exec(pinned_in)).all()
        if experiments:
            raise CannotDelete(
                f"run {run_id!r}",
                tuple(f"experiment {one.id!r} ({one.name}) as its baseline" for one in experiments),
                "Pin another baseline first.",
            )
        await session.exec(delete(RunRow).where(col(RunRow.id) == run_id))
        await contents.forget_unused(session, [row.suite_hash, row.cases_hash])


def cases_of(body: Any) -> tuple[CaseInfo, ...]:
    """Return the cases that a content holds."""
    return _cases_type.validate_python(body)


def stored_run(row: RunRow, cases: tuple[CaseInfo, ...] = ()) -> StoredRun:
    """Return a row as what leaves this package, with these cases."""
    run = _run_type.validate_python(row.document | {"cases": ()})
    return StoredRun(
        run=replace(run, cases=cases),
        owner=row.owner,
        kind=cast("RunKind", row.kind),
        suite_hash=row.suite_hash,
        experiment_id=row.experiment_id,
        source_run_id=row.source_run_id,
        counts=Counts(row.n_passed, row.n_failed, row.n_errored),
    )


def _row(stored: StoredRun, cases_hash: str) -> RunRow:
    run = stored.run
    counts = _counted(run) if run.summaries else stored.counts
    return RunRow(
        id=run.id,
        owner=stored.owner,
        kind=stored.kind,
        suite_name=run.suite_name,
        suite_hash=stored.suite_hash,
        cases_hash=cases_hash,
        status=run.status,
        experiment_id=stored.experiment_id,
        source_run_id=stored.source_run_id,
        started_at=run.started_at,
        n_passed=counts.passed,
        n_failed=counts.failed,
        n_errored=counts.errored,
        document=_document(run),
    )


def _document(run: Run) -> Any:
    return _run_type.dump_python(run, mode="json", exclude={"cases"})


def _cases_json(run: Run) -> Any:
    return _cases_type.dump_python(run.cases, mode="json")


def _counted(run: Run) -> Counts:
    passed = sum(summary.n_passed for summary in run.summaries)
    errored = sum(summary.n_errored for summary in run.summaries)
    asked = sum(summary.n_trials for summary in run.summaries)
    return Counts(passed, asked - passed - errored, errored)


async def _existing(session: AsyncSession, run_id: str) -> RunRow:
    row = await session.get(RunRow, run_id)
    if row is None:
        newest = select(RunRow.id).order_by(*_NEWEST.clauses).limit(_IDS_IN_ERRORS)
        raise NotStored("run", run_id, tuple(await session.exec(newest)))
    return row


async def _check_experiment(session: AsyncSession, stored: StoredRun) -> None:
    if stored.experiment_id is None:
        return
    experiment = await session.get(ExperimentRow, stored.experiment_id)
    if experiment is None:
        raise NotStored("experiment", stored.experiment_id)
    if experiment.suite_name != stored.run.suite_name:
        raise UsageError(
            f"experiment {experiment.name!r} compares runs of suite {experiment.suite_name!r}, "
            f"not of {stored.run.suite_name!r}. Create another experiment for it."
        )
