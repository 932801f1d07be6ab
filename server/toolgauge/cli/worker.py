"""``toolgauge worker``: run submitted jobs until told to stop."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.stored import DatabaseUrl, with_store

if TYPE_CHECKING:
    from toolgauge.settings import Settings
    from toolgauge.store.database import Database


def worker(
    database: DatabaseUrl = None,
    jobs_per_user: Annotated[
        int, typer.Option(min=1, help="How many jobs of one user run at once, in all processes.")
    ] = 2,
) -> int:
    """Run jobs that servers on the same database were given, until interrupted.

    Several workers share the work, and finish the jobs of one that dies. What runs when a
    worker is told to stop goes back to the queue.
    """

    async def serve(store: Database, settings: Settings) -> None:
        import anyio

        from toolgauge.cli.output import print_note
        from toolgauge.service.jobs import open_jobs

        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async with open_jobs(store, settings, url=database, jobs_per_user=jobs_per_user):
                print_note(f"waiting for jobs in {store.place}; stop with Ctrl+C")
                async for _ in signals:
                    break

    with_store(database, serve)
    return 0
