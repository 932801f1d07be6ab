"""The extension ``io.modelcontextprotocol/tasks``: calls that answer with a task at once.

What the tasks are is a ``TaskSource``'s affair (``run_tasks`` makes them of stored runs); here
is what clients see of them. ``task_notices`` tells those who listen. Source: SEP-2663.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import require_client_extension
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp.types import HEADER_MISMATCH, INVALID_PARAMS, CallToolRequestParams, RequestParams
from pydantic import Field

from toolgauge.errors import NotStored

TASKS = "io.modelcontextprotocol/tasks"
MODERN = frozenset({"2026-07-28"})
"""Versions of the protocol that have the extension."""

_POLL_MS = 1000
CallContext = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """How a task goes. ``result`` is there once it completed, ``error`` once it failed.

    A call that ran and reported an error has completed; one that could not run has failed.
    """

    task_id: str
    status: Literal["working", "completed", "failed", "cancelled"]
    message: str
    created_at: datetime
    updated_at: datetime
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class TaskSource(Protocol):
    """Which calls become tasks, and how those go."""

    async def called(
        self, params: CallToolRequestParams, ctx: CallContext, call_next: CallNext
    ) -> Task | HandlerResult:
        """Return the task that a call began, or its plain result; the client knows tasks."""
        ...

    async def get(self, ctx: CallContext, task_id: str) -> Task:
        """Return a task of the caller as it is now.

        Raises:
            NotStored: the caller has no such task.
        """
        ...

    async def cancel(self, ctx: CallContext, task_id: str) -> None:
        """Stop a task of the caller; do nothing to one that is over."""
        ...

    def uri_of(self, task_id: str) -> str:
        """Return the resource that is told as updated when the task changes."""
        ...


class TaskParams(RequestParams):
    """Which task is meant."""

    task_id: str = Field(alias="taskId")


class TaskAnswers(TaskParams):
    """Answers to what a task asked; ours never ask."""

    input_responses: dict[str, Any] = Field(default_factory=dict, alias="inputResponses")


class Tasks(Extension):
    """Answers calls with tasks, and serves ``tasks/get``, ``update`` and ``cancel``."""

    identifier = TASKS

    def __init__(self, source: TaskSource) -> None:
        self._source = source

    def methods(self) -> Sequence[MethodBinding]:
        """Return the methods of the extension."""
        return (
            MethodBinding("tasks/get", TaskParams, self._get, MODERN),
            MethodBinding("tasks/update", TaskAnswers, self._update, MODERN),
            MethodBinding("tasks/cancel", TaskParams, self._cancel, MODERN),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: CallContext, call_next: CallNext
    ) -> HandlerResult:
        """Return a task in place of a result, to clients that know tasks."""
        if not _knows_tasks(ctx):
            return await call_next(ctx)
        answer = await self._source.called(params, ctx, call_next)
        if not isinstance(answer, Task):
            return answer
        # how it ended, even where it has already, is what tasks/get tells
        return _head(answer) | {"resultType": "task", "status": "working"}

    async def _get(self, ctx: CallContext, params: TaskParams) -> HandlerResult:
        return detailed(await self._known(ctx, params.task_id)) | {"resultType": "complete"}

    async def _update(self, ctx: CallContext, params: TaskAnswers) -> HandlerResult:
        await self._known(ctx, params.task_id)
        return {"resultType": "complete"}

    async def _cancel(self, ctx: CallContext, params: TaskParams) -> HandlerResult:
        await self._known(ctx, params.task_id)
        await self._source.cancel(ctx, params.task_id)
        return {"resultType": "complete"}

    async def _known(self, ctx: CallContext, task_id: str) -> Task:
        """Return a task.

        Raises:
            MCPError: the client does not know tasks, names another one in the header that
                proxies read, or there is no such task.
        """
        require_client_extension(ctx, TASKS)
        _check_header(ctx, task_id)
        try:
            return await self._source.get(ctx, task_id)
        except NotStored as error:
            raise MCPError(INVALID_PARAMS, f"No task {task_id!r}: {error}") from error


def _check_header(ctx: CallContext, task_id: str) -> None:
    """Refuse a request that is routed as one for another task; without a header it may pass."""
    headers = getattr(ctx.request, "headers", {})
    if MCP_NAME_HEADER in headers and decode_header_value(headers[MCP_NAME_HEADER]) != task_id:
        raise MCPError(
            HEADER_MISMATCH, f"{MCP_NAME_HEADER} header does not name the task asked for"
        )


def detailed(task: Task) -> dict[str, Any]:
    """Return a task with what it came to, as the protocol writes it."""
    shown = _head(task)
    if task.result is not None:
        shown["result"] = task.result
    if task.error is not None:
        shown["error"] = task.error
    return shown


def _head(task: Task) -> dict[str, Any]:
    return {
        "taskId": task.task_id,
        "status": task.status,
        "statusMessage": task.message,
        "createdAt": task.created_at.isoformat(),
        "lastUpdatedAt": task.updated_at.isoformat(),
        "ttlMs": None,
        "pollIntervalMs": _POLL_MS,
    }


def _knows_tasks(ctx: CallContext) -> bool:
    declared = ctx.session.client_capabilities
    extensions = (declared.extensions or {}) if declared else {}
    return ctx.protocol_version in MODERN and TASKS in extensions
