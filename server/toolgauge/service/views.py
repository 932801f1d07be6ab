"""Stored things as JSON: one shape for every door."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter

from toolgauge.model import run_json
from toolgauge.model.experiment import Experiment, TimelineEntry
from toolgauge.model.run import Run
from toolgauge.report.failures import FailingCase, FailingCases
from toolgauge.service import experiments
from toolgauge.store.database import Database
from toolgauge.store.failed_cases import failed_cases
from toolgauge.store.runs import StoredRun
from toolgauge.store.suites import SavedSuite

_json = TypeAdapter(Any)


def run_view(stored: StoredRun, *, failing: Iterable[FailingCase] | None = None) -> dict[str, Any]:
    """Return a stored run as JSON: the run, what the store knows, and failing cases if given."""
    view = run_json.to_json(stored.run) | {
        "kind": stored.kind,
        "owner": stored.owner,
        "experiment_id": stored.experiment_id,
        "source_run_id": stored.source_run_id,
        "counts": asdict(stored.counts),
    }
    if failing is not None:
        view["failing"] = [asdict(case) for case in failing]
    return view


def suite_view(saved: SavedSuite) -> dict[str, Any]:
    """Return a saved version of a suite as JSON."""
    return {"id": saved.name} | _plain(saved)


def experiment_view(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment as JSON."""
    return _plain(experiment)


def timeline_view(shown: experiments.Timeline) -> dict[str, Any]:
    """Return an experiment with its timeline and best configuration as JSON."""
    entries: tuple[TimelineEntry, ...] = shown.entries
    return experiment_view(shown.experiment) | {
        "timeline": [_plain(entry) for entry in entries],
        "best": None if shown.best is None else _plain(shown.best),
    }


async def failing_of(database: Database, run: Run, *, most: int) -> tuple[FailingCase, ...]:
    """Return the first failing cases of a stored run, at most so many."""
    failed = await failed_cases(database, run.id, most=most) if most else []
    collected = FailingCases()
    for one in failed:
        collected.add(one.first)
    counts = {(one.first.key.target, one.first.key.case_id): one for one in failed}
    return tuple(
        replace(
            found,
            failed=counts[found.target, found.case_id].failed,
            runs=counts[found.target, found.case_id].scored,
        )
        for found in collected.found(run)
    )


def _plain(value: Any) -> dict[str, Any]:
    shown: dict[str, Any] = _json.dump_python(asdict(value), mode="json")
    return shown
