"""What a self-test of a gate measured: false alarms, and drops that were found."""

from __future__ import annotations

from dataclasses import dataclass

from toolgauge.model.interval import Interval


@dataclass(frozen=True, slots=True)
class Tried:
    """Many gates with one injected ``drop`` of the pass rate (0: nothing changed).

    ``extra_repeats`` counts the head repeats that all of them bought beyond the first
    batch. ``interval`` is Wilson's 95 % interval of ``fail_rate``: the gates are a sample.
    """

    drop: float
    gates: int
    failed: int
    warned: int
    extra_repeats: int
    interval: Interval | None

    @property
    def fail_rate(self) -> float:
        """The false-alarm rate where the drop is 0, else the power; in [0, 1]."""
        return self.failed / self.gates


@dataclass(frozen=True, slots=True)
class SelfTest:
    """How a policy does on recorded repeats of ``cases``.

    ``left_out`` cases were recorded once and cannot be split. ``head_runs`` and
    ``baseline_runs`` are the mean runs per case of the pretend sides.
    """

    cases: int
    left_out: int
    head_runs: float
    baseline_runs: float
    unchanged: Tried
    dropped: tuple[Tried, ...]
