"""Jobs: pieces of background work, and the states they may go through.

::

    queued ──► running ──► completed                   (final)
      ▲  │        │  └───► failed, cancelled, truncated
      │  └──► cancelled              │
      └───────────┴── resumed ◄──────┘
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from toolgauge.errors import CannotMove, Superseded

JobState = Literal["queued", "running", "completed", "failed", "cancelled", "truncated"]

_NEXT: dict[JobState, frozenset[JobState]] = {
    "queued": frozenset({"running", "cancelled"}),
    "running": frozenset({"completed", "failed", "cancelled", "truncated", "queued"}),
    "failed": frozenset({"queued"}),
    "cancelled": frozenset({"queued"}),
    "truncated": frozenset({"queued"}),
    "completed": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of work; ``spec`` says what is to be done and ``result_ref`` where it ends up.

    ``is_submitted`` jobs wait in the queue and are taken over when the process that runs
    them dies; others wait for the person who started them. ``executor`` is the process
    that runs the job now. ``done`` and ``failed`` count steps out of ``total``, ``failed``
    being those of ``done`` that ended in an error. Lower ``priority`` goes first.
    """

    id: str
    kind: str
    spec: dict[str, Any]
    created_at: datetime
    owner: str = "local"
    state: JobState = "queued"
    is_submitted: bool = False
    priority: int = 0
    total: int = 0
    done: int = 0
    failed: int = 0
    attempts: int = 0
    error: str | None = None
    executor: str | None = None
    cancel_requested: bool = False
    result_ref: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens unless somebody resumes it."""
        return self.state not in ("queued", "running")


def moved(
    job: Job,
    to: JobState,
    *,
    now: datetime,
    executor: str | None = None,
    error: str | None = None,
) -> Job:
    """Return the job in its next state, stamped.

    ``executor`` is the process that asks; it takes a queued job, and only it may end a
    running one. Without it nobody's ownership is checked. Whoever sends a running job
    back to the queue must know that its process is gone.

    Raises:
        CannotMove: there is no way from the job's state to the wanted one.
        Superseded: the job is run by another process.
    """
    if to not in _NEXT[job.state]:
        raise CannotMove(job.id, job.state, to)
    if job.state == "running" and to != "queued" and executor not in (None, job.executor):
        raise Superseded(f"job {job.id!r}")
    if to == "queued":
        return replace(
            job,
            state=to,
            executor=None,
            error=None,
            cancel_requested=False,
            started_at=None,
            finished_at=None,
        )
    if to == "running":
        attempts = job.attempts + 1
        return replace(job, state=to, executor=executor, attempts=attempts, started_at=now)
    return replace(job, state=to, executor=None, error=error, finished_at=now)
