"""The event loop of a command."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def run_async(work: Callable[[], Awaitable[Answer]]) -> Answer:
    """Return what ``work`` comes to.

    Everything that was imported until now lives to the end of the process: the collector,
    which ``main`` turned off for the imports, is told not to look at it again.
    """
    import anyio

    gc.freeze()
    gc.enable()
    return anyio.run(work)
