"""Stored things by address, for clients that read resources; tools tell the same."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.mcp_server import tools_experiments, tools_runs, tools_suites
from toolgauge.mcp_server.docs import TOPICS
from toolgauge.mcp_server.sizes import json_text
from toolgauge.mcp_server.state import Ctx, owner_of, state_of
from toolgauge.mcp_server.toolbox import told

_JSON, _MARKDOWN = "application/json", "text/markdown"
_MOST_LISTED = 100
_MOST_TRIALS = 200

Read = Callable[..., Awaitable[str]]


def add_resources(server: MCPServer[Any]) -> None:
    """Add every resource and template to a server."""
    # a resource without variables gets no context, so the list of suites is a template as well
    for uri, function, kind in (
        ("toolgauge://suites{?cursor}", suites, _JSON),
        ("toolgauge://suites/{suite_id}", suite, _JSON),
        ("toolgauge://runs/{run_id}", run, _JSON),
        ("toolgauge://runs/{run_id}/report", run_report, _MARKDOWN),
        ("toolgauge://runs/{run_id}/results/{case_id}", case_results, _JSON),
        ("toolgauge://experiments/{experiment_id}", experiment, _JSON),
        ("toolgauge://schema/suite", suite_schema, _JSON),
        ("toolgauge://docs/{topic}", topic_text, _MARKDOWN),
    ):
        server.resource(uri, mime_type=kind)(_guarded(function))


def _guarded(function: Read) -> Read:
    """Return the function with its errors made readable, as protocol errors."""

    @wraps(function)
    async def read(*args: Any, **kwargs: Any) -> str:
        try:
            return await function(*args, **kwargs)
        except UsageError as error:
            raise ResourceNotFoundError(told(error)) from error
        except ToolgaugeError as error:
            raise ResourceError(told(error)) from error

    return read


async def suites(ctx: Ctx, cursor: str = "") -> str:
    """The saved suites, the last saved first; ?cursor= for more."""
    page = await tools_suites.list_suites(ctx, cursor=cursor or None, limit=_MOST_LISTED)
    return json_text(page.model_dump(mode="json"))


async def suite(suite_id: str, ctx: Ctx) -> str:
    """A saved suite as it was written, ready to be edited and saved again."""
    from toolgauge.store import suites as stored

    database = await state_of(ctx).database()
    _, document = await stored.get(database, suite_id, owner=owner_of(ctx))
    return json.dumps(stored.suite_json(document), ensure_ascii=False, indent=2)


async def run(run_id: str, ctx: Ctx) -> str:
    """How a run is going or went. Subscribe to be told when it changes."""
    shown = await tools_runs.get_run(ctx, run_id, detail="full", failures=50)
    return json_text(shown.model_dump(mode="json"))


async def run_report(run_id: str, ctx: Ctx) -> str:
    """The gate's report on a run, against its experiment's baseline where it has one."""
    from toolgauge.report.markdown import markdown
    from toolgauge.service import run_reports

    database = await state_of(ctx).database()
    return markdown(await run_reports.report_on(database, run_id, owner_of(ctx)))


async def case_results(run_id: str, case_id: str, ctx: Ctx) -> str:
    """Every trial of one case in a run, with transcripts."""
    from toolgauge.model import trial_json
    from toolgauge.service import owned
    from toolgauge.store import trials

    database = await state_of(ctx).database()
    await owned.owned_run(database, run_id, owner_of(ctx))
    wanted = trials.TrialFilter(case_id=case_id)
    page = await trials.page(database, run_id, wanted, limit=_MOST_TRIALS)
    if not page.items:
        raise ResourceNotFoundError(f"run {run_id!r} has no trial of a case {case_id!r}")
    items = [trial_json.to_json(one.trial, with_messages=True) for one in page.items]
    return json.dumps({"items": items, "is_all": page.next_cursor is None}, ensure_ascii=False)


async def experiment(experiment_id: str, ctx: Ctx) -> str:
    """An experiment: its runs with their deltas to the baseline, and the best."""
    shown = await tools_experiments.get_experiment(ctx, experiment_id, limit=_MOST_LISTED)
    return json_text(shown.model_dump(mode="json"))


async def suite_schema() -> str:
    """The JSON Schema of a suite: what save_suite takes."""
    from toolgauge.formats.schemas import schema_text
    from toolgauge.formats.schemas import suite_schema as schema

    return schema_text(schema())


async def topic_text(topic: str) -> str:
    """What an agent should know about a topic: suites, scores, runs, comparing."""
    if topic not in TOPICS:
        raise ResourceNotFoundError(f"no topic {topic!r}; there are: {', '.join(TOPICS)}")
    return TOPICS[topic]
