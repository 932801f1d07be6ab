from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from builders import WEATHER_TOOL, called
from dataset_samples import benchmark_record, reward_kit_record, write_leaderboard, write_lines
from toolgauge.errors import InvalidFile, UsageError
from toolgauge.formats.document import read_source
from toolgauge.formats.suite_file import load_suite
from toolgauge.formats.transcripts import read_transcript
from toolgauge.service import datasets
from toolgauge.service.datasets import (
    EXPORTED,
    IMPORTED,
    export_dataset,
    import_dataset,
    write_export,
)


def reward_kit(folder: Path, *records: Any) -> str:
    return str(write_lines(folder / "dataset.jsonl", records or [reward_kit_record()]))


def test_an_import_writes_a_suite_that_loads_and_a_transcript_beside_it(tmp_path: Path) -> None:
    done = import_dataset("reward-kit", reward_kit(tmp_path), tmp_path / "out" / "weather.yaml")
    assert done.suite_file == tmp_path / "out" / "weather.yaml"
    assert done.transcript_file == tmp_path / "out" / "weather.transcript.jsonl"
    assert (done.cases, done.trials, done.warnings) == (1, 1, ())
    (case,) = load_suite(done.suite_file).document.test_cases
    (line,) = read_transcript(done.transcript_file)
    assert line.case_id == case.id
    assert line.messages[0]["tool_calls"]


def test_without_a_place_the_working_directory_is_written_to(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = import_dataset("reward-kit", reward_kit(tmp_path))
    assert done.suite_file == tmp_path / "dataset.suite.json"
    assert load_suite(done.suite_file).document.name == "dataset"


def test_a_bad_record_means_that_nothing_is_written(tmp_path: Path) -> None:
    place = reward_kit(tmp_path, reward_kit_record(), reward_kit_record(messages=[]), 7)
    with pytest.raises(InvalidFile) as refused:
        import_dataset("reward-kit", place, tmp_path / "out")
    assert [problem.line for problem in refused.value.problems] == [2, 3]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("place", ["weather.txt", "no.such/"])
def test_a_place_that_is_no_suite_file_is_refused(place: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        import_dataset("reward-kit", reward_kit(tmp_path), tmp_path / place)


def test_a_folder_that_cannot_be_made_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="no folder"):
        import_dataset("reward-kit", reward_kit(tmp_path), tmp_path / "file" / "suite.json")


def test_a_suite_that_would_be_too_large_to_load_is_not_written(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(datasets, "MAX_BYTES", 100)
    with pytest.raises(UsageError, match="split it"):
        import_dataset("reward-kit", reward_kit(tmp_path), tmp_path / "out.json")


def test_parameters_that_are_no_schema_are_warned_of_and_kept(tmp_path: Path) -> None:
    function = {"name": "specs", "parameters": {"trimid": {"type": "int"}}}
    tools = [{"type": "function", "function": function}]
    place = reward_kit(tmp_path, reward_kit_record(tools=tools))
    done = import_dataset("reward-kit", place, tmp_path / "out.json")
    assert "is no JSON Schema" in str(done.warnings[0])
    assert json.loads(done.suite_file.read_text())["tools"] == tools


def test_an_unknown_kind_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean `reward-kit`"):
        import_dataset("rewardkit", reward_kit(tmp_path))
    with pytest.raises(UsageError, match="no kind of dataset 'transcript'"):
        export_dataset("transcript", tmp_path / "suite.json")


def test_the_kinds_are_those_that_the_documents_promise() -> None:
    assert set(EXPORTED) == {"suite", "reward-kit", "tool-call-benchmark", "bfcl"}
    assert set(IMPORTED) == {*EXPORTED, "openai-evals", "transcript"}


SUITE = {
    "name": "Weather & more",
    "system_prompt": "Be brief.",
    "tools": [WEATHER_TOOL],
    "defaults": {"temperature": 0.5},
    "test_cases": [
        {"prompt": "Weather in Paris?", "expected_tool": "get_weather", "expected_params": {}},
        {"id": "thanks", "prompt": "Thanks!", "expected_tool": None, "tags": ["polite"]},
    ],
}


def suite_file(folder: Path, **fields: Any) -> Path:
    file = folder / "suite.json"
    file.write_text(json.dumps(SUITE | fields))
    return file


def again(kind: str, files: dict[str, str], folder: Path) -> Any:
    """Return the suite that an export gives when it is imported."""
    written = write_export(files, folder / "export")
    return read_source(import_dataset(kind, str(written[0]), folder / "again.json").suite_file).data


@pytest.mark.parametrize("kind", ["suite", "reward-kit", "tool-call-benchmark"])
def test_importing_an_export_gives_the_suite_with_its_ids(kind: str, tmp_path: Path) -> None:
    files = export_dataset(kind, suite_file(tmp_path))
    assert list(files) == [f"Weather_more.{'jsonl' if kind == 'reward-kit' else 'json'}"]
    first, second = SUITE["test_cases"]
    cases = [{"id": "weather-in-paris"} | first, second]
    assert again(kind, files, tmp_path) == SUITE | {"test_cases": cases}


def test_a_leaderboard_comes_back_in_both_files(tmp_path: Path) -> None:
    done = import_dataset("bfcl", str(write_leaderboard(tmp_path)), tmp_path / "suite.yaml")
    assert done.transcript_file is None
    files = export_dataset("bfcl", done.suite_file)
    assert again("bfcl", files, tmp_path) == read_source(done.suite_file).data
    with pytest.raises(UsageError, match="name a folder"):
        write_export(files, tmp_path / "one.json")


def test_recorded_outputs_go_out_and_come_back(tmp_path: Path) -> None:
    line = {"case_id": "thanks", "target": "openai/gpt-x", "repeat": 0, "latency_ms": 3.5}
    line["messages"] = [called("get_weather", city="Paris")]
    transcript = write_lines(tmp_path / "t.jsonl", [line])
    files = export_dataset("reward-kit", suite_file(tmp_path), transcript_file=transcript)
    (file,) = write_export(files, tmp_path / "out.jsonl")
    done = import_dataset("reward-kit", str(file), tmp_path / "back.json")
    assert done.transcript_file is not None
    assert list(read_transcript(done.transcript_file)) == list(read_transcript(transcript))


def test_outputs_that_have_no_place_are_refused(tmp_path: Path) -> None:
    line = {"case_id": "thanks", "target": "m", "messages": []}
    strange = line | {"case_id": "unknown"}
    transcript = write_lines(tmp_path / "t.jsonl", [line, line | {"repeat": 1}, strange])
    with pytest.raises(InvalidFile) as refused:
        export_dataset("reward-kit", suite_file(tmp_path), transcript_file=transcript)
    assert [problem.line for problem in refused.value.problems] == [2, 3]
    for kind in ("suite", "tool-call-benchmark"):
        with pytest.raises(UsageError, match="leave --transcripts out"):
            export_dataset(kind, suite_file(tmp_path), transcript_file=transcript)


def test_what_cannot_be_exported_is_told_at_its_line(tmp_path: Path) -> None:
    file = tmp_path / "suite.yaml"
    file.write_text(
        "name: s\ntest_cases:\n- prompt: a\n  expected_tool: f\n- prompt: b\n"
        "  expect_any_call: true\n"
    )
    with pytest.raises(InvalidFile) as refused:
        export_dataset("reward-kit", file)
    assert [problem.line for problem in refused.value.problems] == [3, 5]


def test_a_benchmark_of_the_third_system_is_read(tmp_path: Path) -> None:
    file = tmp_path / "dataset.json"
    file.write_text(json.dumps([benchmark_record(), benchmark_record(input="Another?")]))
    done = import_dataset("tool-call-benchmark", str(file), tmp_path / "out.json")
    assert done.cases == 2
    assert "no tools" in str(done.warnings[0])
