from __future__ import annotations

import pytest

from builders import WEATHER_TOOL, called
from mcp_server.conftest import SUITE
from toolgauge.settings import Settings

pytestmark = pytest.mark.anyio
PARIS = {"expected_tool": "get_weather", "expected_params": {"city": "Paris"}}


async def test_calls_are_scored_with_reasons_and_without_a_model(connected) -> None:
    made = [{"name": "get_weather", "arguments": {"city": "Rome"}}]
    async with connected() as agent:
        scored = await agent.call(
            "score_calls", calls=made, expectation=PARIS, tools=[WEATHER_TOOL]
        )
    assert scored["passed"] is False
    assert scored["failure_kind"] == "wrong_params"
    assert scored["scores"]["tool"] == 1.0
    assert "Rome" in scored["reasons"]["params"]


async def test_messages_are_scored_against_a_case_of_a_saved_suite(connected) -> None:
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        right = await agent.call(
            "score_calls",
            messages=[called("get_weather", city="Paris")],
            suite_id="weather",
            case_id="paris",
        )
        silent = await agent.call("score_calls", calls=[], suite_id="weather", case_id="thanks")
        unknown = await agent.complaint("score_calls", calls=[], suite_id="weather", case_id="rome")
    assert right["passed"] is True
    assert silent["passed"] is True
    assert "No case 'rome'. Known: paris, thanks." in unknown


async def test_what_is_missing_or_malformed_is_told(connected) -> None:
    async with connected() as agent:
        no_calls = await agent.complaint("score_calls", expectation=PARIS)
        nothing = await agent.complaint("score_calls", calls=[])
        nameless = await agent.complaint(
            "score_calls", calls=[{"tool": "x"}], expectation=PARIS, tools=[WEATHER_TOOL]
        )
        typo = await agent.complaint("score_calls", calls=[], expectation={"expected_toll": "x"})
    assert "pass either calls or messages" in no_calls
    assert "pass either expectation" in nothing
    assert "must be {name, arguments}" in nameless
    assert "expected_toll" in typo


async def test_models_without_a_key_are_not_offered_and_those_with_one_are(connected) -> None:
    async with connected() as agent:
        without = await agent.call("list_models")
    async with connected(settings=Settings({"OPENAI_API_KEY": "sk-test"})) as agent:
        keyed = await agent.call("list_models")
    assert [one["name"] for one in without["items"] if one["can_run"]] == ["builtin/lexical"]
    assert "openai/*" in [one["name"] for one in keyed["items"] if one["can_run"]]
