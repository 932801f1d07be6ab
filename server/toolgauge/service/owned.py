"""Stored things as their owner sees them: what belongs to others is not there."""

from __future__ import annotations

from toolgauge.errors import NotStored
from toolgauge.model.experiment import Experiment
from toolgauge.service.experiments import baseline_of
from toolgauge.store import experiments, runs
from toolgauge.store.database import Database
from toolgauge.store.runs import RunFilter, StoredRun

_NAMED_IN_ERRORS = 5


async def owned_run(
    database: Database, run_id: str, owner: str, *, with_cases: bool = True
) -> StoredRun:
    """Return a run of this owner, as ``runs.get`` does.

    Raises:
        NotStored: there is none of this id that belongs to the owner.
    """
    try:
        stored = await runs.get(database, run_id, with_cases=with_cases)
    except NotStored:
        stored = None
    if stored is None or stored.owner != owner:
        newest = await runs.page(database, RunFilter(owner=owner), limit=_NAMED_IN_ERRORS)
        raise NotStored("run", run_id, tuple(one.run.id for one in newest.items))
    return stored


async def owned_experiment(database: Database, id_or_name: str, owner: str) -> Experiment:
    """Return an experiment of this owner, by id or name.

    Raises:
        NotStored: there is neither.
    """
    try:
        found = await experiments.get(database, id_or_name)
    except NotStored:
        found = None
    if found is None or found.owner != owner:
        # a name may look like the id of somebody else's
        found = await experiments.named(database, id_or_name, owner=owner)
    if found is None:
        newest = await experiments.page(database, owner=owner, limit=_NAMED_IN_ERRORS)
        raise NotStored("experiment", id_or_name, tuple(one.name for one in newest.items))
    return found


async def baseline_run_id(database: Database, run_or_experiment: str, owner: str) -> str:
    """Return the id of a run, or of the baseline of an experiment (by id or name).

    Raises:
        NotStored: the owner has neither.
        UsageError: the experiment has no completed run yet.
    """
    try:
        return (await owned_run(database, run_or_experiment, owner)).run.id
    except NotStored:
        try:
            experiment = await owned_experiment(database, run_or_experiment, owner)
        except NotStored:
            experiment = None
        if experiment is None:
            raise
    return (await baseline_of(database, experiment)).id
