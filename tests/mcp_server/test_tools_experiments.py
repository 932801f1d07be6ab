from __future__ import annotations

import pytest

from mcp_server.conftest import SUITE

pytestmark = pytest.mark.anyio


async def test_an_experiment_shows_its_runs_against_the_first(connected) -> None:
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        saved = await agent.call("save_experiment", name="prompts", suite_id="weather")
        first = await agent.finished_run(experiment_id="prompts")
        best = await agent.call("run_best", experiment_id="prompts")
        await agent.call("get_run", run_id=best["run_id"], wait_s=30)
        shown = await agent.call(
            "get_experiment", experiment_id=saved["experiment"]["experiment_id"]
        )
    assert [entry["run_id"] for entry in shown["timeline"]] == [best["run_id"], first]
    assert [entry["is_baseline"] for entry in shown["timeline"]] == [False, True]
    assert shown["timeline"][0]["delta"] == 0.0
    assert shown["best"]["run_id"] == first


async def test_a_pinned_baseline_takes_the_place_of_the_first_run(connected) -> None:
    async with connected() as agent:
        await agent.finished_run(experiment_id="prompts")
        second = await agent.finished_run(experiment_id="prompts")
        pinned = await agent.call("pin_baseline", experiment_id="prompts", run_id=second)
        free = await agent.call("pin_baseline", experiment_id="prompts")
    assert pinned["experiment"]["baseline_run_id"] == second
    assert free["experiment"]["baseline_run_id"] is None


async def test_saving_an_experiment_again_changes_its_description(connected) -> None:
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        await agent.call("save_experiment", name="prompts", suite_id="weather")
        await agent.call("save_experiment", name="prompts", description="shorter prompts")
        listed = await agent.call("list_experiments")
    assert [one["description"] for one in listed["items"]] == ["shorter prompts"]
    assert listed["total"] == 1


async def test_an_experiment_needs_a_suite_that_is_there(connected) -> None:
    async with connected() as agent:
        complaint = await agent.complaint("save_experiment", name="prompts", suite_id="zz")
        nothing = await agent.complaint("run_best", experiment_id="prompts")
    assert "No suite 'zz'" in complaint
    assert "Call list_experiments." in nothing
