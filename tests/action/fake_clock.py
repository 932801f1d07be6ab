"""A clock whose time passes by sleeping alone."""

from __future__ import annotations


class FakeClock:
    """``slept`` are the pauses, in seconds."""

    def __init__(self) -> None:
        self.time = 1_000_000.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
