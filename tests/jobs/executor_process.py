"""A process that runs jobs which write down when they begin and end.

Arguments: URL, the process's name, the file for what is written, seconds that a job takes.
A job whose name ends with ``@`` and a number takes so many seconds instead.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import anyio

from toolgauge.jobs.dbos_executor import DbosExecutor


class Diary:
    """One line per event, appended by every process: ``time event job process``."""

    def __init__(self, file: Path, name: str) -> None:
        self._file = file
        self._name = name

    def note(self, event: str, job_id: str = "-") -> None:
        line = f"{time.monotonic():.4f} {event} {job_id} {self._name}\n"
        descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, line.encode())
        os.close(descriptor)


async def main(url: str, name: str, file: str, seconds: str) -> None:
    diary = Diary(Path(file), name)

    async def run_job(job_id: str) -> None:
        diary.note("begin", job_id)
        await anyio.sleep(float(job_id.partition("@")[2] or seconds))
        diary.note("end", job_id)

    executor = DbosExecutor(url, run_job, executor_id=name, jobs_here=4)
    async with executor.serve():
        diary.note("ready")
        # orders come over stdin: submit JOB USER, cancel JOB; their end ends the process
        async for line in anyio.wrap_file(sys.stdin):
            order, job_id, *user = line.split()
            if order == "submit":
                await executor.submit(job_id, user=user[0])
            else:
                await executor.cancel(job_id)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])
