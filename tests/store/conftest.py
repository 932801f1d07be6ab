"""What the tests of the store share: every one of them runs on both databases."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from postgres import NoPostgres, Postgres, running_postgres
from toolgauge.store.database import Database, open_database


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Give a real server, or skip saying why there is none."""
    try:
        with running_postgres() as server:
            yield server
    except NoPostgres as why:
        pytest.skip(str(why))


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'toolgauge.db'}"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """Give the URL of an empty database, of each kind in turn."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("sqlite_url"))
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    async with open_database(url) as opened:
        yield opened
