"""The toolset ``scoring``: score calls without a model, and see which models can be asked."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from toolgauge.errors import UsageError
from toolgauge.mcp_server import results
from toolgauge.mcp_server.state import Ctx, owner_of, state_of
from toolgauge.mcp_server.toolbox import READ, ToolEntry


async def score_calls(
    ctx: Ctx,
    calls: Annotated[
        list[dict[str, Any]] | None,
        Field(description="The calls made, in order: {name, arguments}. [] for none."),
    ] = None,
    messages: Annotated[
        list[dict[str, Any]] | None,
        Field(description="Instead of calls: the OpenAI messages after the prompt."),
    ] = None,
    expectation: Annotated[
        dict[str, Any] | None,
        Field(
            description="What should have been called, as a case of a suite states it: "
            "expected_tool and expected_params, or expected_calls."
        ),
    ] = None,
    tools: Annotated[
        list[dict[str, Any]] | None, Field(description="The tools on offer, as OpenAI takes them.")
    ] = None,
    suite_id: Annotated[
        str | None, Field(description="Instead of an expectation: a saved suite and case_id.")
    ] = None,
    case_id: Annotated[str | None, Field(description="The case of that suite.")] = None,
) -> results.CallsScored:
    """Score given calls against an expectation: check a trace of your own. Asks no model."""
    from toolgauge.service import call_scores
    from toolgauge.store import suites

    if (calls is None) == (messages is None):
        raise UsageError("pass either calls or messages")
    if (expectation is None) == (suite_id is None):
        raise UsageError("pass either expectation, or suite_id and case_id")
    if expectation is not None:
        case = call_scores.stated_case(expectation, tools or ())
    else:
        database = await state_of(ctx).database()
        _, document = await suites.get(database, suite_id or "", owner=owner_of(ctx))
        case = call_scores.case_of(document, case_id or "")
    made = call_scores.Made(tuple(calls or ()), tuple(messages or ()))
    trial = await call_scores.score_against(case, made)
    scores = trial.scored.scores if trial.scored else {}
    return results.CallsScored(
        passed=trial.passed,
        failure_kind=trial.scored.failure_kind if trial.scored else None,
        scores={name: score.value for name, score in scores.items()},
        reasons={name: score.reason for name, score in scores.items() if score.reason},
        calls=[call.as_json() for call in trial.calls],
        error=trial.error.message if trial.error else None,
    )


async def list_models(ctx: Ctx) -> results.ModelList:
    """List the targets that can be run now, and what the others lack (a key, say).

    provider/* stands for any model of a provider whose key is set.
    """
    from toolgauge.service.project import open_project
    from toolgauge.service.targets import target_states

    states = target_states(open_project(None).targets, state_of(ctx).settings)
    return results.ModelList(
        items=[
            results.ModelItem(
                name=one.target.name,
                model=one.target.model,
                can_run=one.why_not is None,
                why_not=one.why_not,
            )
            for one in states
        ]
    )


ENTRIES = (
    ToolEntry(score_calls, "Score calls", READ),
    ToolEntry(list_models, "List models", READ),
)
