"""Prompts for what people ask agents to do here, filled with the data they are about."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeVar

from mcp import MCPError
from mcp.server import MCPServer
from mcp.types import INVALID_PARAMS

from toolgauge.errors import ToolgaugeError
from toolgauge.mcp_server import tools_imports, tools_runs, tools_suites
from toolgauge.mcp_server.docs import TOPICS
from toolgauge.mcp_server.results import Result
from toolgauge.mcp_server.sizes import fitted, json_text
from toolgauge.mcp_server.state import Ctx
from toolgauge.mcp_server.toolbox import told

_MOST_CASES = 20
AnyResult = TypeVar("AnyResult", bound=Result)


def add_prompts(server: MCPServer[Any]) -> None:
    """Add every prompt to a server."""
    for prompt, title in (
        (write_suite, "Write a suite"),
        (diagnose_run, "Find out why a run failed"),
        (compare_and_recommend, "Compare two runs"),
        (improve_tool_descriptions, "Improve tool descriptions"),
    ):
        server.prompt(title=title)(prompt)


async def write_suite(ctx: Ctx, server: str = "", suite_id: str = "") -> str:
    """Write test cases for the tools of an MCP server, or for those of a saved suite."""
    about = "the tools that I will give you"
    if server:
        imported = tools_imports.import_tools(ctx, server=server, detail="full")
        about = f"these tools of the MCP server {server!r}:\n\n{await _shown(imported)}"
    elif suite_id:
        saved = tools_suites.get_suite(ctx, suite_id, detail="full", limit=_MOST_CASES)
        about = f"the tools of this suite, beyond its cases:\n\n{await _shown(saved)}"
    return (
        f"Write a suite of 20 test cases for {about}\n\n{TOPICS['suites']}\n"
        "Check it with validate_suite, save it with save_suite, and try it with start_run on "
        "builtin/lexical, which costs nothing."
    )


async def diagnose_run(ctx: Ctx, run_id: str) -> str:
    """Find out why cases of a run failed, and what would mend them."""
    run = await _shown(tools_runs.get_run(ctx, run_id, detail="full", failures=_MOST_CASES))
    return (
        f"This run was measured:\n\n{run}\n\n{TOPICS['scores']}\n"
        "Group its failures by cause: a wrong expectation, tools that are easily mixed up, a "
        "description that misleads, a weak model, errors of the provider. Look at single trials "
        "with get_result where the cause is not clear. For each cause say what to change."
    )


async def compare_and_recommend(ctx: Ctx, baseline: str, candidate: str) -> str:
    """Compare a run with a baseline, and say whether to take the change."""
    report = await _shown(tools_runs.compare_runs(ctx, baseline, candidate, detail="full"))
    return (
        f"The candidate {candidate!r} was compared with {baseline!r}:\n\n{report}\n\n"
        f"{TOPICS['comparing']}\n"
        "Say in one sentence whether to take the change, then why: what got worse beyond chance, "
        "what got better, and what the data cannot tell. If they can tell too little, say how "
        "many repeats it would take."
    )


async def improve_tool_descriptions(ctx: Ctx, run_id: str) -> str:
    """Rewrite the tool descriptions that led models astray in a run."""
    run = await _made(tools_runs.get_run(ctx, run_id, failures=_MOST_CASES))
    tools = await _shown(tools_suites.get_suite(ctx, run.run.suite_id, detail="full", limit=1))
    failing = json_text(fitted(run))
    return (
        f"These tools were offered:\n\n{tools}\n\nand this is how models did with them:\n\n"
        f"{failing}\n\nFor each tool that was called wrongly, or not called where it should have "
        "been, rewrite its description and its parameters' descriptions: when to use it, when "
        "another, and what each argument looks like. Change nothing else. Save the suite with "
        "save_suite, run it with the same targets, and compare with compare_runs."
    )


async def _shown(asked: Awaitable[Result]) -> str:
    """Return a tool's result as text."""
    return json_text(fitted(await _made(asked)))


async def _made(asked: Awaitable[AnyResult]) -> AnyResult:
    """Return a tool's result; what the caller can mend is a protocol error here."""
    try:
        return await asked
    except ToolgaugeError as error:
        raise MCPError(INVALID_PARAMS, told(error)) from error
