from __future__ import annotations

import json
from pathlib import Path

DEMO = Path(__file__).parents[2] / "suites" / "demo"
GOOD, WORSE = DEMO / "weather_desk.yaml", DEMO / "weather_desk_worse.yaml"


def run(toolgauge, suite: Path, *more: object) -> dict:
    done = toolgauge("run", suite, "-m", "builtin/lexical", "--json", *more)
    assert done.code == 0, done.err
    return done.json()["runs"][0]


def test_the_first_linked_run_is_the_baseline_and_its_delta_to_itself_is_zero(toolgauge) -> None:
    first = run(toolgauge, GOOD, "--experiment", "desk")
    second = run(toolgauge, WORSE, "--experiment", "desk")
    shown = toolgauge("experiments", "show", "desk", "--json").json()
    entries = {entry["run_id"]: entry for entry in shown["timeline"]}
    assert entries[first["id"]]["is_baseline"]
    assert entries[first["id"]]["delta"] == 0.0
    assert entries[second["id"]]["delta"] < -0.1
    assert shown["best"]["run_id"] == first["id"]


def test_history_live_summary_and_timeline_show_the_same_numbers(toolgauge) -> None:
    live = run(toolgauge, WORSE, "--experiment", "desk")
    score = live["summaries"][0]["scores"]["overall"]["macro"]
    listed = toolgauge("runs", "list", "--json").json()["items"][0]
    shown = toolgauge("runs", "show", live["id"], "--json").json()
    timeline = toolgauge("experiments", "show", "desk", "--json").json()["timeline"]
    rescored = toolgauge("rescore", live["id"], "--json").json()
    assert listed["summaries"] == shown["summaries"] == live["summaries"]
    assert timeline[0]["score"] == score
    assert rescored["summaries"][0]["scores"] == live["summaries"][0]["scores"]


def test_a_pinned_baseline_takes_over_and_cannot_be_deleted(toolgauge) -> None:
    run(toolgauge, GOOD, "--experiment", "desk")
    second = run(toolgauge, WORSE, "--experiment", "desk")
    assert toolgauge("experiments", "pin", "desk", second["id"]).code == 0
    deltas = [
        entry["delta"]
        for entry in toolgauge("experiments", "show", "desk", "--json").json()["timeline"]
    ]
    assert deltas[0] > 0.1
    assert deltas[1] == 0.0
    refused = toolgauge("runs", "delete", second["id"])
    assert refused.code == 2
    assert "desk" in refused.err


def test_run_best_runs_exactly_the_best_configuration_again(toolgauge) -> None:
    first = run(toolgauge, GOOD, "--experiment", "desk", "--temperature", "0.5")
    run(toolgauge, WORSE, "--experiment", "desk")
    done = toolgauge("experiments", "run-best", "desk", "--json")
    assert done.code == 0
    again = done.json()["runs"][0]
    assert (again["targets"], again["options"]) == (first["targets"], first["options"])
    assert again["summaries"][0]["scores"] == first["summaries"][0]["scores"]
    assert len(toolgauge("experiments", "show", "desk", "--json").json()["timeline"]) == 3


def test_a_run_whose_expectations_changed_is_shown_as_not_comparable(
    toolgauge, weather: Path
) -> None:
    run(toolgauge, weather, "--experiment", "w")
    suite = json.loads(weather.read_text())
    suite["test_cases"][0]["expected_params"] = {"city": "Rome"}
    weather.write_text(json.dumps(suite))
    run(toolgauge, weather, "--experiment", "w")
    entry = toolgauge("experiments", "show", "w", "--json").json()["timeline"][1]
    assert (entry["is_comparable"], entry["delta"]) == (False, None)
    assert entry["comparable_cases"] == ["thanks"]
    assert "not comparable" in toolgauge("experiments", "show", "w").out


def test_experiments_are_made_listed_edited_and_deleted(toolgauge, weather: Path) -> None:
    assert toolgauge("experiments", "create", "e", "--suite", "weather").code == 0
    assert toolgauge("experiments", "create", "e", "--suite", "weather").code == 2
    assert toolgauge("experiments", "edit", "e", "--name", "f").code == 0
    (item,) = toolgauge("experiments", "list", "--json").json()["items"]
    assert (item["name"], item["suite_name"]) == ("f", "weather")
    linked = run(toolgauge, weather, "--experiment", "f")
    assert toolgauge("experiments", "delete", "f").code == 0
    assert toolgauge("runs", "show", linked["id"]).code == 0


def test_a_timeline_is_drawn_on_request(toolgauge, weather: Path, tmp_path: Path) -> None:
    run(toolgauge, weather, "--experiment", "w")
    for name in ("t.svg", "t.png"):
        assert toolgauge("experiments", "show", "w", "--plot", name).code == 0
        assert (tmp_path / name).stat().st_size > 1000
    refused = toolgauge("experiments", "show", "w", "--plot", "t.exe")
    assert refused.code == 2
    assert ".svg" in refused.err


def test_run_best_without_a_scored_run_says_how_to_make_one(toolgauge) -> None:
    toolgauge("experiments", "create", "e", "--suite", "weather")
    done = toolgauge("experiments", "run-best", "e")
    assert done.code == 2
    assert "--experiment" in done.err
