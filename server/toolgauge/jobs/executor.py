"""The port to whatever runs jobs: three functions, so that what stands behind can be replaced."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

RunJob = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class UnfinishedJob:
    """A job that ought to be waiting or running; ``executor`` is who runs it, None if nobody."""

    job_id: str
    user: str
    priority: int = 0
    executor: str | None = None


class JobExecutor(Protocol):
    """Runs jobs, each in one process at a time, a few at once for each user.

    What it runs is a callable that takes a job's id. It is called again, by this or by
    another process, when the process that ran it died: whatever it does must be resumable.
    """

    async def submit(self, job_id: str, *, user: str, priority: int = 0) -> None:
        """Put a job into its user's queue; one that waits or runs already stays as it is.

        Lower ``priority`` goes first.
        """
        ...

    async def cancel(self, job_id: str) -> None:
        """Take a waiting job out of the queue; one that runs has to stop by itself."""
        ...

    def serve(self) -> AbstractAsyncContextManager[None]:
        """Run jobs for as long as the block lasts; what is unfinished then waits for others."""
        ...
