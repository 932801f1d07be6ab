from __future__ import annotations

from dataclasses import replace

import pytest
from store_builders import a_case, a_run, a_suite, a_trial, at, measured, store_run

from toolgauge.errors import CannotDelete, NotStored, UsageError
from toolgauge.model.experiment import Experiment
from toolgauge.model.run import RunOptions
from toolgauge.model.target import Prices, Target
from toolgauge.store import experiments, runs, trials
from toolgauge.store.database import Database
from toolgauge.store.runs import Counts, RunFilter, StoredRun
from toolgauge.store.trial_writer import TrialWriter

pytestmark = pytest.mark.anyio
TARGET = Target(
    "fast",
    "openai/x",
    {"top_p": 0.9},
    prices=Prices(input_per_million=1, output_per_million=2),
)


async def test_a_run_comes_back_equal(database: Database) -> None:
    options = RunOptions(repeats=3, system_prompts={"_global": "Be brief. \x00 😀"})
    stored = StoredRun(
        a_run(targets=(TARGET,), options=options),
        owner="ann",
        kind="prompt_tune",
        source_run_id="run-0",
    )
    created = await runs.create(database, stored, suite=a_suite())
    assert await runs.get(database, "run-1") == created
    assert replace(created, suite_hash=None) == stored
    assert await runs.suite_of(database, "run-1") == a_suite()


async def test_a_run_without_a_suite_has_none(database: Database) -> None:
    await store_run(database)
    assert await runs.suite_of(database, "run-1") is None


async def test_what_a_run_came_to_is_stored_with_the_summaries_counts(database: Database) -> None:
    run = await store_run(database)
    done = measured(run, 0.75)
    await runs.finish(database, done)
    stored = await runs.get(database, "run-1")
    assert stored.run == done
    assert stored.counts == Counts(passed=6, failed=3, errored=1)


async def test_a_resumed_run_goes_on_under_its_own_name(database: Database) -> None:
    run = await store_run(database)
    await runs.finish(database, replace(run, status="cancelled", finished_at=at(1)))
    await runs.finish(database, run)
    assert (await runs.get(database, "run-1")).run == run


async def test_runs_are_listed_newest_first_without_their_cases(database: Database) -> None:
    for number in (2, 0, 1, 3):
        await store_run(database, f"run-{number}", minutes=number)
    first = await runs.page(database, limit=3)
    second = await runs.page(database, limit=3, cursor=first.next_cursor)
    assert [stored.run.id for stored in first.items] == ["run-3", "run-2", "run-1"]
    assert [stored.run.id for stored in second.items] == ["run-0"]
    assert second.next_cursor is None
    assert {stored.run.cases for stored in first.items} == {()}


async def test_runs_of_one_moment_are_each_listed_once(database: Database) -> None:
    for number in range(5):
        await store_run(database, f"run-{number}")
    seen, cursor = [], None
    while True:
        page = await runs.page(database, limit=2, cursor=cursor)
        seen += [stored.run.id for stored in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [f"run-{number}" for number in (4, 3, 2, 1, 0)]


async def test_lists_are_filtered(database: Database) -> None:
    await experiments.create(database, Experiment("e1", "tune", "weather", at(0)))
    done = measured(a_run("done", suite="weather"), 0.5)
    await runs.create(database, StoredRun(done, owner="ann", experiment_id="e1"))
    await store_run(database, "going", suite="flights")

    async def ids(wanted: RunFilter) -> list[str]:
        found = [stored.run.id for stored in (await runs.page(database, wanted)).items]
        assert await runs.count(database, wanted) == len(found)
        return found

    assert await ids(RunFilter(owner="ann")) == ["done"]
    assert await ids(RunFilter(suite_name="flights")) == ["going"]
    assert await ids(RunFilter(status="completed")) == ["done"]
    assert await ids(RunFilter(experiment_id="e1")) == ["done"]
    assert await ids(RunFilter(owner="ann", status="running")) == []
    assert sorted(await ids(RunFilter())) == ["done", "going"]


async def test_an_unknown_run_is_refused_with_the_newest_ids(database: Database) -> None:
    with pytest.raises(NotStored, match="There is no run yet"):
        await runs.get(database, "zz")
    for number in range(7):
        await store_run(database, f"run-{number}", minutes=number)
    with pytest.raises(NotStored, match="Known: run-6, run-5, run-4, run-3, run-2"):
        await runs.get(database, "zz")
    for ask in (runs.remove, runs.suite_of):
        with pytest.raises(NotStored):
            await ask(database, "zz")
    with pytest.raises(NotStored):
        await runs.finish(database, a_run("zz"))


async def test_an_experiment_takes_runs_of_its_own_suite_only(database: Database) -> None:
    await experiments.create(database, Experiment("e1", "tune", "flights", at(0)))
    with pytest.raises(UsageError, match="'flights', not of 'weather'"):
        await runs.create(database, StoredRun(a_run(), experiment_id="e1"))
    with pytest.raises(NotStored, match="experiment 'e2'"):
        await runs.create(database, StoredRun(a_run(), experiment_id="e2"))
    assert (await runs.page(database)).items == ()


async def test_a_deleted_run_takes_its_trials_along(database: Database) -> None:
    for name in ("gone", "kept"):
        await store_run(database, name)
        async with TrialWriter(database, name) as writer:
            await writer.keep(a_trial())
    await runs.remove(database, "gone")
    assert await trials.count(database, "gone") == 0
    assert await trials.count(database, "kept") == 1
    assert (await runs.get(database, "kept")).run.cases == (a_case("paris"), a_case("rome"))


async def test_a_pinned_baseline_is_not_deleted(database: Database) -> None:
    await store_run(database)
    pinned = Experiment("e1", "tune", "weather", at(0), baseline_run_id="run-1")
    await experiments.create(database, pinned)
    with pytest.raises(CannotDelete, match=r"experiment 'e1' \(tune\)"):
        await runs.remove(database, "run-1")
    await experiments.pin(database, "e1", None)
    await runs.remove(database, "run-1")
    assert (await runs.page(database)).items == ()
