"""What every test may use."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from postgres import NoPostgres, Postgres, running_postgres, shared_postgres
from toolgauge.store.database import Database, open_database

# how long one example takes says more of the machine than of the code
settings.register_profile("toolgauge", deadline=None)
settings.load_profile("toolgauge")


def pytest_configure() -> None:
    """Let processes that tests start be interrupted, though the shell has us ignore it.

    It does so with what it runs in the background, and every process inherits that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers() -> int:
    """Return one process more than there are cores: some tests wait for what they started."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio: litellm and DBOS know no other loop."""
    return "asyncio"


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """Give the one PostgreSQL of all test processes, or skip saying why there is none."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # a worker's own folder stands in the one of the whole run
    try:
        with shared_postgres(folder) as server:
            yield server
    except NoPostgres as why:
        pytest.skip(str(why))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Give a PostgreSQL that a test may stop and start, or skip saying why there is none."""
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
    server: Postgres = request.getfixturevalue("shared_server")
    return server.new_database()


@pytest.fixture
def settled_url(request: pytest.FixtureRequest, url: str) -> str:
    """Give such a URL where a process that dies counts as dead at once.

    On a PostgreSQL that has just started nobody does: it may have dropped the locks of the living.
    """
    if not url.startswith("sqlite"):
        server: Postgres = request.getfixturevalue("shared_server")
        server.await_age(10.5)
    return url


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    async with open_database(url) as opened:
        yield opened
