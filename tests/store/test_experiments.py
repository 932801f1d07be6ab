from __future__ import annotations

from dataclasses import replace

import pytest
from store_builders import a_case, a_run, at, measured, store_run

from toolgauge.errors import NotStored, UsageError
from toolgauge.model.experiment import Experiment, best, timeline
from toolgauge.store import experiments, runs
from toolgauge.store.database import Database
from toolgauge.store.runs import StoredRun

pytestmark = pytest.mark.anyio
TUNE = Experiment("e1", "tune", "weather", at(0), "Is it any better?", owner="ann")


async def link(database: Database, name: str, minutes: float, score: float) -> None:
    run = measured(a_run(name, minutes=minutes), score)
    await runs.create(database, StoredRun(run, kind="param_tune", experiment_id="e1"))


async def test_an_experiment_comes_back_equal(database: Database) -> None:
    await experiments.create(database, TUNE)
    assert await experiments.get(database, "e1") == TUNE


async def test_experiments_are_listed_newest_first_and_by_owner(database: Database) -> None:
    for minutes in range(3):
        owner = "ann" if minutes else "bob"
        one = replace(TUNE, id=f"e{minutes}", created_at=at(minutes), owner=owner)
        await experiments.create(database, one)
    first = await experiments.page(database, limit=2)
    rest = await experiments.page(database, limit=2, cursor=first.next_cursor)
    assert [one.id for one in (*first.items, *rest.items)] == ["e2", "e1", "e0"]
    assert [one.id for one in (await experiments.page(database, owner="bob")).items] == ["e0"]
    assert await experiments.count(database) == 3
    assert await experiments.count(database, owner="ann") == 2


async def test_an_experiment_is_found_by_its_owner_and_name(database: Database) -> None:
    await experiments.create(database, TUNE)
    await experiments.create(database, replace(TUNE, id="e2", owner="bob"))
    assert await experiments.named(database, "tune", owner="ann") == TUNE
    assert await experiments.named(database, "tune", owner="eve") is None
    assert await experiments.named(database, "e1", owner="ann") is None


async def test_name_and_description_may_be_edited(database: Database) -> None:
    await experiments.create(database, TUNE)
    edited = await experiments.edit(database, "e1", name="tuned")
    assert edited == replace(TUNE, name="tuned")
    edited = await experiments.edit(database, "e1", description="")
    assert await experiments.get(database, "e1") == edited == replace(edited, description="")


async def test_linked_runs_give_the_timeline_and_the_best(database: Database) -> None:
    await experiments.create(database, TUNE)
    await link(database, "second", 2, 0.9)
    await link(database, "first", 1, 0.5)
    await store_run(database, "elsewhere")
    linked = await experiments.linked_runs(database, "e1")
    assert [(one.run.id, one.kind) for one in linked] == [
        ("first", "param_tune"),
        ("second", "param_tune"),
    ]
    assert linked[0].run.cases == (a_case("paris"), a_case("rome"))
    assert [entry.delta for entry in timeline(TUNE, linked)] == [0.0, 0.4]
    found = best(TUNE, linked)
    assert found is not None
    assert found.run_id == "second"


async def test_any_run_of_the_suite_may_be_pinned(database: Database) -> None:
    await experiments.create(database, TUNE)
    await link(database, "mine", 2, 0.75)
    elsewhere = measured(a_run("elsewhere", minutes=1), 0.5)
    await runs.create(database, StoredRun(elsewhere))
    pinned = await experiments.pin(database, "e1", "elsewhere")
    linked = await experiments.linked_runs(database, "e1")
    entries = timeline(pinned, linked)
    assert [(entry.run_id, entry.delta, entry.is_baseline) for entry in entries] == [
        ("elsewhere", 0.0, True),
        ("mine", 0.25, False),
    ]
    assert (await experiments.pin(database, "e1", None)).baseline_run_id is None


async def test_a_run_of_another_suite_is_not_pinned(database: Database) -> None:
    await store_run(database, "other", suite="flights")
    await experiments.create(database, TUNE)
    with pytest.raises(UsageError, match="is of suite 'flights'"):
        await experiments.pin(database, "e1", "other")
    with pytest.raises(NotStored, match="run 'zz'"):
        await experiments.pin(database, "e1", "zz")
    assert (await experiments.get(database, "e1")).baseline_run_id is None
    with pytest.raises(UsageError):
        await experiments.create(database, replace(TUNE, id="e2", baseline_run_id="other"))
    with pytest.raises(NotStored):
        await experiments.get(database, "e2")


async def test_a_deleted_experiment_leaves_its_runs(database: Database) -> None:
    await experiments.create(database, TUNE)
    await link(database, "mine", 1, 0.5)
    await experiments.remove(database, "e1")
    assert (await runs.get(database, "mine")).experiment_id is None
    assert (await experiments.page(database)).items == ()


async def test_an_unknown_experiment_is_refused_with_those_that_exist(database: Database) -> None:
    await experiments.create(database, TUNE)
    for ask in (experiments.get, experiments.remove, experiments.linked_runs, experiments.edit):
        with pytest.raises(NotStored, match=r"No experiment 'zz'\. Known: e1\."):
            await ask(database, "zz")
    with pytest.raises(NotStored):
        await experiments.pin(database, "zz", None)
