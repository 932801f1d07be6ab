from __future__ import annotations

import pytest
from store_builders import a_run, a_suite, at

from toolgauge.errors import CannotDelete, NotStored, UsageError
from toolgauge.model.suite import resolve
from toolgauge.store import runs, suites
from toolgauge.store.database import Database
from toolgauge.store.runs import StoredRun

pytestmark = pytest.mark.anyio


async def test_a_saved_suite_comes_back_equal_and_asks_the_same(database: Database) -> None:
    document = a_suite(prompt="Wie ist das Wetter in Zürich? \x00")
    await suites.save(database, document, now=at(0))
    saved, loaded = await suites.get(database, "weather")
    assert (saved.version, saved.n_cases, saved.saved_at) == (1, 1, at(0))
    assert loaded == document
    assert resolve(loaded) == resolve(document)


async def test_every_version_is_kept_and_the_latest_is_what_the_name_means(
    database: Database,
) -> None:
    for minutes, prompt in enumerate(["Paris?", "Rome?", "Paris?"]):
        await suites.save(database, a_suite(prompt=prompt), now=at(minutes))
    history = (await suites.history(database, "weather")).items
    assert [saved.version for saved in history] == [3, 2, 1]
    assert history[0].content_hash == history[2].content_hash
    assert (await suites.get(database, "weather"))[1] == a_suite(prompt="Paris?")
    assert (await suites.get(database, "weather", version=2))[1] == a_suite(prompt="Rome?")


async def test_saving_the_same_content_again_adds_no_version(database: Database) -> None:
    first = await suites.save(database, a_suite(), now=at(0))
    assert await suites.save(database, a_suite(), now=at(1)) == first


async def test_owners_have_suites_of_the_same_name(database: Database) -> None:
    await suites.save(database, a_suite(prompt="mine"), now=at(0), owner="ann")
    await suites.save(database, a_suite(prompt="yours"), now=at(1), owner="bob")
    assert (await suites.get(database, "weather", owner="ann"))[1] == a_suite(prompt="mine")
    assert [s.owner for s in (await suites.page(database)).items] == ["bob", "ann"]
    assert [s.owner for s in (await suites.page(database, owner="ann")).items] == ["ann"]
    assert [await suites.count(database, owner=who) for who in (None, "ann", "eve")] == [2, 1, 0]


async def test_pages_hold_the_latest_versions_the_last_saved_first(database: Database) -> None:
    for minutes, name in enumerate(["a", "b", "c", "a"]):
        document = a_suite(name, prompt=str(minutes))
        await suites.save(database, document, now=at(minutes))
    first = await suites.page(database, limit=2)
    second = await suites.page(database, limit=2, cursor=first.next_cursor)
    assert [(s.name, s.version) for s in (*first.items, *second.items)] == [
        ("a", 2),
        ("c", 1),
        ("b", 1),
    ]
    assert second.next_cursor is None
    assert await suites.count(database) == 3


async def test_an_unknown_suite_is_refused_with_the_names_that_exist(database: Database) -> None:
    await suites.save(database, a_suite("weather"), now=at(0))
    await suites.save(database, a_suite("flights"), now=at(1))
    with pytest.raises(NotStored, match=r"No suite 'zz'\. Known: flights, weather\."):
        await suites.get(database, "zz")
    with pytest.raises(NotStored, match="weather version 7"):
        await suites.get(database, "weather", version=7)
    with pytest.raises(NotStored):
        await suites.history(database, "zz")
    with pytest.raises(NotStored):
        await suites.remove(database, "zz")


async def test_a_suite_with_runs_is_deleted_only_by_force_and_the_runs_keep_it(
    database: Database,
) -> None:
    await suites.save(database, a_suite(), now=at(0))
    await runs.create(database, StoredRun(a_run("run-1")), suite=a_suite())
    with pytest.raises(CannotDelete, match="run run-1") as refused:
        await suites.remove(database, "weather")
    assert refused.value.held_by == ("run run-1",)
    await suites.remove(database, "weather", force=True)
    assert (await suites.page(database)).items == ()
    assert await runs.suite_of(database, "run-1") == a_suite()


async def test_a_suite_of_older_runs_holds_on_to_all_its_versions(database: Database) -> None:
    await suites.save(database, a_suite(prompt="old"), now=at(0))
    for number in range(5):
        run = a_run(f"run-{number}")
        await runs.create(database, StoredRun(run), suite=a_suite(prompt="old"))
    await suites.save(database, a_suite(prompt="new"), now=at(1))
    with pytest.raises(CannotDelete, match="others"):
        await suites.remove(database, "weather")


async def test_a_suite_without_runs_goes_with_all_versions(database: Database) -> None:
    for minutes, prompt in enumerate(["Paris?", "Rome?"]):
        await suites.save(database, a_suite(prompt=prompt), now=at(minutes))
    await suites.remove(database, "weather")
    with pytest.raises(NotStored, match="There is no suite yet"):
        await suites.get(database, "weather")


@pytest.mark.parametrize("cursor", ["", "x", "bm8=", "WyJhIl0=", "WzEsIDJd"])
async def test_a_made_up_cursor_is_refused(database: Database, cursor: str) -> None:
    with pytest.raises(UsageError, match="no cursor of this list"):
        await suites.page(database, cursor=cursor)
