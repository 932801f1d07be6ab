from __future__ import annotations

import json
from pathlib import Path

DEMO = Path(__file__).parents[2] / "suites" / "demo"


def results(toolgauge, suite: Path, name: str, *more: object) -> None:
    done = toolgauge("run", suite, "-m", "builtin/lexical", "--out", name, *more)
    assert done.code == 0, done.err


def test_one_worse_description_lowers_the_score_and_the_changed_cases_are_named(toolgauge) -> None:
    results(toolgauge, DEMO / "weather_desk.yaml", "before.json")
    results(toolgauge, DEMO / "weather_desk_worse.yaml", "after.json")
    found = toolgauge("compare", "before.json", "after.json", "--json").json()["comparisons"][0]
    assert found["delta"] < -0.1
    assert found["n_compared"] == 18
    worse = {case["id"] for case in found["changed_cases"]}
    assert len(worse) >= 3
    shown = toolgauge("compare", "before.json", "after.json")
    assert shown.code == 0
    assert all(case_id in shown.out for case_id in worse)


def test_a_run_compared_with_itself_has_no_difference(toolgauge, weather) -> None:
    results(toolgauge, weather, "a.json")
    found = toolgauge("compare", "a.json", "a.json", "--json").json()["comparisons"][0]
    assert (found["delta"], found["changed_cases"]) == (0.0, [])


def test_cases_whose_expectation_changed_are_listed_not_compared(toolgauge, weather) -> None:
    results(toolgauge, weather, "a.json")
    suite = json.loads(weather.read_text())
    suite["test_cases"][0]["expected_params"] = {"city": "Rome"}
    suite["test_cases"][1]["id"] = "renamed"
    weather.write_text(json.dumps(suite))
    results(toolgauge, weather, "b.json")
    found = toolgauge("compare", "a.json", "b.json", "--json").json()["comparisons"][0]
    assert found["expectation_changed"] == ["paris"]
    assert (found["new"], found["removed"], found["n_compared"]) == (["renamed"], ["thanks"], 0)


def test_a_file_that_is_no_result_file_is_one_message(toolgauge, weather) -> None:
    done = toolgauge("compare", weather, weather)
    assert done.code == 2
    assert "no result file" in done.err
