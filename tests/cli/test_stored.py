from __future__ import annotations

import json
from pathlib import Path


def runs_of(toolgauge, *more: object) -> dict:
    return toolgauge("runs", "list", "--json", *more).json()


def test_runs_are_listed_newest_first_in_pages(toolgauge, weather: Path) -> None:
    for _ in range(3):
        toolgauge("run", weather, "-m", "builtin/lexical")
    first = runs_of(toolgauge, "--limit", 2)
    second = runs_of(toolgauge, "--limit", 2, "--cursor", first["next_cursor"])
    ids = [item["id"] for item in first["items"] + second["items"]]
    assert len(set(ids)) == 3
    assert second["next_cursor"] is None
    started = [item["started_at"] for item in first["items"] + second["items"]]
    assert started == sorted(started, reverse=True)
    assert ids[0] in toolgauge("runs", "list").out


def test_a_bad_cursor_is_one_message(toolgauge) -> None:
    done = toolgauge("runs", "list", "--cursor", "nonsense")
    assert done.code == 2
    assert "cursor" in done.err


def test_a_run_is_shown_exported_and_deleted(toolgauge, weather: Path, tmp_path: Path) -> None:
    toolgauge("run", weather, "-m", "builtin/lexical", "--out", "live.json")
    (run,) = runs_of(toolgauge)["items"]
    assert run["id"] in toolgauge("runs", "show", run["id"]).out
    assert toolgauge("runs", "export", run["id"], "--out", "stored.json").code == 0
    live = json.loads((tmp_path / "live.json").read_text())
    assert json.loads((tmp_path / "stored.json").read_text()) == live
    assert toolgauge("runs", "delete", run["id"]).code == 0
    assert runs_of(toolgauge)["items"] == []


def test_showing_a_run_counts_how_often_a_case_failed(toolgauge, tmp_path: Path) -> None:
    case = {"id": "a", "prompt": "Thanks!", "expected_tool": "nosuch"}
    (tmp_path / "s.json").write_text(json.dumps({"name": "s", "test_cases": [case]}))
    toolgauge("run", "s.json", "-m", "builtin/lexical")
    (run,) = runs_of(toolgauge)["items"]
    (failing,) = toolgauge("runs", "show", run["id"], "--json").json()["failing"]
    assert (failing["case_id"], failing["failed"], failing["runs"]) == ("a", 1, 1)
    assert failing["expected"] == {"name": "nosuch", "arguments": None}


def test_rescoring_applies_todays_expectations_as_a_run_of_its_own(
    toolgauge, weather: Path
) -> None:
    toolgauge("run", weather, "-m", "builtin/lexical")
    (run,) = runs_of(toolgauge)["items"]
    suite = json.loads(weather.read_text())
    suite["test_cases"][0]["expected_params"] = {"city": "Rome"}
    weather.write_text(json.dumps(suite))
    done = toolgauge("rescore", run["id"], "--suite", weather, "--json").json()
    assert done["source_run_id"] == run["id"]
    assert done["summaries"][0]["n_passed"] == run["summaries"][0]["n_passed"] - 1
    assert len(runs_of(toolgauge)["items"]) == 2


def test_suites_keep_their_versions(toolgauge, weather: Path) -> None:
    toolgauge("suites", "save", weather)
    toolgauge("suites", "save", weather)
    suite = json.loads(weather.read_text())
    suite["test_cases"].pop()
    weather.write_text(json.dumps(suite))
    toolgauge("suites", "save", weather)
    (item,) = toolgauge("suites", "list", "--json").json()["items"]
    assert (item["id"], item["version"], item["n_cases"]) == ("weather", 2, 1)
    history = toolgauge("suites", "history", "weather", "--json").json()["items"]
    assert [entry["version"] for entry in history] == [2, 1]
    first = toolgauge("suites", "show", "weather", "--version", 1).json()
    assert len(first["test_cases"]) == 2


def test_a_saved_suite_can_be_run_as_it_is_shown(toolgauge, weather: Path) -> None:
    toolgauge("suites", "save", weather)
    assert toolgauge("suites", "show", "weather", "--out", "again.json").code == 0
    assert toolgauge("run", "again.json", "-m", "builtin/lexical").code == 0


def test_a_suite_with_runs_is_deleted_only_by_force(toolgauge, weather: Path) -> None:
    toolgauge("suites", "save", weather)
    toolgauge("run", weather, "-m", "builtin/lexical")
    assert toolgauge("suites", "delete", "weather").code == 2
    assert toolgauge("suites", "delete", "weather", "--force").code == 0
    assert toolgauge("suites", "delete", "weather").code == 2


def test_a_place_that_is_no_database_is_one_message(toolgauge, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("this is no database, and long enough to look at" * 20)
    done = toolgauge("runs", "list", "--database", f"sqlite:///{tmp_path}/text.db")
    assert done.code == 3
    assert "no database of toolgauge" in done.err
