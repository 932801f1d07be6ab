from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from provider import Provider, calling, completing, saying

PARIS = "What's the weather in Paris?"


def right(request: dict[str, Any]) -> tuple[int, Any]:
    """Answer the weather suite as a good model would."""
    asked = request["messages"][-1]["content"]
    return calling("get_weather", city="Paris") if asked == PARIS else saying("You're welcome.")


def test_a_suite_is_asked_over_the_wire_and_a_table_says_what_came_of_it(
    toolgauge, weather
) -> None:
    with Provider(right) as provider:
        done = toolgauge("run", weather, "-m", "openai/stub", "--api-base", provider.base)
    assert (done.code, len(provider.seen)) == (0, 2)
    assert "openai/stub" in done.out
    assert "2/2 100%" in done.out
    assert "2/2" in done.err
    asked = next(r for r in provider.seen if r["messages"][-1]["content"] == PARIS)
    assert (asked["model"], asked["tool_choice"], asked["temperature"]) == ("stub", "required", 0.0)
    thanks = next(r for r in provider.seen if r is not asked)
    assert thanks["tool_choice"] == "auto"


def test_the_environments_address_is_used_where_no_other_is_given(toolgauge, weather) -> None:
    with Provider(right) as provider:
        done = toolgauge("run", weather, "-m", "openai/stub", OPENAI_API_BASE=provider.base)
    assert (done.code, len(provider.seen)) == (0, 2)


def test_failing_cases_are_shown_with_what_was_expected_against_what_was_called(
    toolgauge, weather
) -> None:
    with Provider(lambda _: calling("get_weather", city="Rome")) as provider:
        done = toolgauge("run", weather, "-m", "openai/stub", "--api-base", provider.base)
    assert done.code == 0
    assert 'get_weather({"city": "Paris"})' in done.out
    assert 'get_weather({"city": "Rome"})' in done.out
    assert "unexpected_call" in done.out


def test_json_prints_one_document_with_every_trial_and_nothing_else(toolgauge, weather) -> None:
    done = toolgauge("run", weather, "-m", "builtin/lexical", "--json")
    (run,) = done.json()["runs"]
    assert {trial["case_id"] for trial in run["trials"]} == {"paris", "thanks"}
    assert run["trials"][0]["messages"]
    assert run["summaries"][0]["scores"]["overall"]["n"] == 2


def test_repeats_and_several_targets_multiply_the_trials(toolgauge, weather) -> None:
    with Provider(right) as provider:
        done = toolgauge(
            *("run", weather, "-m", "openai/a", "-m", "openai/b", "--repeats", 3, "--json"),
            *("--api-base", provider.base),
        )
    assert len(done.json()["runs"][0]["trials"]) == 2 * 2 * 3
    assert [s["n_trials"] for s in done.json()["runs"][0]["summaries"]] == [6, 6]


def test_out_keeps_the_run_in_a_file_that_is_written_whole(toolgauge, weather, tmp_path) -> None:
    done = toolgauge("run", weather, "-m", "builtin/lexical", "--out", "result.json")
    assert done.code == 0
    assert len(json.loads((tmp_path / "result.json").read_text())["runs"][0]["trials"]) == 2
    assert [p.name for p in tmp_path.iterdir() if "partial" in p.name] == []


def test_a_place_that_cannot_be_written_is_one_message(toolgauge, weather) -> None:
    done = toolgauge("run", weather, "-m", "builtin/lexical", "--out", "no/such/folder.json")
    assert done.code == 2
    assert "cannot be written" in done.err


def test_min_score_turns_a_low_score_into_exit_code_1(toolgauge, weather) -> None:
    with Provider(lambda _: saying("no")) as provider:
        base = ("run", weather, "-m", "openai/stub", "--api-base", provider.base, "--min-score")
        assert toolgauge(*base, "0.6").code == 1
        assert toolgauge(*base, "0.5").code == 0


def test_a_missing_key_is_one_message_that_names_it(toolgauge, weather) -> None:
    done = toolgauge("run", weather, "-m", "openai/stub")
    assert done.code == 2
    assert "OPENAI_API_KEY" in done.err
    assert done.err.count("error:") == 1
    assert toolgauge("runs", "list", "--json").json()["items"] == []


def test_a_key_that_a_server_refuses_is_one_message(toolgauge, weather) -> None:
    with Provider(lambda _: (401, {"error": {"message": "Incorrect API key"}})) as provider:
        done = toolgauge(
            *("run", weather, "-m", "openai/stub", "--api-base", provider.base),
            OPENAI_API_KEY="sk-secret-of-mine",
        )
    assert done.code == 2
    assert "could not be measured" in done.err
    assert "sk-secret-of-mine" not in done.out + done.err
    assert len(provider.seen) <= 2


def test_without_a_suite_it_says_how_to_name_one(toolgauge) -> None:
    done = toolgauge("run", "-m", "builtin/lexical")
    assert done.code == 2
    assert "no suite is named" in done.err


def test_an_unknown_target_is_said_before_anything_is_asked(toolgauge, weather) -> None:
    done = toolgauge("run", weather, "-m", "gpt-4o")
    assert done.code == 2
    assert "provider/model" in done.err


def test_an_unknown_provider_is_one_message(toolgauge, weather) -> None:
    done = toolgauge("run", weather, "-m", "nosuchprovider/model")
    assert done.code == 2
    assert "nosuchprovider" in done.err


def test_a_model_that_the_server_does_not_know_is_one_message(toolgauge, weather) -> None:
    def unknown(_request: object) -> tuple[int, Any]:
        return 404, {"error": {"message": "The model `stub` does not exist", "code": "not_found"}}

    with Provider(unknown) as provider:
        done = toolgauge("run", weather, "-m", "openai/stub", "--api-base", provider.base)
    assert done.code == 2
    assert "could not be measured" in done.err
    assert len(provider.seen) <= 2


def test_a_dead_server_could_not_be_measured(toolgauge, weather) -> None:
    with Provider(right) as provider:
        base = provider.base
    done = toolgauge("run", weather, "-m", "openai/stub", "--api-base", base)
    assert done.code == 3
    assert "could not be measured" in done.err


def test_a_broken_suite_says_everything_at_once(toolgauge, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text(
        "name: b\ntest_cases:\n  - id: a\n    promt: hello\n    expected_tool: []\n"
    )
    done = toolgauge("run", "broken.yaml", "-m", "builtin/lexical")
    assert done.code == 2
    assert "line 4" in done.err
    assert "prompt" in done.err
    assert "expected_tool" in done.err


def test_a_suite_without_targets_says_how_to_name_one(toolgauge, weather) -> None:
    done = toolgauge("run", weather)
    assert done.code == 2
    assert "-m builtin/lexical" in done.err


def test_semantic_without_an_embedding_model_refuses_to_start(toolgauge, tmp_path: Path) -> None:
    suite = {
        "name": "s",
        "tools": [],
        "test_cases": [
            {
                "prompt": "p",
                "expected_tool": "t",
                "expected_params": {"a": "b"},
                "param_scoring": "semantic",
            }
        ],
    }
    (tmp_path / "s.json").write_text(json.dumps(suite))
    done = toolgauge("run", "s.json", "-m", "builtin/lexical")
    assert done.code == 2
    assert "TOOLGAUGE_EMBEDDING_MODEL" in done.err


def test_semantic_really_embeds_through_the_gateway(toolgauge, tmp_path: Path) -> None:
    suite = {
        "name": "s",
        "tools": [],
        "embedding_model": "openai/embedder",
        "test_cases": [
            {
                "id": "a",
                "prompt": "p",
                "expected_tool": "t",
                "expected_params": {"city": "the capital of France"},
                "param_scoring": "semantic",
            }
        ],
    }
    (tmp_path / "s.json").write_text(json.dumps(suite))

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        if "input" in request:
            data = [
                {"object": "embedding", "index": n, "embedding": [1.0, 0.1 * n]}
                for n, _ in enumerate(request["input"])
            ]
            return 200, {"object": "list", "data": data, "model": "e", "usage": {}}
        return calling("t", city="Paris")

    with Provider(answer) as provider:
        done = toolgauge(
            *("run", "s.json", "-m", "openai/stub", "--json"), "--api-base", provider.base
        )
    (trial,) = done.json()["runs"][0]["trials"]
    assert (trial["passed"], trial["error"]) == (True, None)
    embedded = next(request for request in provider.seen if "input" in request)
    assert sorted(embedded["input"]) == ["Paris", "the capital of France"]
    assert embedded["model"] == "embedder"


def test_hostile_text_of_a_model_reaches_the_terminal_as_text(toolgauge, weather) -> None:
    evil = {
        "role": "assistant",
        "tool_calls": [
            {"function": {"name": "\x1b[31m[red]x\u202e\n::error::", "arguments": "{}"}}
        ],
    }
    with Provider(lambda _: completing(evil)) as provider:
        done = toolgauge("run", weather, "-m", "openai/stub", "--api-base", provider.base)
    assert done.code == 0
    assert "\x1b" not in done.out + done.err
    assert "\u202e" not in done.out
    assert not any(line.startswith("::") for line in done.out.splitlines())


def test_a_recording_is_a_target(toolgauge, weather, tmp_path: Path) -> None:
    call = {"function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
    line = {"case_id": "paris", "target": "x/y", "repeat": 0}
    line["messages"] = [{"role": "assistant", "tool_calls": [call]}]
    (tmp_path / "t.jsonl").write_text(json.dumps(line) + "\n")
    done = toolgauge("run", weather, "-m", "replay/t.jsonl", "--json")
    by_case = {trial["case_id"]: trial for trial in done.json()["runs"][0]["trials"]}
    assert by_case["paris"]["passed"] is True
    assert by_case["thanks"]["error"]["code"] == "not_found"


def test_json_errors_have_one_shape(toolgauge) -> None:
    done = toolgauge("run", "missing.yaml", "-m", "builtin/lexical", "--json")
    assert (done.code, done.out) == (2, "")
    assert json.loads(done.err)["error"]["type"] == "usage"
