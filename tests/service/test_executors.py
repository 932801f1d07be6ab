from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from builders import WEATHER_TOOL
from provider import Provider, calling
from toolgauge.model.run import RunOptions
from toolgauge.model.suite import SuiteDocument, resolve
from toolgauge.model.target import Target
from toolgauge.service.beginnings import new_run
from toolgauge.service.executors import RUNS_PER_OWNER, in_process
from toolgauge.service.runs import Asking
from toolgauge.settings import Settings
from toolgauge.store import runs
from toolgauge.store.database import Database, open_database
from toolgauge.store.runs import StoredRun

pytestmark = pytest.mark.anyio
CASE = {"id": "paris", "prompt": "Weather in Paris?", "expected_tool": "get_weather"}
DOCUMENT = SuiteDocument.model_validate(
    {"name": "weather", "tools": [WEATHER_TOOL], "test_cases": [CASE]}
)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with open_database(f"sqlite:///{tmp_path}/toolgauge.db") as opened:
        yield opened


async def stored(database: Database, target: Target) -> str:
    run = new_run(resolve(DOCUMENT), (target,), RunOptions())
    await runs.create(database, StoredRun(run), suite=DOCUMENT)
    return run.id


async def status(database: Database, run_id: str) -> str:
    return (await runs.get(database, run_id)).run.status


async def nobody(_: Any) -> None:
    """Hear nothing."""


async def test_owners_have_so_many_runs_at_once_and_the_next_waits(database: Database) -> None:
    may_answer, asked = threading.Event(), threading.Semaphore(0)

    def answer(_: dict[str, Any]) -> tuple[int, Any]:
        asked.release()
        may_answer.wait(20)
        return calling("get_weather", city="Paris")

    with Provider(answer) as provider:
        target = Target("t", "openai/test", api_base=provider.base)
        ids = [await stored(database, target) for _ in range(RUNS_PER_OWNER + 1)]
        settings = Settings({"OPENAI_API_KEY": "sk-test"})
        async with in_process(database, settings, nobody) as executor:
            for run_id in ids:
                assert await executor.submit(run_id, owner="ann", asking=Asking()) == run_id
            for _ in range(RUNS_PER_OWNER):
                assert await anyio.to_thread.run_sync(asked.acquire, True, 20)
            waiting_ones = len(provider.seen)
            assert await executor.cancel(ids[-1])
            assert await status(database, ids[-1]) == "cancelled"
            may_answer.set()
    assert waiting_ones == RUNS_PER_OWNER
    assert len(provider.seen) == RUNS_PER_OWNER


async def test_what_is_unknown_here_cannot_be_cancelled_here(database: Database) -> None:
    async with in_process(database, Settings({}), nobody) as executor:
        assert not await executor.cancel("zz")


async def test_a_run_that_cannot_be_asked_is_stored_as_failed(database: Database) -> None:
    run_id = await stored(database, Target("t", "replay/nowhere.jsonl"))
    async with in_process(database, Settings({}), nobody) as executor:
        await executor.submit(run_id, owner="ann", asking=Asking())
        with anyio.fail_after(20):
            while await status(database, run_id) == "running":
                await anyio.lowlevel.checkpoint()
    assert await status(database, run_id) == "failed"


async def test_a_run_that_is_stopped_with_its_server_does_not_say_it_runs(
    database: Database,
) -> None:
    never, asked = threading.Event(), threading.Event()

    def answer(_: dict[str, Any]) -> tuple[int, Any]:
        asked.set()
        never.wait(20)
        return calling("get_weather", city="Paris")

    with Provider(answer) as provider:
        run_id = await stored(database, Target("t", "openai/test", api_base=provider.base))
        settings = Settings({"OPENAI_API_KEY": "sk-test"})
        async with in_process(database, settings, nobody) as executor:
            await executor.submit(run_id, owner="ann", asking=Asking())
            await anyio.to_thread.run_sync(asked.wait, 20)
        never.set()
    assert await status(database, run_id) == "cancelled"
