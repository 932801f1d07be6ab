"""Stored things as their owner sees them: what belongs to others is not there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from toolgauge.errors import NotStored
from toolgauge.model.experiment import Experiment
from toolgauge.service.experiments import baseline_of, find
from toolgauge.store import experiments, runs
from toolgauge.store.database import Database
from toolgauge.store.pages import Page
from toolgauge.store.runs import RunFilter, StoredRun

_NAMED_IN_ERRORS = 5
_MOST_COUNTED = 2000
_AT_A_TIME = 500


async def owned_run(database: Database, run_id: str, owner: str) -> StoredRun:
    """Return a run of this owner.

    Raises:
        NotStored: there is none of this id that belongs to the owner.
    """
    try:
        stored = await runs.get(database, run_id)
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
        found = await find(database, id_or_name, owner=owner)
    except NotStored:
        found = None
    if found is None or found.owner != owner:
        newest = await experiments.page(database, owner=owner, limit=_NAMED_IN_ERRORS)
        raise NotStored("experiment", id_or_name, tuple(one.name for one in newest.items))
    return found


async def total(page: Callable[..., Awaitable[Page[Any]]], *args: Any, **kwargs: Any) -> int | None:
    """Return how many entries a list has; None where there are more than 2,000."""
    counted, cursor = 0, None
    while counted <= _MOST_COUNTED:
        some = await page(*args, **kwargs, cursor=cursor, limit=_AT_A_TIME)
        counted += len(some.items)
        cursor = some.next_cursor
        if cursor is None:
            return counted
    return None


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
