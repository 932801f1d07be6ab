"""What all tools share: how they are registered, and how results and errors reach an agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from inspect import getdoc
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, ResourceLink, TextContent, ToolAnnotations
from pydantic import Field

from toolgauge.errors import InvalidFile, NotStored, ToolgaugeError, UnknownTarget
from toolgauge.mcp_server.results import Result
from toolgauge.mcp_server.sizes import fitted, json_text

Toolset = Literal["suites", "runs", "experiments", "scoring"]
Detail = Annotated[Literal["concise", "full"], Field(description="How much of each entry.")]
Cursor = Annotated[str | None, Field(description="next_cursor of the page before.")]
Limit = Annotated[int, Field(ge=1, le=50, description="Entries per page.")]

READ = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ADD = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
SET = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
DELETE = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)
ASK = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
)

_MOST_PROBLEMS = 20
_MOST_OF_AN_ERROR = 6_000
_LISTED_BY = {
    "suite": "list_suites",
    "run": "list_runs",
    "experiment": "list_experiments",
    "trial": "list_results",
    "case": "list_results",
}

ToolFunction = Callable[..., Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool: its function, whose docstring agents read, and what it does to the world."""

    function: ToolFunction
    title: str
    annotations: ToolAnnotations

    @property
    def is_read_only(self) -> bool:
        return bool(self.annotations.read_only_hint)


def register(server: MCPServer[Any], entries: Iterable[ToolEntry], *, read_only: bool) -> None:
    """Add tools to a server; with ``read_only`` none that writes."""
    for entry in entries:
        if entry.is_read_only or not read_only:
            server.add_tool(
                _guarded(entry.function),
                title=entry.title,
                # as written, the lines after the first would be indented
                description=getdoc(entry.function),
                annotations=entry.annotations,
            )


def told(error: ToolgaugeError) -> str:
    """Return what an agent is told of an error: the cause, and what to do next."""
    if isinstance(error, InvalidFile):
        shown = [str(problem) for problem in error.problems[:_MOST_PROBLEMS]]
        more = len(error.problems) - len(shown)
        shown += [f"and {more} more problems"] if more else []
        text = f"{error.file} has {len(error.problems)} problems:\n" + "\n".join(shown)
    else:
        text = str(error)
    text = text[:_MOST_OF_AN_ERROR]
    if isinstance(error, NotStored) and error.kind in _LISTED_BY:
        return f"{text} Call {_LISTED_BY[error.kind]}."
    if isinstance(error, UnknownTarget):
        return f"{text}. Call list_models."
    return text


def _guarded(tool: ToolFunction) -> ToolFunction:
    """Return the tool as the SDK calls it: errors made readable, results short enough."""

    @wraps(tool)
    async def call(*args: Any, **kwargs: Any) -> Any:
        try:
            values = fitted(await tool(*args, **kwargs))
        except ToolgaugeError as error:
            raise ToolError(told(error)) from error
        content: list[Any] = [TextContent(type="text", text=json_text(values))]
        uri = values.get("resource")
        if uri:
            link = ResourceLink(type="resource_link", uri=uri, name=uri.split("://")[-1])
            content.append(link)
        return CallToolResult(content=content, structured_content=values)

    return call
