from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import pytest
from sqlalchemy import text
from sqlmodel import select
from store_builders import a_trial, store_run, store_trials

from toolgauge.errors import NotStored
from toolgauge.model.tools import ToolCall
from toolgauge.model.trial import FailureKind, Trial, TrialKey
from toolgauge.store import trials
from toolgauge.store.database import Database, open_database
from toolgauge.store.tables import TrialRow
from toolgauge.store.trial_writer import TrialWriter
from toolgauge.store.trials import Batch, Outcome, TrialFilter

pytestmark = pytest.mark.anyio
TARGETS, CASES, REPEATS = ("b/two", "B/one"), ("rome", "paris", "äthiopien"), range(3)
OUTCOMES: tuple[Outcome | None, ...] = (None, "passed", "failed", "errored")
KINDS: tuple[FailureKind | None, ...] = (None, "wrong_tool")
FILTERS = [
    TrialFilter(target, case, repeat, outcome, kind)
    for target, case, repeat, outcome, kind in product(
        (None, "b/two"), (None, "paris"), (None, 1), OUTCOMES, KINDS
    )
]


def mixed() -> list[Trial]:
    made = []
    for number, (repeat, case, target) in enumerate(product(REPEATS, CASES, TARGETS)):
        trial = a_trial(case, repeat, target=target)
        if number % 3 == 1:
            trial = a_trial(case, repeat, target=target, passed=False, failure="wrong_tool")
        if number % 5 == 2:
            trial = a_trial(case, repeat, target=target, error="boom")
        made.append(trial)
    return made


async def all_pages(database: Database, wanted: TrialFilter, limit: int) -> list[Trial]:
    found: list[Trial] = []
    cursor = None
    while True:
        page = await trials.page(database, "run-1", wanted, cursor=cursor, limit=limit)
        assert len(page.items) <= limit
        found += [stored.trial for stored in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return found


def matches(trial: Trial, wanted: TrialFilter) -> bool:
    kind = trial.scored.failure_kind if trial.scored else None
    return (
        wanted.target in (None, trial.key.target)
        and wanted.case_id in (None, trial.key.case_id)
        and wanted.repeat in (None, trial.key.repeat)
        and wanted.outcome in (None, trials.outcome(trial))
        and wanted.failure_kind in (None, kind)
    )


async def test_pages_hold_every_wanted_trial_once_and_in_order(database: Database) -> None:
    await store_run(database)
    await store_run(database, "run-2")
    await store_trials(database, *mixed())
    async with TrialWriter(database, "run-2") as writer:
        await writer.keep(a_trial(target="b/two"))
    for wanted in FILTERS:
        expected = sorted(
            (trial for trial in mixed() if matches(trial, wanted)),
            key=lambda trial: (trial.key.target, trial.key.case_id, trial.key.repeat),
        )
        assert await all_pages(database, wanted, 2) == expected
        assert await trials.count(database, "run-1", wanted) == len(expected)


@pytest.mark.parametrize(
    "wanted", [one for one in FILTERS if None in (one.target, one.case_id, one.repeat)]
)
async def test_no_page_sorts_or_reads_a_whole_table(sqlite_url: str, wanted: TrialFilter) -> None:
    async with open_database(sqlite_url) as database, database.reading() as session:
        await store_run(database)
        query = select(TrialRow).where(*trials._conditions("run-1", wanted))
        order = trials._order(wanted)
        query = query.where(order.after(order.cursor(_row_of(a_trial()))))
        query = query.order_by(*order.clauses).limit(21)
        connection = await session.connection()
        compiled = query.compile(connection.sync_connection, compile_kwargs={"literal_binds": True})
        plan = await connection.execute(text(f"EXPLAIN QUERY PLAN {compiled}"))
        steps = [str(row.detail) for row in plan]
    assert len(steps) == 1
    assert steps[0].startswith("SEARCH trial USING INDEX")
    assert "run_id=?" in steps[0]


def _row_of(trial: Trial) -> TrialRow:
    return TrialRow(**trials._row("run-1", trial, "first"))


@pytest.mark.parametrize(
    "trial",
    [
        a_trial(said="NUL \x00, half a pair \ud83d, ü, 😀"),
        a_trial("Rom, größer \"als' 'x\\", 7, target="replay/a b.jsonl#x"),
        a_trial(error="the server said\nno"),
        replace(a_trial(), calls=(ToolCall("f", {"x": math.inf, "y": [1, 1.0, None]}),)),
    ],
)
async def test_whatever_a_model_wrote_comes_back_equal(database: Database, trial: Trial) -> None:
    await store_run(database)
    await store_trials(database, trial)
    assert (await trials.get(database, "run-1", trial.key)).trial == trial


async def test_not_a_number_comes_back_as_it_was(database: Database) -> None:
    await store_run(database)
    trial = replace(a_trial(), calls=(ToolCall("f", math.nan),))
    await store_trials(database, trial, trial)
    (call,) = (await trials.get(database, "run-1", trial.key)).trial.calls
    assert math.isnan(call.arguments)


async def test_a_trial_that_is_not_there_is_refused(database: Database) -> None:
    with pytest.raises(NotStored, match="paris, repeat 0 of x, in run run-1"):
        await trials.get(database, "run-1", TrialKey("paris", "x", 0))


async def test_the_stream_gives_all_trials_in_order_over_many_pages(database: Database) -> None:
    await store_run(database)
    some = [a_trial(f"case-{n % 60:02}", n // 60) for n in range(1_300)]
    async with database.writing() as session:
        await trials.insert(database, session, "run-1", some, batch="first")
    streamed = [stored.trial async for stored in trials.stream(database, "run-1")]
    assert streamed == sorted(some, key=lambda trial: (trial.key.case_id, trial.key.repeat))


async def test_confirmations_can_be_left_out_of_the_stream(database: Database) -> None:
    await store_run(database)
    batches: tuple[Batch, ...] = ("first", "second", "confirm")
    for repeat, batch in enumerate(batches):
        await store_trials(database, a_trial(repeat=repeat), batch=batch)
    everything = [stored.batch async for stored in trials.stream(database, "run-1")]
    means = trials.stream(database, "run-1", batches=("first", "second"))
    assert everything == ["first", "second", "confirm"]
    assert [stored.batch async for stored in means] == ["first", "second"]


async def test_every_stored_trial_is_finished_errored_ones_too(database: Database) -> None:
    await store_run(database)
    some = mixed()
    await store_trials(database, *some)
    assert await trials.finished_keys(database, "run-1") == {trial.key for trial in some}
    assert await trials.finished_keys(database, "run-2") == frozenset()
