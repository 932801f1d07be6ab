from __future__ import annotations

import pytest
from mcp import MCPError

from mcp_server.conftest import SUITE

pytestmark = pytest.mark.anyio


async def prompted(agent, name: str, **arguments: str) -> str:
    result = await agent.client.get_prompt(name, arguments)
    return result.messages[0].content.text


async def test_prompts_are_filled_with_what_they_are_about(connected) -> None:
    async with connected() as agent:
        run_id = await agent.finished_run()
        diagnosis = await prompted(agent, "diagnose_run", run_id=run_id)
        compared = await prompted(agent, "compare_and_recommend", baseline=run_id, candidate=run_id)
        improved = await prompted(agent, "improve_tool_descriptions", run_id=run_id)
        written = await prompted(agent, "write_suite", suite_id="weather")
    assert run_id in diagnosis
    assert '"verdict":"pass"' in compared
    assert "Current weather of a city." in improved
    assert "get_weather" in written


async def test_a_suite_can_be_asked_for_without_anything_stored(connected) -> None:
    async with connected() as agent:
        names = {prompt.name for prompt in (await agent.client.list_prompts()).prompts}
        text = await prompted(agent, "write_suite")
    assert names == {
        "write_suite",
        "diagnose_run",
        "compare_and_recommend",
        "improve_tool_descriptions",
    }
    assert "expected_tool" in text


async def test_a_prompt_about_nothing_says_what_there_is(connected) -> None:
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        with pytest.raises(MCPError, match=r"No run 'zz'\. There is no run yet\. Call list_runs\."):
            await agent.client.get_prompt("diagnose_run", {"run_id": "zz"})
