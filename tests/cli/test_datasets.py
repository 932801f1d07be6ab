from __future__ import annotations

import json
from pathlib import Path

from dataset_samples import benchmark_record, reward_kit_record, write_leaderboard, write_lines


def test_a_dataset_is_imported_and_its_recorded_outputs_scored(toolgauge, tmp_path: Path) -> None:
    write_lines(tmp_path / "d.jsonl", [reward_kit_record(), reward_kit_record(ground_truth=None)])
    done = toolgauge("import", "reward-kit", "d.jsonl", "--out", "weather.yaml")
    assert done.code == 0, done.err
    assert "weather.yaml: 2 cases" in done.out
    assert "weather.transcript.jsonl: 2 recorded outputs" in done.out
    scored = toolgauge(
        *("score", "weather.yaml", "-t", "weather.transcript.jsonl", "--json")
    ).json()
    assert [trial["scores"]["exact_match"] for trial in scored["trials"]] == [1.0, 0.0]


def test_json_says_what_was_written(toolgauge, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps([benchmark_record()]))
    done = toolgauge("import", "tool-call-benchmark", "d.json", "--json")
    shown = done.json()
    assert (shown["cases"], shown["transcript"], shown["trials"]) == (1, None, 0)
    assert Path(shown["suite"]).is_file()
    assert len(shown["warnings"]) == 1


def test_every_bad_record_is_named_and_nothing_is_written(toolgauge, tmp_path: Path) -> None:
    bad = [reward_kit_record(messages=[]), reward_kit_record(), reward_kit_record(ground_truth=7)]
    write_lines(tmp_path / "d.jsonl", bad)
    done = toolgauge("import", "reward-kit", "d.jsonl", "--out", "weather.yaml")
    assert done.code == 2
    assert "line 1: messages" in done.err
    assert "line 3: ground_truth" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["d.jsonl"]


def test_many_warnings_are_counted_rather_than_printed(toolgauge, tmp_path: Path) -> None:
    odd = {"type": "function", "function": {"parameters": {"x": {"type": "int"}}}}
    names = [f"tool_{number}" for number in range(25)]
    tools = [odd | {"function": odd["function"] | {"name": name}} for name in names]
    write_lines(tmp_path / "d.jsonl", [reward_kit_record(tools=tools)])
    done = toolgauge("import", "reward-kit", "d.jsonl")
    assert done.code == 0, done.err
    assert done.err.count("warning:") == 21
    assert "more; toolgauge validate shows them" in done.err


def test_an_export_goes_to_stdout_or_to_a_place_and_comes_back(
    toolgauge, weather, tmp_path
) -> None:
    printed = toolgauge("export", "tool-call-benchmark", weather)
    assert [record["input"] for record in printed.json()] == [
        "What's the weather in Paris?",
        "Thanks!",
    ]
    written = toolgauge("export", "tool-call-benchmark", weather, "--out", "out.json")
    assert (tmp_path / "out.json").read_text() == printed.out
    assert "out.json" in written.out
    assert toolgauge("import", "tool-call-benchmark", "out.json", "--out", "b.json").code == 0
    assert json.loads((tmp_path / "b.json").read_text()) == json.loads(weather.read_text())


def test_the_leaderboard_needs_a_folder(toolgauge, tmp_path: Path) -> None:
    write_leaderboard(tmp_path / "data")
    assert toolgauge("import", "bfcl", "data/BFCL_v4_parallel.json", "--out", "s.yaml").code == 0
    done = toolgauge("export", "bfcl", "s.yaml")
    assert done.code == 2
    assert "--out DIR" in done.err
    assert toolgauge("export", "bfcl", "s.yaml", "--out", "out").code == 0
    assert len(list((tmp_path / "out").rglob("*.json"))) == 2


def test_a_suite_becomes_yaml_where_the_place_says_so(toolgauge, weather, tmp_path: Path) -> None:
    done = toolgauge("export", "suite", weather, "--out", "w.yaml")
    assert done.code == 0
    assert (tmp_path / "w.yaml").read_text().startswith("name: weather\n")
    assert toolgauge("validate", "w.yaml").code == 0


def test_what_cannot_be_exported_is_named(toolgauge, tmp_path: Path) -> None:
    suite = {"name": "s", "test_cases": [{"id": "a", "prompt": "p", "expect_any_call": True}]}
    (tmp_path / "s.json").write_text(json.dumps(suite))
    done = toolgauge("export", "reward-kit", "s.json", "--out", "o.jsonl")
    assert done.code == 2
    assert "test_cases[0].expect_any_call: cannot be exported" in done.err
    assert not (tmp_path / "o.jsonl").exists()


def test_an_unknown_kind_is_one_message(toolgauge, tmp_path: Path) -> None:
    write_lines(tmp_path / "d.jsonl", [{}])
    done = toolgauge("import", "rewardkit", "d.jsonl")
    assert (done.code, "did you mean `reward-kit`" in done.err) == (2, True)
