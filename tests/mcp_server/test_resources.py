from __future__ import annotations

import json

import jsonschema
import pytest
from mcp import MCPError

from mcp_server.conftest import SUITE

pytestmark = pytest.mark.anyio


async def read(agent, uri: str) -> str:
    result = await agent.client.read_resource(uri)
    return result.contents[0].text


async def test_stored_things_are_read_by_address(connected) -> None:
    async with connected() as agent:
        run_id = await agent.finished_run(experiment_id="prompts")
        listed = await agent.call("list_experiments")
        experiment_id = listed["items"][0]["experiment_id"]
        suites = json.loads(await read(agent, "toolgauge://suites"))
        suite = json.loads(await read(agent, "toolgauge://suites/weather"))
        run = json.loads(await read(agent, f"toolgauge://runs/{run_id}"))
        trials = json.loads(await read(agent, f"toolgauge://runs/{run_id}/results/paris"))
        experiment = json.loads(await read(agent, f"toolgauge://experiments/{experiment_id}"))
    assert suites["items"][0]["suite_id"] == "weather"
    assert suite == SUITE
    assert run["run"]["status"] == "completed"
    assert trials["items"][0]["messages"]
    assert experiment["timeline"][0]["run_id"] == run_id


async def test_a_report_is_markdown_with_and_without_a_baseline(connected) -> None:
    async with connected() as agent:
        first = await agent.finished_run(experiment_id="prompts")
        second = await agent.finished_run(experiment_id="prompts")
        result = await agent.client.read_resource(f"toolgauge://runs/{first}/report")
        against = await read(agent, f"toolgauge://runs/{second}/report")
    assert result.contents[0].mime_type == "text/markdown"
    assert result.contents[0].text.startswith("## ")
    assert "before" in against


async def test_names_with_spaces_and_slashes_are_addressed_as_results_name_them(connected) -> None:
    async with connected() as agent:
        saved = await agent.call("save_suite", document=SUITE | {"name": "my suite/2"})
        assert json.loads(await read(agent, saved["resource"]))["name"] == "my suite/2"


async def test_the_schema_of_a_suite_accepts_a_suite(connected) -> None:
    async with connected() as agent:
        schema = json.loads(await read(agent, "toolgauge://schema/suite"))
    jsonschema.validate(SUITE, schema)


@pytest.mark.parametrize(
    "uri",
    [
        "toolgauge://suites/zz",
        "toolgauge://runs/zz",
        "toolgauge://runs/zz/report",
        "toolgauge://runs/zz/results/paris",
        "toolgauge://experiments/zz",
        "toolgauge://docs/zz",
        "toolgauge://nothing",
        "toolgauge://suites?cursor=nonsense",
    ],
)
async def test_what_is_not_there_is_a_protocol_error(connected, uri: str) -> None:
    async with connected() as agent:
        with pytest.raises(MCPError) as refused:
            await agent.client.read_resource(uri)
    assert refused.value.code == -32602


async def test_every_topic_of_the_docs_can_be_read(connected) -> None:
    async with connected() as agent:
        for topic in ("suites", "scores", "runs", "comparing"):
            assert (await read(agent, f"toolgauge://docs/{topic}")).startswith("# ")
