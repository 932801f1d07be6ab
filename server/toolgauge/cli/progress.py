"""Live progress on stderr: bars in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from toolgauge.cli.output import console
from toolgauge.model import events
from toolgauge.model.trial import Trial
from toolgauge.report.escape import one_line

_FEW = 100


class _Shown(Protocol):
    def init(self, targets: tuple[str, ...], total: int) -> None: ...
    def advance(self, target: str, current: int, total: int, note: str) -> None: ...


class Watcher:
    """Listens to the events of runs and shows how far they are."""

    def __init__(self, shown: _Shown | None) -> None:
        self._shown = shown
        self._cost: dict[str, float] = {}
        self._errors: dict[str, int] = {}
        self._reached = (0, 0)

    async def on_event(self, event: events.Event) -> None:
        """Take in one event; usable as the engine's ``emit``."""
        if self._shown is None:
            return
        if isinstance(event, events.ToolEvalInit):
            self._cost.clear()
            self._errors.clear()
            self._shown.init(event.targets, event.total_cases)
        elif isinstance(event, events.ToolEvalProgress):
            self._reached = (event.current, event.total)
        elif isinstance(event, events.ToolEvalResult):
            self._count(event.trial)
            target = event.trial.key.target
            self._shown.advance(target, *self._reached, self._note(target))

    def _count(self, trial: Trial) -> None:
        target = trial.key.target
        self._cost[target] = self._cost.get(target, 0.0) + (trial.usage.cost_usd or 0.0)
        if trial.error:
            self._errors[target] = self._errors.get(target, 0) + 1

    def _note(self, target: str) -> str:
        errors = self._errors.get(target, 0)
        return f"${self._cost.get(target, 0.0):.4f}" + (f", {errors} errors" if errors else "")


class _Bars:
    """Bars in a terminal, one per target."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bars: dict[str, TaskID] = {}

    def init(self, targets: tuple[str, ...], total: int) -> None:  # noqa: ARG002 - per target below
        for bar in self._bars.values():
            self._progress.remove_task(bar)
        self._bars = {
            target: self._progress.add_task(one_line(target, 40), total=None, note="")
            for target in targets
        }

    def advance(self, target: str, current: int, total: int, note: str) -> None:
        self._progress.update(self._bars[target], completed=current, total=total, note=note)


class _Lines:
    """A line per tenth of a target's trials; per quarter where they are few."""

    def init(self, targets: tuple[str, ...], total: int) -> None:
        names = ", ".join(one_line(target, 60) for target in targets)
        sys.stderr.write(f"asking {names}: {total} trials\n")

    def advance(self, target: str, current: int, total: int, note: str) -> None:
        steps = 4 if total < _FEW else 10
        if current * steps // total > (current - 1) * steps // total:
            sys.stderr.write(f"{one_line(target, 60)}: {current}/{total} ({note})\n")
            sys.stderr.flush()


@contextmanager
def watching(*, quiet: bool = False) -> Iterator[Watcher]:
    """Give a watcher that shows progress on stderr while the block lasts."""
    screen = console(stderr=True)
    if quiet:
        yield Watcher(None)
    elif not screen.is_terminal:
        yield Watcher(_Lines())
    else:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total}"),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=screen, transient=True) as progress:
            yield Watcher(_Bars(progress))
