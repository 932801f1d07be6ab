"""Runs as tasks: ``start_run`` and ``run_best`` answer with one, whose id is the run's.

It is as durable as the run: any server on the same database answers for it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mcp.server.context import CallNext, HandlerResult
from mcp.types import CallToolRequestParams, CallToolResult, TextContent

from toolgauge.mcp_server import results, run_items
from toolgauge.mcp_server.announcements import run_uri
from toolgauge.mcp_server.sizes import fitted, json_text
from toolgauge.mcp_server.state import State, owner_of_request
from toolgauge.mcp_server.tasks import CallContext, Task

if TYPE_CHECKING:
    from toolgauge.store.runs import StoredRun

_STARTERS = frozenset({"start_run", "run_best"})


class RunTasks:
    """A source of tasks made of stored runs."""

    async def called(
        self, params: CallToolRequestParams, ctx: CallContext, call_next: CallNext
    ) -> Task | HandlerResult:
        """Return the task of a run that the call started, the plain result if it started none."""
        result = await call_next(ctx)
        if params.name not in _STARTERS:
            return result
        started = result.structured_content if isinstance(result, CallToolResult) else None
        if not started or started["run_id"] is None:
            return result
        return await self.get(ctx, started["run_id"])

    async def get(self, ctx: CallContext, task_id: str) -> Task:
        """Return a run of the caller as a task.

        Raises:
            NotStored: the caller has no such run.
        """
        return _task(await _stored(ctx, task_id))

    async def cancel(self, ctx: CallContext, task_id: str) -> None:
        """Stop a run; do nothing to one that is over, or that is carried out elsewhere."""
        stored = await _stored(ctx, task_id)
        if stored.run.status == "running":
            state: State = ctx.lifespan_context
            await (await state.opened()).executor.cancel(task_id)

    def uri_of(self, task_id: str) -> str:
        """Return the address of the run's resource."""
        return run_uri(task_id)


async def _stored(ctx: CallContext, run_id: str) -> StoredRun:
    from toolgauge.service.owned import owned_run

    state: State = ctx.lifespan_context
    owner = owner_of_request(ctx.request)
    return await owned_run(await state.database(), run_id, owner, with_cases=False)


def _task(stored: StoredRun) -> Task:
    run, counts = stored.run, stored.counts
    done = counts.passed + counts.failed + counts.errored
    message = f"{run.status}: {done} trials done"
    updated_at = run.finished_at or datetime.now(UTC)
    if run.status == "running":
        return Task(run.id, "working", message, run.started_at, updated_at)
    if run.status == "cancelled":
        return Task(run.id, "cancelled", message, run.started_at, updated_at)
    return Task(run.id, "completed", message, run.started_at, updated_at, result=_result(stored))


def _result(stored: StoredRun) -> dict[str, Any]:
    """Return what the tool that started a run comes to when the run is over."""
    run = stored.run
    values = fitted(
        results.RunStarted(
            run_id=run.id,
            job_id=run.id,
            status=run.status,
            estimates=[],
            warnings=[],
            summaries=[run_items.target_item(one, full=False) for one in run.summaries],
            next_step=run_items.next_step(run),
            resource=run_uri(run.id),
        )
    )
    text = TextContent(type="text", text=json_text(values))
    result = CallToolResult(content=[text], structured_content=values)
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)
