"""Comparing what was measured already: files, stored runs, experiments."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from toolgauge import __version__
from toolgauge.compare.gate_report import About, report_of
from toolgauge.compare.looks import first_look
from toolgauge.compare.pairing import pair_cases, pair_sides
from toolgauge.compare.screening import confirm, screen
from toolgauge.errors import UsageError
from toolgauge.model.comparison import Comparison, Measurement
from toolgauge.model.policy import Policy
from toolgauge.model.report import Report
from toolgauge.service import wiring
from toolgauge.service.measurements import measure_file, measure_stored
from toolgauge.settings import Settings
from toolgauge.store.database import Database


@dataclass(frozen=True, slots=True)
class Compared:
    """Two measured sides: case by case, and with the statistics of a gate that decides nothing."""

    comparisons: tuple[Comparison, ...]
    report: Report


async def compare(
    baseline: str, head: str, settings: Settings, *, database: str | None = None
) -> Compared:
    """Return how two sides compare, each a file, a run's id or an experiment.

    The store is opened only where a side is no file.

    Raises:
        UsageError: a side is none of these, or they have no suite and target in common.
    """
    if _is_file(baseline) and _is_file(head):
        return compare_measured(await measure(head), await measure(baseline))
    async with wiring.open_store(settings, database) as store:
        return compare_measured(await measure(head, store), await measure(baseline, store))


def compare_measured(heads: Sequence[Measurement], baselines: Sequence[Measurement]) -> Compared:
    """Return how measurements compare that cannot be asked again.

    Raises:
        UsageError: they have no suite and target in common.
    """
    parts, removed = pair_sides(heads, baselines, can_repeat=False)
    comparisons = tuple(
        Comparison(
            part.baseline.side,
            part.head.side,
            pair_cases(part.baseline.tallies, part.head.tallies),
        )
        for part in parts
        if part.baseline
    )
    if not comparisons:
        raise UsageError(
            f"no suite and target in common: {_named(baselines)} against {_named(heads)}"
        )
    look = first_look(parts, Policy(policy="report-only"), seeded=random.Random)
    about = About(__version__, datetime.now(UTC), removed_sides=removed)
    return Compared(comparisons, report_of(look, confirm(screen(look), {}), about))


async def measure(wanted: str, store: Database | None = None) -> tuple[Measurement, ...]:
    """Return what a file, a stored run or an experiment's baseline measured.

    Raises:
        UsageError: it is none of these.
    """
    if _is_file(wanted) or store is None:
        return measure_file(Path(wanted))
    if Path(wanted).suffix == ".json":
        raise UsageError(
            f"{wanted}: no such file. Make a baseline: toolgauge baseline write {wanted} --run RUN"
        )
    return await measure_stored(store, wanted)


def _is_file(wanted: str) -> bool:
    return Path(wanted).is_file()


def _named(measured: Sequence[Measurement]) -> str:
    return ", ".join(f"{one.side.suite} on {one.side.target}" for one in measured) or "nothing"
