from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from postgres import Postgres
from toolgauge.jobs.liveness import FileLiveness, Liveness, PostgresLiveness

pytestmark = pytest.mark.anyio
Named = Callable[[str], Liveness]


@pytest.fixture(params=["files", "postgres"])
def named(request: pytest.FixtureRequest, tmp_path: Path) -> Named:
    """Give what makes the liveness of an executor of some name, on one database."""
    if request.param == "files":
        return lambda name: FileLiveness(tmp_path / "executors", name)
    server: Postgres = request.getfixturevalue("shared_server")
    address = server.new_database()
    return lambda name: PostgresLiveness(address, name, grace_s=0)


async def is_dead(observer: Liveness, name: str) -> bool:
    async with observer.buried(name) as dead:
        return dead


async def becomes_dead(observer: Liveness, name: str) -> bool:
    """Return True within seconds: a server ends the session of a connection in its own time."""
    with anyio.move_on_after(5):
        while not await is_dead(observer, name):  # noqa: ASYNC110 - a server is waited for
            await anyio.sleep(0.01)
        return True
    return False


async def test_an_executor_is_dead_when_it_holds_its_lock_no_longer(named: Named) -> None:
    observer = named("observer")
    async with observer.held():
        async with named("other").held():
            assert not await is_dead(observer, "other")
        assert await becomes_dead(observer, "other")
        assert await is_dead(observer, "who never was")


async def test_only_one_buries_at_a_time(named: Named) -> None:
    one, other = named("one"), named("other")
    async with one.held(), other.held(), one.buried("dead") as is_mine:
        assert is_mine
        assert not await is_dead(other, "dead")
    async with other.held():
        assert await is_dead(other, "dead")


async def test_renewing_keeps_the_lock(named: Named) -> None:
    one, other = named("one"), named("other")
    async with one.held(), other.held():
        await one.renew()
        assert not await is_dead(other, "one")


async def test_after_a_restart_of_postgresql_the_living_have_time_to_say_so(
    postgres: Postgres,
) -> None:
    address = postgres.new_database()
    one, other = (PostgresLiveness(address, name, grace_s=2) for name in ("one", "other"))
    async with one.held(), other.held():
        postgres.stop()
        await one.renew()  # in vain
        postgres.start()
        await other.renew()
        assert not await is_dead(other, "one")
        assert not await is_dead(other, "who never was")
        await one.renew()
        postgres.await_age(2.1)
        await one.renew()
        await other.renew()
        assert not await is_dead(other, "one")
        assert await is_dead(other, "who never was")
