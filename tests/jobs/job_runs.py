"""Runs as jobs of real worker processes, a model that counts, and the store seen from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
from workers import eventually

from builders import WEATHER_TOOL
from provider import Answer, Provider, calling
from toolgauge.model.job import Job
from toolgauge.model.run import RunOptions
from toolgauge.model.suite import SuiteDocument, resolve
from toolgauge.model.target import Target
from toolgauge.service.beginnings import new_run
from toolgauge.service.jobs import submit_run
from toolgauge.store import jobs, runs, trials
from toolgauge.store.database import Database, open_database
from toolgauge.store.runs import StoredRun

CASES = 60
CONCURRENCY = 4
SERVER = Path(__file__).parents[2] / "server"
WORKER = "import sys; from toolgauge.cli.worker import worker; worker(database=sys.argv[1])"


class Counting:
    """Answers after ``delay_s``, and counts how often each prompt was answered in full."""

    def __init__(self, delay_s: float) -> None:
        self.asked: Counter[str] = Counter()
        self.delay_s = delay_s

    def __call__(self, request: dict[str, Any]) -> tuple[int, Any]:
        time.sleep(self.delay_s)  # the model thinks; not how the test waits for anything
        self.asked[request["messages"][-1]["content"]] += 1
        return calling("get_weather", city="Paris")

    def await_calls(self, count: int) -> None:
        eventually(lambda: self.asked.total() >= count, within_s=60)


class Quiet:
    """An executor that is told nothing: workers have to find what is submitted by themselves.

    They look when they start, and every few seconds.
    """

    async def submit(self, job_id: str, *, user: str, priority: int = 0) -> None:
        """Do nothing."""

    async def cancel(self, job_id: str) -> None:
        """Do nothing."""

    def serve(self) -> Any:
        raise AssertionError("nothing is served here: the workers serve")


class Stored:
    """What the store says, asked from outside of every event loop."""

    def __init__(self, url: str) -> None:
        self._url = url

    def ask(self, question: Callable[[Database], Awaitable[Any]]) -> Any:
        async def asked() -> Any:
            async with open_database(self._url) as opened:
                return await question(opened)

        return anyio.run(asked)

    def job(self, job_id: str) -> Job:
        return self.ask(lambda opened: jobs.get(opened, job_id))

    def await_job(self, job_id: str, is_so: Callable[[Job], bool], *, within_s: float) -> Job:
        def look() -> Job | None:
            job = self.job(job_id)
            return job if is_so(job) else None

        return eventually(look, within_s=within_s, every_s=0.1)

    def prompts(self, run_id: str) -> set[str]:
        keys = self.ask(lambda opened: trials.finished_keys(opened, run_id))
        return {f"Weather in city {key.case_id[1:]}?" for key in keys}

    def status(self, run_id: str) -> str:
        return self.ask(lambda opened: runs.get(opened, run_id)).run.status


async def store_run(
    opened: Database, target: Target, *, cases: int = CASES, owner: str = "ann"
) -> str:
    document = SuiteDocument.model_validate(
        {
            "name": "s",
            "tools": [WEATHER_TOOL],
            "test_cases": [
                {"id": f"c{n}", "prompt": f"Weather in city {n}?", "expected_tool": "get_weather"}
                for n in range(cases)
            ],
        }
    )
    run = new_run(resolve(document), (target,), RunOptions(concurrency=CONCURRENCY))
    await runs.create(opened, StoredRun(run, owner=owner), suite=document)
    return run.id


async def submitted(opened: Database, target: Target, **how: Any) -> str:
    run_id = await store_run(opened, target, **how)
    return (await submit_run(opened, Quiet(), run_id)).id


@contextmanager
def worker(url: str) -> Iterator[subprocess.Popen[str]]:
    """Start a real worker, and give it once it waits for jobs."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", WORKER, url],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(SERVER)},
    )
    try:
        assert process.stderr is not None
        assert "waiting for jobs" in process.stderr.readline()
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def provider(answer: Answer) -> Iterator[Target]:
    with Provider(answer) as served:
        yield Target("openai/stub", "openai/stub", api_base=served.base)
