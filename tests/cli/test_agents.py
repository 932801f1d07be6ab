from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

AGENTS = Path(__file__).parents[1] / "agents"
TRIP = {
    "name": "Trip",
    "tools": [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
        for name in ("find_city", "get_weather")
    ],
    "test_cases": [
        {
            "id": "paris",
            "prompt": "Weather in Paris?",
            "expected_calls": [
                {"tool": "find_city", "params": {"name": "Paris"}},
                {"tool": "get_weather", "params": {"city": "Paris"}},
            ],
        }
    ],
}


@pytest.fixture
def trip(tmp_path: Path) -> Path:
    file = tmp_path / "trip.json"
    file.write_text(json.dumps(TRIP))
    return file


def test_an_agent_in_the_working_directory_is_a_target(toolgauge, weather) -> None:
    done = toolgauge(*("run", weather, "-m", "python:plain_agents:weather", "--json"), cwd=AGENTS)
    by_case = {trial["case_id"]: trial for trial in done.json()["runs"][0]["trials"]}
    assert by_case["paris"]["passed"] is True
    assert by_case["thanks"]["passed"] is False


def test_a_langgraph_agent_is_run_from_the_command_line(toolgauge, trip) -> None:
    done = toolgauge("run", trip, "-m", "python:langgraph_weather:ask", "--json", cwd=AGENTS)
    (trial,) = done.json()["runs"][0]["trials"]
    assert (trial["passed"], trial["scores"]["tp"], trial["usage"]["output_tokens"]) == (
        True,
        1,
        17,
    )


def test_an_agent_that_cannot_be_imported_is_one_message(toolgauge, weather) -> None:
    done = toolgauge("run", weather, "-m", "python:no_such_module:ask")
    assert done.code == 2
    assert "there is no module 'no_such_module'" in done.err


def langchain_dump(*calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a conversation as LangGraph dumps it, prompt and all."""
    messages: list[dict[str, Any]] = [{"type": "human", "content": "Weather in Paris?"}]
    for number, (name, arguments) in enumerate(calls):
        call = {"name": name, "args": arguments, "id": str(number), "type": "tool_call"}
        messages.append({"type": "ai", "content": "", "tool_calls": [call]})
        messages.append({"type": "tool", "content": "ok", "tool_call_id": str(number)})
    return [*messages, {"type": "ai", "content": "Done."}]


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    found = ("find_city", {"name": "Paris"})
    right = langchain_dump(found, ("get_weather", {"city": "Paris"}))
    wrong = langchain_dump(found, ("get_weather", {"city": "Rome"}))
    lines = [
        {"case_id": "paris", "target": "agent", "repeat": repeat, "messages": messages}
        for repeat, messages in enumerate((right, wrong))
    ]
    file = tmp_path / "t.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


SAMPLE = {
    "input": "Weather in Paris?",
    "expected_tool_calls": [
        {"name": "find_city", "args": {"name": "Paris"}},
        {"name": "get_weather", "args": {"city": "Paris"}},
    ],
    "actual_tool_calls": [
        {"name": "find_city", "args": {"name": "Paris"}},
        {"name": "get_weather", "args": {"city": "Rome"}},
    ],
    "tsa": 1.0,
    "ahr": 0.5,
    "tp": 1.0,
}


def test_dumps_of_an_agent_give_the_third_systems_report(toolgauge, trip, dumps) -> None:
    report = toolgauge("score", trip, "-t", dumps, "--format", "tool-call-benchmark").json()
    assert report["benchmark_name"] == "Trip"
    assert report["results"] == {"tsa": 1.0, "ahr": 0.25, "tp": 1.0}
    assert report["results_micro"] == {"tsa": 1.0, "ahr": 0.25}
    assert report["samples"] == [SAMPLE]


def test_the_report_is_written_under_its_name_and_run(toolgauge, trip, dumps, tmp_path) -> None:
    done = toolgauge(
        *("score", trip, "-t", dumps, "--format", "tool-call-benchmark", "--out", "evaluations")
    )
    assert done.code == 0, done.err
    (file,) = (tmp_path / "evaluations").iterdir()
    report = json.loads(file.read_text())
    assert file.name == f"Trip_{report['run_id']}.json"
    assert str(Path("evaluations") / file.name) in done.out


def test_a_dump_is_scored_as_the_same_messages_of_openai_are(toolgauge, trip, dumps) -> None:
    trials = toolgauge("score", trip, "-t", dumps, "--json").json()["trials"]
    assert [trial["passed"] for trial in trials] == [True, False]
    replayed = toolgauge("run", trip, "-m", f"replay/{dumps}", "--json").json()["runs"][0]
    assert [trial["passed"] for trial in replayed["trials"]] == [True]


def test_a_folder_without_a_report_to_write_is_a_mistake(toolgauge, trip, dumps) -> None:
    done = toolgauge("score", trip, "-t", dumps, "--out", "evaluations")
    assert (done.code, "--format tool-call-benchmark" in done.err) == (2, True)
