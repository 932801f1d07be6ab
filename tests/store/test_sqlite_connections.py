from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import anyio
from sqlalchemy import text

from toolgauge.store.database import open_database
from toolgauge.store.sqlite_connections import SqliteConnection

SLOW = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000000) "
    "SELECT count(*) FROM n"
)


def test_a_process_whose_last_call_is_cancelled_ends(sqlite_url: str) -> None:
    async def cancelled() -> None:
        async with open_database(sqlite_url) as opened:
            with anyio.move_on_after(0.05):
                async with opened.writing() as session:
                    await session.exec(text(SLOW))

    process = threading.Thread(target=anyio.run, args=(cancelled,), daemon=True)
    process.start()
    process.join(20)
    assert not process.is_alive()


def test_a_closed_connection_locks_nobody_out_though_a_cursor_of_it_lives(tmp_path: Path) -> None:
    file = tmp_path / "toolgauge.db"
    closed = sqlite3.connect(file, isolation_level=None, factory=SqliteConnection)
    closed.execute("CREATE TABLE t (x)")
    closed.execute("BEGIN IMMEDIATE")
    left = closed.execute("INSERT INTO t VALUES (1), (2) RETURNING x")
    assert left.fetchone() == (1,)
    closed.close()
    with closing(sqlite3.connect(file, isolation_level=None, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
