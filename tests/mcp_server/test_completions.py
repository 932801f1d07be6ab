from __future__ import annotations

import pytest
from mcp.types import PromptReference, ResourceTemplateReference

from mcp_server.conftest import SUITE

pytestmark = pytest.mark.anyio
CASES = "toolgauge://runs/{run_id}/results/{case_id}"


async def completed(agent, ref, name: str, value: str, **context: str) -> list[str]:
    argument = {"name": name, "value": value}
    result = await agent.client.complete(ref, argument, context_arguments=context or None)
    return result.completion.values


async def test_ids_are_completed_from_what_is_stored(connected) -> None:
    cases = ResourceTemplateReference(type="ref/resource", uri=CASES)
    suites = ResourceTemplateReference(type="ref/resource", uri="toolgauge://suites/{suite_id}")
    prompt = PromptReference(type="ref/prompt", name="compare_and_recommend")
    async with connected() as agent:
        run_id = await agent.finished_run()
        await agent.call("save_suite", document=SUITE | {"name": "flights"})
        assert await completed(agent, suites, "suite_id", "we") == ["weather"]
        assert await completed(agent, cases, "run_id", run_id[:3]) == [run_id]
        assert await completed(agent, cases, "case_id", "", run_id=run_id) == ["paris", "thanks"]
        assert await completed(agent, prompt, "baseline", "") == [run_id]


async def test_what_cannot_be_completed_has_no_values(connected) -> None:
    cases = ResourceTemplateReference(type="ref/resource", uri=CASES)
    docs = ResourceTemplateReference(type="ref/resource", uri="toolgauge://docs/{topic}")
    async with connected() as agent:
        assert await completed(agent, cases, "case_id", "") == []
        assert await completed(agent, cases, "nothing", "") == []
        assert await completed(agent, docs, "topic", "S") == ["suites", "scores"]
