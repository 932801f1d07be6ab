"""Runs as tasks, for clients that declare the extension ``io.modelcontextprotocol/tasks``.

To such a client ``start_run`` and ``run_best`` answer with a task, whose id is the run's. It is
as durable as the run: any server on the same database answers for it. Source: SEP-2663.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.types import (
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    CallToolResult,
    RequestParams,
    TextContent,
)
from pydantic import Field

from toolgauge.errors import NotStored
from toolgauge.mcp_server import results, run_items
from toolgauge.mcp_server.announcements import run_uri
from toolgauge.mcp_server.sizes import fitted, json_text
from toolgauge.mcp_server.state import State, owner_of_request

if TYPE_CHECKING:
    from toolgauge.store.runs import StoredRun

TASKS = "io.modelcontextprotocol/tasks"
_STARTERS = frozenset({"start_run", "run_best"})
_MODERN = frozenset({"2026-07-28"})
_POLL_MS = 1000
_Context = ServerRequestContext[Any, Any]


class TaskParams(RequestParams):
    """Which task is meant."""

    task_id: str = Field(alias="taskId")


class TaskAnswers(TaskParams):
    """Answers to what a task asked; ours never ask."""

    input_responses: dict[str, Any] = Field(default_factory=dict, alias="inputResponses")


class RunTasks(Extension):
    """Turns started runs into tasks, and serves ``tasks/get``, ``update`` and ``cancel``."""

    identifier = TASKS

    def methods(self) -> Sequence[MethodBinding]:
        """Return the methods of the extension."""
        return (
            MethodBinding("tasks/get", TaskParams, _get, _MODERN),
            MethodBinding("tasks/update", TaskAnswers, _update, _MODERN),
            MethodBinding("tasks/cancel", TaskParams, _cancel, _MODERN),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: _Context, call_next: CallNext
    ) -> HandlerResult:
        """Return a task in place of the result of a tool that started a run."""
        result = await call_next(ctx)
        if params.name not in _STARTERS or not _declares(ctx):
            return result
        started = result.structured_content if isinstance(result, CallToolResult) else None
        if not started or started["run_id"] is None:
            return result
        stored = await _stored(ctx, started["run_id"])
        return _task(stored) | {"resultType": "task", "status": "working"}


async def _get(ctx: _Context, params: TaskParams) -> HandlerResult:
    stored = await _known(ctx, params.task_id)
    task = _task(stored) | {"resultType": "complete"}
    if stored.run.status == "running":
        return task
    if stored.run.status == "cancelled":
        return task | {"status": "cancelled"}
    return task | {"status": "completed", "result": _result(stored)}


async def _update(ctx: _Context, params: TaskAnswers) -> HandlerResult:
    await _known(ctx, params.task_id)
    return {"resultType": "complete"}


async def _cancel(ctx: _Context, params: TaskParams) -> HandlerResult:
    stored = await _known(ctx, params.task_id)
    if stored.run.status == "running":
        state: State = ctx.lifespan_context
        await (await state.opened()).executor.cancel(stored.run.id)
    return {"resultType": "complete"}


async def _known(ctx: _Context, task_id: str) -> StoredRun:
    """Return the run behind a task.

    Raises:
        MCPError: the client does not know tasks, or there is no such task.
    """
    if not _declares(ctx):
        needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
        raise MCPError(
            MISSING_REQUIRED_CLIENT_CAPABILITY, "Missing required client capability", needed
        )
    try:
        return await _stored(ctx, task_id)
    except NotStored as error:
        raise MCPError(INVALID_PARAMS, f"No task {task_id!r}: {error}") from error


async def _stored(ctx: _Context, run_id: str) -> StoredRun:
    from toolgauge.service.owned import owned_run

    state: State = ctx.lifespan_context
    return await owned_run(await state.database(), run_id, owner_of_request(ctx.request))


def _declares(ctx: _Context) -> bool:
    declared = ctx.session.client_capabilities
    extensions = (declared.extensions or {}) if declared else {}
    return ctx.protocol_version in _MODERN and TASKS in extensions


def _task(stored: StoredRun) -> dict[str, Any]:
    run, counts = stored.run, stored.counts
    done = counts.passed + counts.failed + counts.errored
    changed = run.finished_at or datetime.now(UTC)
    return {
        "taskId": run.id,
        "status": "working",
        "statusMessage": f"{run.status}: {done} trials done",
        "createdAt": run.started_at.isoformat(),
        "lastUpdatedAt": changed.isoformat(),
        "ttlMs": None,
        "pollIntervalMs": _POLL_MS,
    }


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
