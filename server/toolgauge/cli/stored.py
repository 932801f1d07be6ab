"""What commands share: options that several have, and one way to open the database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from toolgauge.settings import Settings
    from toolgauge.store.database import Database

Answer = TypeVar("Answer")
DatabaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="Where runs are kept (sqlite:///FILE).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Cursor = Annotated[str | None, typer.Option(help="Go on where a page ended (next_cursor).")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="How many to list.")]

Scorers = Annotated[
    list[str] | None,
    typer.Option(
        "--scorer",
        metavar="NAME=MODULE:CALLABLE",
        help="A scorer of your own; NAME alone for an installed one.",
    ),
]


def with_store(url: str | None, work: Callable[[Database, Settings], Awaitable[Answer]]) -> Answer:
    """Return what ``work`` makes of the open database."""
    from toolgauge.cli.loop import run_async
    from toolgauge.service import wiring
    from toolgauge.settings import Settings

    settings = Settings.from_env()

    async def run() -> Answer:
        async with wiring.open_store(settings, url) as database:
            return await work(database, settings)

    return run_async(run)
