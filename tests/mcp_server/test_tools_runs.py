from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
import yaml

from mcp_server.conftest import SUITE
from provider import Provider, calling
from toolgauge.settings import Settings

pytestmark = pytest.mark.anyio
OPENAI = "openai/test"
PROGRAM = Path(__file__).parents[1] / "formats" / "mcp_server_program.py"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def settings_of(provider: Provider) -> Settings:
    return Settings({"OPENAI_API_BASE": provider.base, "OPENAI_API_KEY": "sk-test"})


async def test_a_run_starts_at_once_and_is_awaited_by_get_run(connected) -> None:
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        result = await agent.ask("start_run", suite_id="weather", targets=["builtin/lexical"])
        started = result.structured_content
        shown = await agent.call("get_run", run_id=started["run_id"], wait_s=30)
    assert started["status"] == "running"
    assert started["job_id"]
    assert result.content[1].uri == started["resource"] == f"toolgauge://runs/{started['run_id']}"
    assert shown["run"]["status"] == "completed"
    assert shown["run"]["score"] == 1.0
    assert shown["planned_trials"] == 2
    assert shown["summaries"][0]["passed"] == 2


async def test_a_dry_run_estimates_and_stores_nothing(connected) -> None:
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        dry = await agent.call(
            "start_run", suite_id="weather", targets=["openai/gpt-4o-mini"], dry_run=True, repeats=3
        )
        assert (await agent.call("list_runs"))["items"] == []
    assert dry["run_id"] is None
    assert dry["estimates"][0]["trials"] == 6
    assert dry["estimates"][0]["cost_usd"] > 0


async def test_the_same_idempotency_key_starts_one_run(connected) -> None:
    async with connected() as agent:
        first = await agent.finished_run(idempotency_key="once")
        again = await agent.call(
            "start_run", suite_id="weather", targets=["builtin/lexical"], idempotency_key="once"
        )
        assert (await agent.call("list_runs"))["total"] == 1
    assert again["run_id"] == first
    assert "started this run before" in again["warnings"][0]


async def test_calls_at_the_same_time_with_one_key_start_one_run(connected) -> None:
    ids: set[str] = set()
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)

        async def start() -> None:
            started = await agent.call(
                "start_run", suite_id="weather", targets=["builtin/lexical"], idempotency_key="once"
            )
            ids.add(started["run_id"])

        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(start)
        assert (await agent.call("list_runs"))["total"] == 1
    assert len(ids) == 1


async def test_tools_of_a_named_server_are_imported_and_run(
    connected, tmp_path, monkeypatch
) -> None:
    listed = {"name": "get_weather", "description": "Weather.", "inputSchema": CITY}
    (tmp_path / "pages.json").write_text(json.dumps([{"tools": [listed]}]))
    server = {"command": sys.executable, "args": [str(PROGRAM), "pages.json"]}
    project = {"mcp_servers": {"plain": server}}
    (tmp_path / ".toolgauge.yml").write_text(yaml.safe_dump(project))
    monkeypatch.chdir(tmp_path)
    async with connected() as agent:
        imported = await agent.call("import_tools", server="plain", detail="full")
        await agent.call("save_suite", document=SUITE | {"tools": [{"mcp": "plain"}]})
        started = await agent.call("start_run", suite_id="weather", targets=["builtin/lexical"])
        shown = await agent.call("get_run", run_id=started["run_id"], wait_s=30)
        again = await agent.call("rescore_run", run_id=started["run_id"])
        into = await agent.call("import_tools", server="plain", into_suite="weather")
    assert imported["tools"][0]["parameters"] == CITY
    assert shown["run"]["status"] == again["run"]["status"] == "completed"
    assert shown["planned_trials"] == 2
    assert into["saved"]["version"] == 2


async def test_what_cannot_be_started_says_why_before_anything_is_stored(connected) -> None:
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        no_target = await agent.complaint("start_run", suite_id="weather")
        wrong = await agent.complaint("start_run", suite_id="weather", targets=["lexical"])
        code = await agent.complaint("start_run", suite_id="weather", targets=["python:os:system"])
        assert (await agent.call("list_runs"))["items"] == []
    assert "names no targets" in no_target
    assert "Call list_models." in wrong
    assert "loads code or files" in code


async def test_failing_cases_are_shown_with_what_was_called(connected) -> None:
    with Provider(lambda _: calling("get_weather", city="Rome")) as provider:
        async with connected(settings=settings_of(provider)) as agent:
            run_id = await agent.finished_run(targets=[OPENAI])
            shown = await agent.call("get_run", run_id=run_id)
            failed = await agent.call("list_results", run_id=run_id, outcome="failed")
            trial = await agent.call(
                "get_result", run_id=run_id, case_id="paris", target=OPENAI, detail="full"
            )
    assert {case["case_id"]: case["why"] for case in shown["failing"]} == {
        "paris": "wrong_params",
        "thanks": "unexpected_call",
    }
    assert failed["total"] == 2
    assert trial["difference"] == ['- get_weather(city="Paris")', '+ get_weather(city="Rome")']
    assert trial["messages"][0]["tool_calls"]
    assert "Rome" in trial["trial"]["reasons"]["params"]


async def test_a_cancelled_run_stops_soon_and_keeps_what_it_finished(connected) -> None:
    released = threading.Event()

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        if "Thanks" in request["messages"][-1]["content"]:
            released.wait(20)
        return calling("get_weather", city="Paris")

    with Provider(answer) as provider:
        async with connected(settings=settings_of(provider)) as agent:
            await agent.call("save_suite", document=SUITE)
            started = await agent.call("start_run", suite_id="weather", targets=[OPENAI])
            run_id = started["run_id"]
            with anyio.fail_after(20):
                while (await agent.call("list_results", run_id=run_id))["total"] < 1:
                    await anyio.lowlevel.checkpoint()
            with anyio.fail_after(5):
                cancelled = await agent.call("cancel_run", run_id=run_id)
            again = await agent.call("cancel_run", run_id=run_id)
            released.set()
    assert cancelled["run"]["status"] == again["run"]["status"] == "cancelled"
    assert cancelled["run"]["passed"] == 1


async def test_waiting_tells_progress_that_only_grows(connected) -> None:
    released = threading.Event()

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        if "Thanks" in request["messages"][-1]["content"]:
            released.wait(20)
        return calling("get_weather", city="Paris")

    told: list[tuple[float, float | None]] = []

    async def on_progress(progress: float, total: float | None, _message: str | None) -> None:
        told.append((progress, total))
        if progress >= 1:
            released.set()

    with Provider(answer) as provider:
        async with connected(settings=settings_of(provider)) as agent:
            await agent.call("save_suite", document=SUITE)
            started = await agent.call("start_run", suite_id="weather", targets=[OPENAI])
            waiting = {"run_id": started["run_id"], "wait_s": 30}
            done = await agent.client.call_tool("get_run", waiting, progress_callback=on_progress)
            released.set()
    assert done.structured_content["run"]["status"] == "completed"
    assert told == sorted(set(told))
    assert {total for _, total in told} == {2}


async def test_comparing_a_run_with_itself_finds_nothing_worse(connected) -> None:
    async with connected() as agent:
        run_id = await agent.finished_run()
        concise = await agent.call("compare_runs", baseline=run_id, candidate=run_id)
        full = await agent.call("compare_runs", baseline=run_id, candidate=run_id, detail="full")
        unknown = await agent.complaint("compare_runs", baseline="zz", candidate=run_id)
    assert concise["verdict"] == "pass"
    assert concise["parts"][0]["delta"] == 0.0
    assert concise["markdown"] is None
    assert full["markdown"].startswith("## ")
    assert "No run 'zz'" in unknown


async def test_scoring_again_makes_a_new_run_by_another_suite(connected) -> None:
    stricter = SUITE | {
        "name": "stricter",
        "test_cases": [SUITE["test_cases"][0] | {"expected_params": {"city": "Paris, France"}}],
    }
    async with connected() as agent:
        run_id = await agent.finished_run()
        await agent.call("save_suite", document=stricter)
        again = await agent.call("rescore_run", run_id=run_id, suite_id="stricter")
    assert again["run"]["run_id"] != run_id
    assert again["run"]["failed"] == 1


async def test_a_deleted_run_is_gone(connected) -> None:
    async with connected() as agent:
        run_id = await agent.finished_run()
        await agent.call("delete_run", run_id=run_id)
        complaint = await agent.complaint("get_run", run_id=run_id)
    assert f"No run '{run_id}'. There is no run yet. Call list_runs." in complaint


async def test_runs_are_listed_newest_first_by_suite_and_state(connected) -> None:
    async with connected() as agent:
        first, second = await agent.finished_run(), await agent.finished_run()
        listed = await agent.call("list_runs", suite_id="weather", status="completed", limit=1)
        rest = await agent.call("list_runs", suite_id="weather", cursor=listed["next_cursor"])
        other = await agent.call("list_runs", suite_id="flights")
    assert [run["run_id"] for run in listed["items"] + rest["items"]] == [second, first]
    assert listed["total"] == 2
    assert other["items"] == []
