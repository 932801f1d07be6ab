from __future__ import annotations

import sqlite3
import sys
from itertools import count
from pathlib import Path

import anyio
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from processes import TESTS, finish, start, start_writer
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import IntegrityError
from store_builders import a_trial, store_run

from postgres import Postgres
from toolgauge.errors import CannotStore, MissingSetting
from toolgauge.store import migrations, runs, trials
from toolgauge.store.database import Database, open_database
from toolgauge.store.tables import Row
from toolgauge.store.trial_writer import TrialWriter

pytestmark = pytest.mark.anyio


def file_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


async def test_what_was_stored_is_there_when_opened_again(url: str) -> None:
    async with open_database(url) as database:
        await store_run(database)
    async with open_database(url) as database:
        assert (await runs.get(database, "run-1")).run.id == "run-1"


async def test_the_migrations_make_just_the_tables_that_the_code_has(database: Database) -> None:
    def differences(connection: Connection) -> list[object]:
        options = {"version_table": migrations.VERSION_TABLE}
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, Row.metadata))

    async with database.reading() as session:
        connection = await session.connection()
        assert await connection.run_sync(differences) == []


def test_the_code_reads_the_latest_migration() -> None:
    script = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert script.get_current_head() == migrations.HEAD


async def test_processes_that_start_at_once_on_nothing_make_one_schema(url: str) -> None:
    processes = [start_writer(url, f"run-{n}", trials=1) for n in range(3)]
    for process in processes:
        assert finish(process) == ["0"]
    async with open_database(url) as database:
        assert len((await runs.page(database)).items) == 3


async def test_three_processes_write_at_once_without_an_error_or_a_lost_row(url: str) -> None:
    processes = [start_writer(url, f"run-{n}", trials=200, workers=8) for n in range(3)]
    for process in processes:
        assert len(finish(process)) == 200
    async with open_database(url) as database:
        for number in range(3):
            assert await trials.count(database, f"run-{number}") == 200
            assert (await runs.get(database, f"run-{number}")).counts.passed == 200


async def test_a_database_of_a_newer_version_is_refused_and_left_alone(url: str) -> None:
    async with open_database(url) as database:
        await store_run(database)
        async with database.writing() as session:
            connection = await session.connection()
            await connection.execute(text("UPDATE toolgauge_version SET version_num = '9999'"))
    with pytest.raises(CannotStore, match=r"schema is 9999.*Upgrade toolgauge") as refused:
        async with open_database(url):
            pass
    assert refused.value.fault == "too_new"


async def test_a_locked_database_says_so_and_works_once_it_is_free(sqlite_url: str) -> None:
    async with open_database(sqlite_url, busy_timeout_s=0.05) as database:
        other = sqlite3.connect(file_of(sqlite_url), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CannotStore, match=r"toolgauge\.db: is locked by another") as refused:
            await store_run(database)
        assert refused.value.fault == "busy"
        assert (await runs.page(database)).items == ()
        other.execute("ROLLBACK")
        other.close()
        await store_run(database)
        assert len((await runs.page(database)).items) == 1


async def test_a_full_disk_is_named_and_what_was_finished_is_kept(sqlite_url: str) -> None:
    async with open_database(sqlite_url) as database:
        await store_run(database)
        event.listen(database._engine.sync_engine, "begin", _limit_pages)
        kept: list[int] = []
        with pytest.raises(CannotStore, match="disk is full") as refused:
            await _write_forever(database, kept)
        assert refused.value.fault == "full"
        assert len(kept) > 10
        assert await trials.count(database, "run-1") == len(kept)
        assert (await runs.get(database, "run-1")).counts.passed == len(kept)


def _limit_pages(connection: Connection) -> None:
    connection.exec_driver_sql("PRAGMA max_page_count = 80")


async def _write_forever(database: Database, kept: list[int]) -> None:
    async with TrialWriter(database, "run-1") as writer:
        for repeat in count():
            await writer.keep(a_trial(repeat=repeat, said="x" * 500))
            kept.append(repeat)


def test_a_limit_on_the_files_size_is_named_and_what_was_finished_is_kept(sqlite_url: str) -> None:
    script = TESTS / "store" / "unwritable_process.py"
    fault, message, kept = finish(start(script, sqlite_url, "limited"))
    assert fault == "full"
    assert "make room, then resume" in message
    assert int(kept.removesuffix(" kept")) > 10


@pytest.fixture
def unwritable(tmp_path: Path) -> Path:
    """Give a folder that a process without rights may read but not write."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_mode & 0o055 != 0o055:
            folder.chmod(folder.stat().st_mode | 0o055)
    (tmp_path / "shared").mkdir()
    return tmp_path / "shared"


def test_a_folder_that_may_not_be_written_to_is_named(unwritable: Path) -> None:
    unwritable.chmod(0o555)
    script = TESTS / "store" / "unwritable_process.py"
    url = f"sqlite:///{unwritable / 'toolgauge.db'}"
    fault, message = finish(start(script, url, "unprivileged"))
    assert fault == "read_only"
    assert str(unwritable / "toolgauge.db") in message
    assert "TOOLGAUGE_DATABASE_URL" in message


def test_a_folder_that_cannot_be_made_is_named(unwritable: Path) -> None:
    unwritable.chmod(0o555)
    script = TESTS / "store" / "unwritable_process.py"
    url = f"sqlite:///{unwritable / 'deep' / 'toolgauge.db'}"
    fault, message = finish(start(script, url, "unprivileged"))
    assert (fault, str(unwritable / "deep") in message) == ("read_only", True)


async def test_a_database_that_may_only_be_read_keeps_what_it_has(unwritable: Path) -> None:
    url = f"sqlite:///{unwritable / 'toolgauge.db'}"
    async with open_database(url) as database:
        await store_run(database, "mine")
    _chmod(unwritable, 0o555, 0o444)
    script = TESTS / "store" / "unwritable_process.py"
    assert finish(start(script, url, "unprivileged"))[0] == "read_only"
    _chmod(unwritable, 0o755, 0o644)
    async with open_database(url) as database:
        assert [stored.run.id for stored in (await runs.page(database)).items] == ["mine"]


def _chmod(folder: Path, folder_mode: int, file_mode: int) -> None:
    folder.chmod(folder_mode)
    (folder / "toolgauge.db").chmod(file_mode)


async def test_a_file_that_is_no_database_is_refused_and_left_alone(sqlite_url: str) -> None:
    file_of(sqlite_url).write_text("name: my suite\n" * 100)
    with pytest.raises(CannotStore, match="is no database of toolgauge") as refused:
        async with open_database(sqlite_url):
            pass
    assert refused.value.fault == "damaged"
    assert file_of(sqlite_url).read_text().startswith("name: my suite")


async def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    with pytest.raises(CannotStore, match="cannot be reached") as refused:
        async with open_database("postgresql://ann:secret@127.0.0.1:1/nothing"):
            pass
    assert refused.value.fault == "unreachable"
    assert refused.value.may_pass
    assert "127.0.0.1" in str(refused.value)
    assert "secret" not in str(refused.value)


async def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingSetting, match=r"pip install toolgauge\[postgres\]"):
        async with open_database("postgresql://localhost/x"):
            pass


async def test_a_restarted_server_is_used_again_without_an_error(postgres: Postgres) -> None:
    async with open_database(postgres.new_database()) as database:
        await store_run(database)
        postgres.stop()
        with pytest.raises(CannotStore, match="cannot be reached"):
            await runs.get(database, "run-1")
        postgres.start()
        assert (await runs.get(database, "run-1")).run.id == "run-1"


async def test_a_block_that_fails_leaves_nothing(database: Database) -> None:
    await store_run(database)
    with pytest.raises(IntegrityError):
        await store_run(database)
    with pytest.raises(RuntimeError, match="halfway"):
        await _fail_halfway(database)
    assert await trials.count(database, "run-1") == 0


async def _fail_halfway(database: Database) -> None:
    async with database.writing() as session:
        await trials.insert(database, session, "run-1", [a_trial()], batch="first")
        raise RuntimeError("halfway")


async def test_a_cancelled_block_leaves_nothing_and_frees_the_database(database: Database) -> None:
    await store_run(database)
    with anyio.CancelScope() as scope:
        async with database.writing() as session:
            await trials.insert(database, session, "run-1", [a_trial()], batch="first")
            scope.cancel()
            await anyio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    assert await trials.count(database, "run-1") == 0
    await store_run(database, "run-2")
