from __future__ import annotations

from pathlib import Path

import pytest

from toolgauge.errors import CannotStore
from toolgauge.mcp_server.announcements import Announcer
from toolgauge.mcp_server.state import State, owner_of_request
from toolgauge.service.permissions import Permissions
from toolgauge.settings import Settings

pytestmark = pytest.mark.anyio


def state(file: Path) -> State:
    return State(
        Settings({}),
        Permissions(),
        Announcer(),
        database_url=f"sqlite:///{file}",
        is_durable=False,
    )


async def test_nothing_is_opened_before_it_is_needed(tmp_path: Path) -> None:
    async with state(tmp_path / "toolgauge.db").running():
        assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240 - a look at one folder


async def test_a_database_that_cannot_be_opened_is_tried_again(tmp_path: Path) -> None:
    file = tmp_path / "toolgauge.db"
    file.mkdir()
    async with state(file).running() as opened:
        for _ in range(2):
            with pytest.raises(CannotStore):
                await opened.database()
        file.rmdir()
        database = await opened.database()
        assert await opened.database() is database


async def test_an_unforeseen_failure_is_told_and_the_server_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    opened = state(tmp_path / "toolgauge.db")
    works = opened._executor
    failures = [RuntimeError("no threads left")]

    def fails_once(database):
        if failures:
            raise failures.pop()
        return works(database)

    opened._executor = fails_once
    async with opened.running():
        with pytest.raises(RuntimeError, match="no threads left"):
            await opened.database()
        assert await opened.database()
    assert "is started again when needed" in caplog.text


def test_who_has_no_request_is_this_machines_user() -> None:
    assert owner_of_request(None) == "local"
