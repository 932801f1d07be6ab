"""Brings a schema up to date. The only module that imports Alembic; imported when needed."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

from toolgauge.store.migrations import __file__ as migrations_file

# any number that is ours alone; PostgreSQL drops the lock with the transaction
_LOCK = 7_204_411_963


def upgrade(connection: Connection) -> None:
    """Run the migrations that are missing, alone, within the connection's transaction.

    Of several processes that start at once the first migrates; the others wait here and
    then find nothing to do. On SQLite the transaction itself is the lock.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    config = Config()
    folder = str(Path(migrations_file).parent).replace("%", "%%")
    config.set_main_option("script_location", folder)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
