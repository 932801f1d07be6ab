from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from provider import Provider, calling, saying

DEMO = Path(__file__).parents[2] / "suites" / "demo"
GOOD, WORSE = DEMO / "weather_desk.yaml", DEMO / "weather_desk_worse.yaml"
LEXICAL = ("-m", "builtin/lexical")


def test_an_unchanged_suite_passes_and_a_worse_description_fails_naming_the_cases(
    toolgauge,
) -> None:
    first = toolgauge("gate", GOOD, *LEXICAL, "--write-baseline", "base.json")
    assert (first.code, "baseline" in first.out) == (0, True)
    assert toolgauge("gate", GOOD, *LEXICAL, "-b", "base.json").code == 0
    worse = toolgauge("gate", WORSE, *LEXICAL, "-b", "base.json", "--policy", "strict")
    assert worse.code == 1
    assert "rain-tomorrow" in worse.out


def test_the_report_is_written_in_every_form(toolgauge, tmp_path: Path) -> None:
    toolgauge("gate", GOOD, *LEXICAL, "--write-baseline", "base.json")
    done = toolgauge(
        *("gate", WORSE, *LEXICAL, "-b", "base.json", "--json"),
        *("--markdown", "r.md", "--html", "r.html", "--junit", "r.xml", "--report", "r.json"),
    )
    assert done.json()["verdict"] == "fail"
    assert json.loads((tmp_path / "r.json").read_text())["verdict"] == "fail"
    assert "rain-tomorrow" in (tmp_path / "r.md").read_text()
    assert "rain-tomorrow" in (tmp_path / "r.html").read_text()
    assert ET.parse(tmp_path / "r.xml").getroot().tag == "testsuites"  # noqa: S314 - our own file


def test_a_stored_run_and_an_experiment_are_baselines_too(toolgauge) -> None:
    toolgauge("run", GOOD, *LEXICAL, "--experiment", "desk")
    (run,) = toolgauge("runs", "list", "--json").json()["items"]
    assert toolgauge("gate", WORSE, *LEXICAL, "-b", run["id"]).code == 1
    assert toolgauge("gate", WORSE, *LEXICAL, "-b", "desk").code == 1
    assert toolgauge("baseline", "write", "base.json", "--run", run["id"]).code == 0
    assert toolgauge("gate", GOOD, *LEXICAL, "-b", "base.json").code == 0


def test_a_missing_baseline_file_says_how_to_make_one(toolgauge) -> None:
    done = toolgauge("gate", GOOD, *LEXICAL, "-b", "none.json")
    assert done.code == 2
    assert "toolgauge baseline write" in done.err


def test_a_dead_server_is_an_error_never_a_pass_or_a_fail(toolgauge, weather) -> None:
    with Provider(lambda _: saying("x")) as provider:
        base = provider.base
    done = toolgauge("gate", weather, "-m", "openai/stub", "--api-base", base)
    assert done.code == 3
    refused = toolgauge(
        *("gate", weather, "-m", "openai/stub", "--api-base", base, "--write-baseline", "b.json")
    )
    assert refused.code == 3
    assert "baseline" in refused.err


def test_report_only_never_fails(toolgauge) -> None:
    toolgauge("gate", GOOD, *LEXICAL, "--write-baseline", "base.json")
    done = toolgauge("gate", WORSE, *LEXICAL, "-b", "base.json", "--policy", "report-only")
    assert done.code == 0


def many_cases(folder: Path, count: int) -> Path:
    cases = [
        {"id": f"c{n}", "prompt": f"Weather in city {n}?", "expected_tool": "get_weather"}
        for n in range(count)
    ]
    file = folder / "many.json"
    file.write_text(json.dumps({"name": "many", "test_cases": cases}))
    return file


def test_a_broken_case_of_a_live_model_is_confirmed_by_fresh_repeats_of_its_own(
    toolgauge, tmp_path: Path
) -> None:
    broken = [False]

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        fails = broken[0] and "city 7?" in request["messages"][-1]["content"]
        return saying("no") if fails else calling("get_weather", city="x")

    suite = many_cases(tmp_path, 20)
    with Provider(answer) as provider:
        live = (suite, "-m", "openai/stub", "--api-base", provider.base)
        toolgauge("gate", *live, "--repeats", 5, "--write-baseline", "base.json")
        broken[0] = True
        asked = len(provider.seen)
        done = toolgauge("gate", *live, "--repeats", 3, "-b", "base.json", "--json")
        fresh = [r for r in provider.seen[asked:] if "city 7?" in r["messages"][-1]["content"]]
    report = done.json()
    assert done.code == 1
    (regression,) = report["suites"][0]["regressions"]
    assert (regression["case_id"], regression["status"]) == ("c7", "confirmed")
    assert {one["batch"] for one in report["suites"][0]["extra"]} >= {"confirm"}
    assert len(fresh) > 3
    run = toolgauge("runs", "show", report["run_ids"][0], "--json").json()
    assert run["summaries"][0]["n_trials"] in (60, 120)


def test_an_unclear_drop_buys_one_second_batch_of_all_cases(toolgauge, tmp_path: Path) -> None:
    weak: set[int] = set()

    def answer(request: dict[str, Any]) -> tuple[int, Any]:
        city = int(request["messages"][-1]["content"].split("city ")[1].rstrip("?"))
        return saying("no") if city in weak else calling("get_weather", city="x")

    suite = many_cases(tmp_path, 20)
    with Provider(answer) as provider:
        live = (suite, "-m", "openai/stub", "--api-base", provider.base)
        toolgauge("gate", *live, "--repeats", 1, "--write-baseline", "base.json")
        weak |= {1, 2}
        done = toolgauge("gate", *live, "--repeats", 1, "-b", "base.json", "--json")
        single = toolgauge(
            *("gate", *live, "--repeats", 1, "-b", "base.json", "--json", "--no-second-batch")
        )
    part = done.json()["suites"][0]
    assert [(one["batch"], one["trials"]) for one in part["extra"]] == [("second", 20)]
    assert (part["looks"], part["numbers"]["head"]["runs"]) == (2, 40)
    assert single.json()["suites"][0]["extra"] == []


def test_selftest_prints_false_alarms_and_power_of_recorded_repeats(
    toolgauge, tmp_path: Path
) -> None:
    turn = [0]

    def answer(_request: object) -> tuple[int, Any]:
        turn[0] += 1
        return saying("no") if turn[0] % 7 == 0 else calling("get_weather", city="x")

    suite = many_cases(tmp_path, 20)
    with Provider(answer) as provider:
        toolgauge(*("run", suite, "-m", "openai/stub", "--api-base", provider.base, "--repeats", 6))
    (run,) = toolgauge("runs", "list", "--json").json()["items"]
    done = toolgauge("gate", "selftest", run["id"], "--gates", 50, "--json")
    (item,) = done.json()["items"]
    assert item["unchanged"]["gates"] == 50
    assert [tried["drop"] for tried in item["dropped"]] == [0.02, 0.05, 0.10]
    assert "false alarms" in toolgauge("gate", "selftest", run["id"], "--gates", 20).out


def test_selftest_of_single_repeats_says_what_to_do(toolgauge) -> None:
    toolgauge("run", GOOD, *LEXICAL)
    (run,) = toolgauge("runs", "list", "--json").json()["items"]
    done = toolgauge("gate", "selftest", run["id"])
    assert done.code == 2
    assert "--repeats" in done.err
