"""Experiments: runs of one suite against one baseline, over time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from toolgauge.errors import NotStored, UsageError
from toolgauge.model.experiment import (
    BestConfig,
    Experiment,
    LinkedRun,
    TimelineEntry,
    baseline,
    best,
    timeline,
)
from toolgauge.model.run import Run
from toolgauge.model.suite import resolve
from toolgauge.service.beginnings import new_id, new_run
from toolgauge.store import experiments, runs
from toolgauge.store.database import Database
from toolgauge.store.runs import StoredRun


@dataclass(frozen=True, slots=True)
class Timeline:
    """An experiment with everything that is computed from its runs."""

    experiment: Experiment
    entries: tuple[TimelineEntry, ...]
    best: BestConfig | None


async def create(
    database: Database, name: str, suite_name: str, *, description: str = "", owner: str = "local"
) -> Experiment:
    """Return a new experiment.

    Raises:
        UsageError: there is one of this name already.
    """
    if await experiments.named(database, name, owner=owner) is not None:
        raise UsageError(f"there is an experiment {name!r} already. Choose another name")
    experiment = Experiment(
        id=new_id(),
        name=name,
        suite_name=suite_name,
        created_at=datetime.now(UTC),
        description=description,
        owner=owner,
    )
    await experiments.create(database, experiment)
    return experiment


async def find(database: Database, id_or_name: str, *, owner: str = "local") -> Experiment:
    """Return the experiment of this id, else of this name.

    Raises:
        NotStored: there is neither.
    """
    try:
        return await experiments.get(database, id_or_name)
    except NotStored:
        found = await experiments.named(database, id_or_name, owner=owner)
        if found is None:
            raise
        return found


async def find_or_create(
    database: Database, name: str, suite_name: str, *, owner: str = "local"
) -> Experiment:
    """Return the experiment of this id or name; a new one of this name where there is none."""
    try:
        return await find(database, name, owner=owner)
    except NotStored:
        return await create(database, name, suite_name, owner=owner)


async def show(database: Database, experiment: Experiment) -> Timeline:
    """Return the timeline of an experiment, with its best configuration so far."""
    linked = await experiments.linked_runs(database, experiment.id)
    return Timeline(experiment, timeline(experiment, linked), best(experiment, linked))


async def delta_of(database: Database, stored: StoredRun) -> float | None:
    """Return a run's score minus its experiment's baseline; None where it has neither."""
    if stored.experiment_id is None:
        return None
    shown = await show(database, await experiments.get(database, stored.experiment_id))
    return next((entry.delta for entry in shown.entries if entry.run_id == stored.run.id), None)


async def start_best(database: Database, experiment: Experiment) -> str:
    """Return the id of a new stored run of the best configuration, with nothing asked yet.

    Target, parameters, prompt, options and suite are exactly those of the best run; the owner
    is the experiment's.

    Raises:
        UsageError: no run of the experiment has a score yet.
    """
    found = (await show(database, experiment)).best
    document = await runs.suite_of(database, found.run_id) if found else None
    if found is None or document is None:
        raise UsageError(
            f"experiment {experiment.name!r} has no scored run yet. Make one: toolgauge run "
            f"SUITE --experiment {experiment.name!r}, or start_run with experiment_id"
        )
    suite = resolve(document, tool_choice=found.options.tool_choice)
    run = new_run(suite, (found.target,), found.options)
    stored = StoredRun(run, owner=experiment.owner, experiment_id=experiment.id)
    await runs.create(database, stored, suite=document)
    return run.id


async def baseline_of(database: Database, experiment: Experiment) -> Run:
    """Return the run that others are compared with.

    Raises:
        UsageError: the experiment has no completed run yet.
    """
    linked: tuple[LinkedRun, ...] = await experiments.linked_runs(database, experiment.id)
    found = baseline(experiment, linked)
    if found is None:
        raise UsageError(f"experiment {experiment.name!r} has no completed run yet")
    return found
