"""The event loop of a command."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable
from typing import TypeVar

Answer = TypeVar("Answer")

_OBJECTS_PER_LOOK = 10_000


def collect_garbage() -> None:
    """Turn the collector on, which ``main`` turned off for the imports.

    Everything that was imported until now lives to the end of the process: it is told not to
    look at that again. A trial makes hundreds of objects and hardly a cycle, so it looks rarely.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS_PER_LOOK)
    gc.enable()


def run_async(work: Callable[[], Awaitable[Answer]]) -> Answer:
    """Return what ``work`` comes to."""
    import anyio

    collect_garbage()
    answers: list[Answer] = []

    # neither argument nor answer of the task: Python writes both out, every case, to restore
    # the handler of Ctrl-C
    async def command() -> None:
        answers.append(await work())

    anyio.run(command)
    return answers[0]
