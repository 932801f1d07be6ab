"""Runs: made when they begin, finished when they end, listed newest first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from sqlalchemy import ColumnElement
from sqlmodel import col, delete, func, select
from sqlmodel.ext.asyncio.session import AsyncSession

from toolgauge.errors import CannotDelete, NotStored, UsageError
from toolgauge.model import run_json
from toolgauge.model.experiment import RunKind
from toolgauge.model.run import CaseInfo, Run, RunStatus
from toolgauge.model.suite import SuiteDocument
from toolgauge.store import contents
from toolgauge.store.contents import Content, content_of
from toolgauge.store.database import Database
from toolgauge.store.pages import Order, Page, read_page
from toolgauge.store.suites import suite_content
from toolgauge.store.tables import ExperimentRow, RunRow

_NEWEST = Order(RunRow, ("started_at", "id"), newest_first=True)
_IDS_IN_ERRORS = 5


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
    database: Database, stored: StoredRun, *, suite: SuiteDocument | Content | None = None
) -> StoredRun:
    """Store a run that begins, with the suite it asks, and return it as stored.

    Raises:
        NotStored: its experiment is not there.
        UsageError: its experiment is of another suite.
    """
    if isinstance(suite, SuiteDocument):
        suite = suite_content(suite)
    cases = content_of(map(run_json.case_to_json, stored.run.cases))
    stored = replace(stored, suite_hash=suite.hash if suite else None)
    async with database.writing() as session:
        await _check_experiment(session, stored)
        await contents.keep(database, session, [cases, *([suite] if suite else [])])
        session.add(_row(stored, cases.hash))
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
        row.document = run_json.to_json(run, with_cases=False)
        if run.summaries:
            counts = _counted(run)
            row.n_passed = counts.passed
            row.n_failed = counts.failed
            row.n_errored = counts.errored


async def get(database: Database, run_id: str, *, with_cases: bool = True) -> StoredRun:
    """Return one run; without its cases ``run.cases`` is empty, which costs little.

    Raises:
        NotStored: there is no such run.
    """
    async with database.reading() as session:
        row = await _existing(session, run_id)
        if not with_cases:
            return stored_run(row)
        bodies = await contents.read(session, [row.cases_hash])
    return stored_run(row, run_json.cases_from_json(bodies[row.cases_hash]))


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
    query = select(RunRow).where(*_conditions(wanted))
    async with database.reading() as session:
        rows, after = await read_page(session, query, _NEWEST, cursor=cursor, limit=limit)
    return Page(tuple(stored_run(row) for row in rows), after)


async def count(database: Database, wanted: RunFilter = RunFilter()) -> int:
    """Return how many runs all pages of ``page`` have together."""
    async with database.reading() as session:
        counted = select(func.count()).select_from(RunRow).where(*_conditions(wanted))
        return (await session.exec(counted)).one()


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


def stored_run(row: RunRow, cases: tuple[CaseInfo, ...] = ()) -> StoredRun:
    """Return a row as what leaves this package, with these cases."""
    return StoredRun(
        run=run_json.from_json(row.document, cases),
        owner=row.owner,
        kind=cast("RunKind", row.kind),
        suite_hash=row.suite_hash,
        experiment_id=row.experiment_id,
        source_run_id=row.source_run_id,
        counts=Counts(row.n_passed, row.n_failed, row.n_errored),
    )


def _conditions(wanted: RunFilter) -> list[ColumnElement[bool]]:
    stated = (
        (col(RunRow.owner), wanted.owner),
        (col(RunRow.suite_name), wanted.suite_name),
        (col(RunRow.status), wanted.status),
        (col(RunRow.experiment_id), wanted.experiment_id),
    )
    return [column == value for column, value in stated if value is not None]


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
        document=run_json.to_json(run, with_cases=False),
    )


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
