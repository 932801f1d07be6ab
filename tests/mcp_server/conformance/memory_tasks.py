"""Tasks that live as long as their process, and the tools that the suite wants as tasks."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult
from mcp.server.mcpserver import require_client_extension
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import INTERNAL_ERROR, CallToolRequestParams, CallToolResult, ElicitResult

from mcp_server.conformance.asking import Answered, answer_to, form, required
from mcp_server.conformance.contents import Ctx, add_tool, shown
from toolgauge.errors import NotStored
from toolgauge.mcp_server.tasks import TASKS, CallContext, Task

LONG = frozenset({"slow_compute", "failing_job", "protocol_error_job", "test_tool_with_task"})


class MemoryTasks:
    """A source of tasks, carried out in a task group."""

    def __init__(self, group: TaskGroup) -> None:
        self._group = group
        self._tasks: dict[str, Task] = {}
        self._scopes: dict[str, anyio.CancelScope] = {}

    async def called(
        self, params: CallToolRequestParams, ctx: CallContext, call_next: CallNext
    ) -> Task | HandlerResult:
        # this one asks before it becomes a task
        is_asking = params.name == "test_tool_with_task" and not params.input_responses
        if params.name not in LONG or is_asking:
            return await call_next(ctx)
        now = datetime.now(UTC)
        task = Task(uuid4().hex, "working", "working", now, now)
        self._tasks[task.task_id], self._scopes[task.task_id] = task, anyio.CancelScope()
        self._group.start_soon(self._carry_out, task.task_id, ctx, call_next)
        return task

    async def get(self, _: CallContext, task_id: str) -> Task:
        if task_id not in self._tasks:
            raise NotStored("task", task_id)
        return self._tasks[task_id]

    async def cancel(self, _: CallContext, task_id: str) -> None:
        self._scopes[task_id].cancel()

    def uri_of(self, task_id: str) -> str:
        return f"test://tasks/{task_id}"

    async def _carry_out(self, task_id: str, ctx: CallContext, call_next: CallNext) -> None:
        end: dict[str, Any] = {"status": "cancelled"}
        with self._scopes[task_id]:
            try:
                result = await call_next(ctx)
                end = {"status": "completed", "result": written(result)}
            except MCPError as error:
                end = {"status": "failed", "error": {"code": error.code, "message": str(error)}}
        self._tasks[task_id] = replace(self._tasks[task_id], updated_at=datetime.now(UTC), **end)


def written(result: Any) -> dict[str, Any]:
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


def add_task_tools(server: MCPServer[Any]) -> None:
    """Add the tools to a server."""
    for tool in (greet, slow_compute, failing_job, protocol_error_job, test_tool_with_task):
        add_tool(server, tool)


async def greet(name: str) -> CallToolResult:
    return shown(f"Hello, {name}!")


async def slow_compute(seconds: float, label: str = "") -> CallToolResult:
    await anyio.sleep(seconds)
    return shown(f"computed {label}")


async def failing_job(ctx: Ctx) -> CallToolResult:
    # the suite calls this: a tool that is nothing but a task
    require_client_extension(ctx.request_context, TASKS)
    raise ToolError("This job always fails")


async def protocol_error_job() -> CallToolResult:
    raise MCPError(INTERNAL_ERROR, "This job cannot be carried out")


async def test_tool_with_task(ctx: Ctx) -> Answered:
    answer = answer_to(ctx, "user_name", ElicitResult)
    if answer is None:
        return required(user_name=form("What is your name?", name="string"))
    return shown(f"Hello, {answer.content['name']}!")
