from __future__ import annotations

import json

import pytest
import yaml

from mcp_server.conftest import SUITE

pytestmark = pytest.mark.anyio


async def test_saving_the_same_suite_again_changes_nothing(connected) -> None:
    async with connected() as agent:
        first = await agent.call("save_suite", document=SUITE)
        again = await agent.call("save_suite", document=yaml.safe_dump(SUITE))
    assert (first["version"], first["is_new_version"]) == (1, True)
    assert (again["version"], again["is_new_version"]) == (1, False)


async def test_saving_a_changed_suite_says_what_differs(connected) -> None:
    thanks = {"id": "thanks", "prompt": "Thank you!", "expected_tool": None}
    rome = {"id": "rome", "prompt": "Weather in Rome?", "expected_tool": "get_weather"}
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        saved = await agent.call("save_suite", document=SUITE | {"test_cases": [thanks, rome]})
    assert saved["version"] == 2
    assert saved["cases"] == {"added": ["rome"], "removed": ["paris"], "changed": ["thanks"]}
    assert saved["resource"] == "toolgauge://suites/weather"


async def test_added_cases_stand_at_the_end_of_the_next_version(connected) -> None:
    rome = {"id": "rome", "prompt": "Weather in Rome?", "expected_tool": "get_weather"}
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        await agent.call("add_cases", suite_id="weather", cases=[rome])
        shown = await agent.call("get_suite", suite_id="weather")
        taken = await agent.complaint("add_cases", suite_id="weather", cases=[rome])
    assert [case["case_id"] for case in shown["cases"]] == ["paris", "thanks", "rome"]
    assert shown["version"] == 2
    assert "rome" in taken


async def test_an_invalid_suite_is_told_with_every_problem_and_not_saved(connected) -> None:
    async with connected() as agent:
        checked = await agent.call("validate_suite", document="name: x\ntest_cases: 3\ntoolz: []\n")
        complaint = await agent.complaint("save_suite", document={"name": "x"})
        listed = await agent.call("list_suites")
    assert checked["valid"] is False
    assert {problem["where"]: problem["line"] for problem in checked["errors"]} == {
        "test_cases": 2,
        "toolz": 3,
    }
    assert "test_cases: is required" in complaint
    assert listed["items"] == []


async def test_text_that_is_no_yaml_is_told_with_its_line(connected) -> None:
    async with connected() as agent:
        checked = await agent.call("validate_suite", document="name: x\ntools: [\n")
    assert checked["errors"][0]["line"] is not None


async def test_cases_come_in_pages(connected) -> None:
    cases = [
        {"id": f"case{n}", "prompt": f"Weather {n}?", "expected_tool": "get_weather"}
        for n in range(45)
    ]
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE | {"test_cases": cases})
        seen, cursor = [], None
        while True:
            page = await agent.call("get_suite", suite_id="weather", cursor=cursor)
            assert page["total"] == 45
            seen += [case["case_id"] for case in page["cases"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        wrong = await agent.complaint("get_suite", suite_id="weather", cursor="nonsense")
    assert seen == [case["id"] for case in cases]
    assert "is no cursor of this list" in wrong


async def test_full_detail_shows_schemas_and_cases_as_written(connected) -> None:
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        concise = await agent.call("get_suite", suite_id="weather")
        full = await agent.call("get_suite", suite_id="weather", detail="full")
    assert concise["tools"][0]["parameters"] is None
    assert full["tools"][0]["parameters"]["required"] == ["city"]
    assert full["cases"][1]["document"] == SUITE["test_cases"][1]


async def test_an_unknown_suite_is_told_with_the_known_ones_and_what_to_call(connected) -> None:
    async with connected() as agent:
        await agent.call("save_suite", document=SUITE)
        complaint = await agent.complaint("get_suite", suite_id="zz")
    assert "No suite 'zz'. Known: weather. Call list_suites." in complaint


async def test_a_suite_with_runs_is_deleted_only_by_force(connected) -> None:
    async with connected() as agent:
        await agent.finished_run()
        held = await agent.complaint("delete_suite", suite_id="weather")
        await agent.call("delete_suite", suite_id="weather", force=True)
        assert (await agent.call("list_suites"))["total"] == 0
        assert (await agent.call("list_runs"))["total"] == 1
    assert "is held by run" in held


async def test_a_suite_is_imported_by_content_and_from_an_allowed_folder(
    connected, tmp_path
) -> None:
    file = tmp_path / "weather.json"
    file.write_text(json.dumps(SUITE))
    async with connected() as agent:
        by_content = await agent.call("import_suite", kind="suite", content=json.dumps(SUITE))
        by_path = await agent.call("import_suite", kind="suite", path=str(file))
    assert by_content["is_new_version"]
    assert not by_path["is_new_version"]


async def test_files_outside_the_allowed_folders_are_not_read(connected, tmp_path) -> None:
    (tmp_path / "link.json").symlink_to("/etc/hostname")
    async with connected() as agent:
        for path in ("/etc/passwd", f"{tmp_path}/../x.json", str(tmp_path / "link.json")):
            complaint = await agent.complaint("import_suite", kind="suite", path=path)
            assert "files may be read in these folders only" in complaint


async def test_an_unknown_kind_of_dataset_is_told_with_the_known_ones(connected) -> None:
    async with connected() as agent:
        complaint = await agent.complaint("import_suite", kind="csv", content="a,b")
        both = await agent.complaint("import_suite", kind="suite")
    assert "reward-kit" in complaint
    assert "pass either content or path" in both


async def test_servers_that_nobody_allowed_are_not_started_or_reached(connected) -> None:
    async with connected() as agent:
        by_command = await agent.complaint("import_tools", command=["touch", "x"])
        by_url = await agent.complaint("import_tools", url="http://127.0.0.1:1/mcp")
        by_name = await agent.complaint("import_tools", server="nobody")
        none = await agent.complaint("import_tools")
    assert "commands are not allowed here" in by_command
    assert "addresses are not allowed here" in by_url
    assert "no MCP server 'nobody' in .toolgauge.yml" in by_name
    assert "name one of" in none
