"""The toolset ``experiments``: runs of one suite against one baseline, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from toolgauge.errors import NotStored
from toolgauge.mcp_server import results
from toolgauge.mcp_server.announcements import run_uri
from toolgauge.mcp_server.state import Ctx, owner_of, state_of
from toolgauge.mcp_server.toolbox import ASK, READ, SET, Cursor, Limit, ToolEntry
from toolgauge.mcp_server.tools_suites import place_of

if TYPE_CHECKING:
    from toolgauge.model.experiment import BestConfig, Experiment, TimelineEntry

ExperimentId = Annotated[str, Field(description="The id or name of an experiment.")]


async def list_experiments(
    ctx: Ctx, cursor: Cursor = None, limit: Limit = 20
) -> results.ExperimentPage:
    """List experiments, newest first."""
    from toolgauge.store import experiments

    database, owner = await state_of(ctx).database(), owner_of(ctx)
    page = await experiments.page(database, owner=owner, cursor=cursor, limit=limit)
    return results.ExperimentPage(
        items=[experiment_item(one) for one in page.items],
        next_cursor=page.next_cursor,
        total=await experiments.count(database, owner=owner),
    )


async def get_experiment(
    ctx: Ctx, experiment_id: ExperimentId, cursor: Cursor = None, limit: Limit = 20
) -> results.ExperimentView:
    """Show an experiment: its runs, newest first, with deltas to the baseline, and the best."""
    from toolgauge.service import experiments, owned

    database = await state_of(ctx).database()
    found = await owned.owned_experiment(database, experiment_id, owner_of(ctx))
    shown = await experiments.show(database, found)
    entries = list(reversed(shown.entries))
    start = place_of(cursor)
    end = start + limit
    return results.ExperimentView(
        experiment=experiment_item(found),
        timeline=[_timeline_item(one) for one in entries[start:end]],
        best=None if shown.best is None else _best_item(shown.best),
        next_cursor=f"at-{end}" if end < len(entries) else None,
        total=len(entries),
        resource=experiment_uri(found.id),
    )


async def save_experiment(
    ctx: Ctx,
    name: Annotated[str, Field(min_length=1, description="The name; unique among yours.")],
    suite_id: Annotated[
        str | None, Field(description="The suite of its runs; needed for a new one.")
    ] = None,
    description: Annotated[str | None, Field(description="What it is about.")] = None,
) -> results.ExperimentShown:
    """Make an experiment, or change the description of the one of this name."""
    from toolgauge.service import experiments, owned
    from toolgauge.store import experiments as stored
    from toolgauge.store import suites

    database, owner = await state_of(ctx).database(), owner_of(ctx)
    try:
        found = await owned.owned_experiment(database, name, owner)
    except NotStored:
        await suites.get(database, suite_id or "", owner=owner)
        found = await experiments.create(
            database, name, suite_id or "", description=description or "", owner=owner
        )
    else:
        found = await stored.edit(database, found.id, description=description)
    return _shown(found)


async def pin_baseline(
    ctx: Ctx,
    experiment_id: ExperimentId,
    run_id: Annotated[
        str | None, Field(description="Without it the first completed run is the baseline again.")
    ] = None,
) -> results.ExperimentShown:
    """Pin a run as the baseline that the experiment's other runs are compared with."""
    from toolgauge.service import owned
    from toolgauge.store import experiments

    database, owner = await state_of(ctx).database(), owner_of(ctx)
    found = await owned.owned_experiment(database, experiment_id, owner)
    if run_id is not None:
        await owned.owned_run(database, run_id, owner)
    return _shown(await experiments.pin(database, found.id, run_id))


async def run_best(ctx: Ctx, experiment_id: ExperimentId) -> results.RunStarted:
    """Run the best configuration so far exactly again, linked to the experiment. Costs money."""
    from toolgauge.service import launches, owned

    opened, owner = await state_of(ctx).opened(), owner_of(ctx)
    found = await owned.owned_experiment(opened.database, experiment_id, owner)
    launched = await launches.launch_best(opened.database, found.id, owner, opened.executor)
    return results.RunStarted(
        run_id=launched.run_id,
        job_id=launched.job_id,
        status="running",
        estimates=[],
        warnings=[],
        next_step="Call get_run with this run_id and wait_s.",
        resource=run_uri(launched.run_id),
    )


ENTRIES = (
    ToolEntry(list_experiments, "List experiments", READ),
    ToolEntry(get_experiment, "Show an experiment", READ),
    ToolEntry(save_experiment, "Save an experiment", SET),
    ToolEntry(pin_baseline, "Pin a baseline", SET),
    ToolEntry(run_best, "Run the best again", ASK),
)


def experiment_item(experiment: Experiment) -> results.ExperimentItem:
    """Return an experiment as a list shows it."""
    return results.ExperimentItem(
        experiment_id=experiment.id,
        name=experiment.name,
        suite_id=experiment.suite_name,
        description=experiment.description,
        created_at=experiment.created_at,
        baseline_run_id=experiment.baseline_run_id,
    )


def experiment_uri(experiment_id: str) -> str:
    """Return the address of an experiment's resource."""
    return f"toolgauge://experiments/{experiment_id}"


def _shown(experiment: Experiment) -> results.ExperimentShown:
    item = experiment_item(experiment)
    return results.ExperimentShown(experiment=item, resource=experiment_uri(experiment.id))


def _timeline_item(entry: TimelineEntry) -> results.TimelineItem:
    return results.TimelineItem(
        run_id=entry.run_id,
        status=entry.status,
        at=entry.at,
        score=entry.score,
        delta=entry.delta,
        is_baseline=entry.is_baseline,
        is_comparable=entry.is_comparable,
        configuration=entry.configuration,
    )


def _best_item(best: BestConfig) -> results.BestItem:
    return results.BestItem(
        run_id=best.run_id,
        score=best.score,
        target=best.target.name,
        configuration=best.configuration,
    )
