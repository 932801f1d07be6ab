"""The toolset ``runs``: start, watch, read, compare and delete runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import anyio
from pydantic import Field

from toolgauge.errors import UsageError
from toolgauge.mcp_server import results, run_items
from toolgauge.mcp_server.announcements import run_uri
from toolgauge.mcp_server.state import Ctx, owner_of, state_of
from toolgauge.mcp_server.toolbox import (
    ADD,
    ASK,
    DELETE,
    READ,
    SET,
    Cursor,
    Detail,
    Limit,
    ToolEntry,
)

if TYPE_CHECKING:
    from toolgauge.service.launches import Launched, LaunchRequest
    from toolgauge.service.runs import Prepared
    from toolgauge.store.database import Database
    from toolgauge.store.runs import StoredRun

RunId = Annotated[str, Field(description="The id of a run.")]
Temperature = Annotated[
    float | None, Field(ge=0, description="In place of the suite's; a target's own wins.")
]
# marked as ours: typing takes unions of the same words for one, in the order it saw them first
_Choice = Annotated[Literal["required", "auto", "none"], "of start_run"]
ToolChoice = Annotated[
    _Choice | None, Field(description="Whether a model must call; the suite's without it.")
]
_POLL_S = 0.5


async def list_runs(
    ctx: Ctx,
    suite_id: Annotated[str | None, Field(description="Only runs of this suite.")] = None,
    status: Annotated[results.Status | None, Field(description="Only runs in this state.")] = None,
    experiment_id: Annotated[
        str | None, Field(description="Only runs of this experiment, by id or name.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> results.RunPage:
    """List runs, newest first, with their scores."""
    from toolgauge.service import owned
    from toolgauge.store import runs

    database, owner = await state_of(ctx).database(), owner_of(ctx)
    if experiment_id is not None:
        experiment_id = (await owned.owned_experiment(database, experiment_id, owner)).id
    wanted = runs.RunFilter(owner, suite_id, status, experiment_id)
    page = await runs.page(database, wanted, cursor=cursor, limit=limit)
    return results.RunPage(
        items=[run_items.run_item(one) for one in page.items],
        next_cursor=page.next_cursor,
        total=await runs.count(database, wanted),
    )


async def get_run(
    ctx: Ctx,
    run_id: RunId,
    wait_s: Annotated[
        float, Field(ge=0, le=50, description="Wait up to so many seconds for the run to end.")
    ] = 0,
    detail: Detail = "concise",
    failures: Annotated[int, Field(ge=0, le=50, description="How many failing cases.")] = 10,
) -> results.RunView:
    """Show how a run is going or went: status, a summary per target, the first failing cases.

    ``full`` adds every score. Call it with wait_s after start_run, again while it is running.
    """
    from toolgauge.service import owned

    state = state_of(ctx)
    database, seen = await state.database(), state.seen_runs
    stored = await owned.owned_run(database, run_id, owner_of(ctx), with_cases=False)
    planned = await seen.planned(database, stored.run)
    if wait_s and stored.run.status == "running":
        stored = await _waited(ctx, stored, wait_s=wait_s, planned=planned)
    failing = await seen.failing(database, stored, most=failures)
    return results.RunView(
        run=run_items.run_item(stored),
        planned_trials=planned,
        summaries=[run_items.target_item(s, full=detail == "full") for s in stored.run.summaries],
        failing=list(failing),
        next_step=run_items.next_step(stored.run),
        resource=run_uri(run_id),
    )


async def list_results(
    ctx: Ctx,
    run_id: RunId,
    outcome: Annotated[
        results.Outcome | None, Field(description="Only trials that ended so.")
    ] = None,
    case_id: Annotated[str | None, Field(description="Only trials of this case.")] = None,
    target: Annotated[str | None, Field(description="Only trials of this target.")] = None,
    detail: Detail = "concise",
    cursor: Cursor = None,
    limit: Limit = 20,
) -> results.TrialPage:
    """List the trials of a run by target, case and repeat. ``full`` adds why each scored so."""
    from toolgauge.service import owned
    from toolgauge.store import trials

    database, owner = await state_of(ctx).database(), owner_of(ctx)
    wanted = trials.TrialFilter(target, case_id, None, outcome)
    page, total = await trials.counted_page(
        database, run_id, wanted, owner=owner, cursor=cursor, limit=limit
    )
    if not page.items:
        # perhaps because there is no such run, which is then told
        await owned.owned_run(database, run_id, owner, with_cases=False)
    return results.TrialPage(
        items=[run_items.trial_item(one.trial, full=detail == "full") for one in page.items],
        next_cursor=page.next_cursor,
        total=total,
        resource=run_uri(run_id),
    )


async def get_result(
    ctx: Ctx,
    run_id: RunId,
    case_id: Annotated[str, Field(description="The id of a case of the run.")],
    target: Annotated[str | None, Field(description="The run's first without it.")] = None,
    repeat: Annotated[int, Field(ge=0, description="Which attempt; 0 is the first.")] = 0,
    detail: Detail = "concise",
) -> results.TrialView:
    """Show one trial: prompt, expected against actual calls, every score's reason.

    ``full`` adds the transcript.
    """
    from toolgauge.model.trial import TrialKey
    from toolgauge.service import owned
    from toolgauge.store import trials

    database = await state_of(ctx).database()
    run = (await owned.owned_run(database, run_id, owner_of(ctx))).run
    key = TrialKey(case_id, target or run.targets[0].name, repeat)
    trial = (await trials.get(database, run_id, key)).trial
    return run_items.trial_view(run, trial, full=detail == "full")


async def compare_runs(
    ctx: Ctx,
    baseline: Annotated[str, Field(description="A run, or an experiment whose baseline is meant.")],
    candidate: Annotated[str, Field(description="The run that may be worse or better.")],
    detail: Detail = "concise",
) -> results.Compared:
    """Say whether a run is worse than another, with stated error rates: the gate's report.

    Only cases that expect the same are compared. ``full`` adds the report as Markdown.
    """
    from toolgauge.service import run_reports

    database = await state_of(ctx).database()
    report = await run_reports.compare_stored(database, baseline, candidate, owner_of(ctx))
    return run_items.compared(report, candidate, full=detail == "full")


async def start_run(
    ctx: Ctx,
    suite_id: Annotated[str, Field(description="The name of a saved suite.")],
    targets: Annotated[
        list[str] | None,
        Field(description="As list_models shows them, or provider/model; the suite's without it."),
    ] = None,
    repeats: Annotated[
        int | None, Field(ge=1, le=100, description="How often each case is asked.")
    ] = None,
    temperature: Temperature = None,
    tool_choice: ToolChoice = None,
    # plain str: the SDK would read JSON text for anything else as the value it stands for
    system_prompt: Annotated[
        str, Field(description="Sent with every case that has none of its own.")
    ] = "",
    experiment_id: Annotated[
        str | None, Field(description="Link the run to this experiment (id, or name to make).")
    ] = None,
    max_cost_usd: Annotated[
        float | None, Field(gt=0, description="Stop before the run costs more.")
    ] = None,
    idempotency_key: Annotated[
        str | None, Field(min_length=1, description="A second call with it starts nothing.")
    ] = None,
    dry_run: Annotated[bool, Field(description="Estimate only; ask and store nothing.")] = False,
) -> results.RunStarted:
    """Start asking models the cases of a saved suite. Returns at once; costs the provider's price.

    Then call get_run with wait_s until its status is no longer running.
    """
    from toolgauge.model.run import RunOptions
    from toolgauge.service import launches

    state = state_of(ctx)
    opened = await state.opened()
    request = launches.LaunchRequest(
        suite=suite_id,
        owner=owner_of(ctx),
        targets=tuple(targets or ()),
        options=RunOptions(
            repeats=repeats,
            temperature=temperature,
            tool_choice=tool_choice,
            system_prompts={"_global": system_prompt} if system_prompt else {},
        ),
        experiment=experiment_id,
        max_cost_usd=max_cost_usd,
        idempotency_key=idempotency_key,
    )
    prepared = await launches.prepare_saved(
        opened.database, request, state.settings, state.permissions
    )
    launched = None
    if not dry_run:
        # of two calls with one key the second must see the run of the first
        async with state.launching:
            launched = await launches.launch(opened.database, prepared, request, opened.executor)
    return await _started(ctx, request, prepared, launched)


async def cancel_run(ctx: Ctx, run_id: RunId) -> results.RunView:
    """Stop a run; what it finished is kept. Does nothing to a run that is over."""
    from toolgauge.service import owned

    opened = await state_of(ctx).opened()
    stored = await owned.owned_run(opened.database, run_id, owner_of(ctx), with_cases=False)
    if stored.run.status == "running" and not await opened.executor.cancel(run_id):
        raise UsageError(
            f"run {run_id!r} is not carried out by this server, so it cannot be stopped here. "
            "Stop the process that started it"
        )
    return await get_run(ctx, run_id, failures=0)


async def delete_run(ctx: Ctx, run_id: RunId) -> results.Deleted:
    """Delete a run with all its trials for good."""
    from toolgauge.service import owned
    from toolgauge.store import runs

    opened = await state_of(ctx).opened()
    stored = await owned.owned_run(opened.database, run_id, owner_of(ctx), with_cases=False)
    if stored.run.status == "running":
        await opened.executor.cancel(run_id)
    await runs.remove(opened.database, run_id)
    return results.Deleted(deleted=run_id)


async def rescore_run(
    ctx: Ctx,
    run_id: RunId,
    suite_id: Annotated[
        str | None, Field(description="Score by this saved suite; the run's own without it.")
    ] = None,
) -> results.RunView:
    """Score a run's transcripts again, as a new run, by today's expectations. Asks no model."""
    from toolgauge.service import owned, rescoring
    from toolgauge.store import suites

    state = state_of(ctx)
    database, owner = await state.database(), owner_of(ctx)
    await owned.owned_run(database, run_id, owner, with_cases=False)
    document = None
    if suite_id is not None:
        _, document = await suites.get(database, suite_id, owner=owner)
    done = await rescoring.rescore_run(database, run_id, state.settings, document=document)
    return await get_run(ctx, done.run.id)


ENTRIES = (
    ToolEntry(list_runs, "List runs", READ),
    ToolEntry(get_run, "Show or await a run", READ),
    ToolEntry(list_results, "List trials", READ),
    ToolEntry(get_result, "Show a trial", READ),
    ToolEntry(compare_runs, "Compare runs", READ),
    ToolEntry(start_run, "Start a run", ASK),
    ToolEntry(cancel_run, "Cancel a run", SET),
    ToolEntry(delete_run, "Delete a run", DELETE),
    ToolEntry(rescore_run, "Score a run again", ADD),
)


async def _waited(ctx: Ctx, stored: StoredRun, *, wait_s: float, planned: int | None) -> StoredRun:
    """Return the run as it is when it ended or the time is up, telling its progress meanwhile.

    The store is asked, so that it does not matter which process carries the run out.
    """
    from toolgauge.store import runs

    database: Database = await state_of(ctx).database()
    told = -1
    with anyio.move_on_after(wait_s):
        while stored.run.status == "running":
            counts = stored.counts
            done = counts.passed + counts.failed + counts.errored
            if done > told:
                told = done
                message = f"{done} of {planned or 'unknown'} trials"
                await ctx.report_progress(done, planned, message)
            await anyio.sleep(_POLL_S)
            stored = await runs.get(database, stored.run.id, with_cases=False)
    return stored


async def _started(
    ctx: Ctx, request: LaunchRequest, prepared: Prepared, launched: Launched | None
) -> results.RunStarted:
    from toolgauge.service.estimates import estimate
    from toolgauge.store import runs

    # without the cache the database is not opened again
    estimates = await estimate([prepared], state_of(ctx).settings, None, "off")
    shown = [run_items.estimate_item(one) for one in estimates]
    if launched is None:
        return results.RunStarted(
            run_id=None,
            job_id=None,
            status=None,
            estimates=shown,
            warnings=[],
            next_step="Nothing was asked. Call start_run without dry_run to start.",
        )
    database = await state_of(ctx).database()
    run = (await runs.get(database, launched.run_id, with_cases=False)).run
    warnings = []
    if not launched.is_new:
        warnings = [f"idempotency_key {request.idempotency_key!r} started this run before"]
    return results.RunStarted(
        run_id=run.id,
        job_id=launched.job_id,
        status=run.status,
        estimates=shown,
        warnings=warnings,
        next_step="Call get_run with this run_id and wait_s.",
        resource=run_uri(run.id),
    )
