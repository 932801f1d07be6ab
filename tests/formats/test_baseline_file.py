"""Committed baselines: stable to diff, exact to read, refused where damaged."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measured import NOW, counted, measured, tally
from toolgauge.errors import CannotMeasure, InvalidFile, UsageError
from toolgauge.formats.baseline_file import (
    dump_baseline,
    parse_baseline,
    read_baseline,
    write_baseline,
)
from toolgauge.model.comparison import CaseTally, Measurement

HEADER: dict[str, Any] = {
    "source": "base.json",
    "model": "openai/gpt-5",
    "model_served": "gpt-5-2026",
    "parameters": {"temperature": 0.5, "a": {"z": 1, "b": [1]}},
    "engine_version": "0.1.0",
    "suite_hash": "5a",
    "tools_hash": "7b",
    "commit": "c0ffee",
    "measured_at": NOW,
    "repeats": 3,
    "run_ids": ("run2", "run1"),
}
PARIS = tally(
    "paris",
    2,
    3,
    errored=1,
    score=0.7,
    request="r1",
    expectation="e1",
    latency_median_ms=812.25,
    input_tokens=300,
    output_tokens=60,
    cost_usd=0.00036,
    called_tools={"get_weather": 2, "": 1},
)
ROME = tally("rome", 99, 99)


def parsed(text: str) -> tuple[Measurement, ...]:
    return parse_baseline(text.encode(), "base.json")


def changed(case: dict[str, Any] | None = None, **top: Any) -> str:
    """Return a baseline's text with fields of the first case, or of the document, replaced."""
    document = json.loads(dump_baseline([measured(PARIS, ROME)])) | top
    if case:
        document["suites"][0]["cases"][0] |= case
    return json.dumps(document)


def problems(text: str) -> list[str]:
    with pytest.raises(InvalidFile) as caught:
        parsed(text)
    assert caught.value.file == "base.json"
    return [str(problem) for problem in caught.value.problems]


def test_all_numbers_and_the_whole_header_come_back() -> None:
    run = measured(PARIS, ROME, **HEADER)
    assert parsed(dump_baseline([run])) == (run,)


def test_a_case_stands_on_one_line_and_a_header_field_on_another() -> None:
    lines = dump_baseline([measured(ROME, PARIS, **HEADER)]).splitlines()
    cases = [json.loads(line.rstrip(",")) for line in lines if line.startswith('{"id"')]
    assert [case["id"] for case in cases] == ["paris", "rome"]
    assert '"model": "openai/gpt-5",' in lines
    assert '"parameters": {"a": {"b": [1], "z": 1}, "temperature": 0.5},' in lines
    assert '"errored": 1,' in lines


def test_one_changed_case_changes_its_line_and_the_header_alone() -> None:
    others = [tally(f"c{n}", 1, 1) for n in range(9)]
    before = dump_baseline([measured(*others, tally("a", 1, 1))]).splitlines()
    after = dump_baseline([measured(*others, tally("a", 0, 1))]).splitlines()
    assert len(before) == len(after)
    assert [line[:10] for line in before if line not in after] == ['{"id": "a"']


def test_the_order_of_suites_cases_and_calls_does_not_matter() -> None:
    turned = measured(
        tally("b", 1, 1, called_tools={"y": 1, "x": 2}), tally("a", 1, 1), suite="s", target="t"
    )
    straight = measured(
        tally("a", 1, 1), tally("b", 1, 1, called_tools={"x": 2, "y": 1}), suite="s", target="t"
    )
    other = counted([(1, 1)], suite="a")
    assert dump_baseline([turned, other]) == dump_baseline([other, straight])


def test_runs_of_a_window_keep_their_order() -> None:
    runs = [counted([(1, 1)], run_ids=(name,)) for name in ("newest", "older")]
    assert [run.side.run_ids for run in parsed(dump_baseline(runs))] == [("newest",), ("older",)]


def test_prompts_expectations_and_answers_are_not_in_it() -> None:
    secret = tally("a", 1, 1, prompt="PROMPT", expected="EXPECTED")
    assert not {"PROMPT", "EXPECTED"} & set(dump_baseline([measured(secret)]).split('"'))


names = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8)
floats = st.floats(0, 1e6, allow_nan=False)


@st.composite
def tallies(draw: st.DrawFn) -> CaseTally:
    runs = draw(st.integers(1, 20))
    return tally(
        draw(names),
        draw(st.integers(0, runs)),
        runs,
        score=draw(st.floats(0, 1)),
        latency_median_ms=draw(st.none() | floats),
        input_tokens=draw(st.none() | st.integers(0, 10**9)),
        cost_usd=draw(st.none() | floats),
        called_tools=draw(st.dictionaries(names, st.integers(0, 99), max_size=3)),
    )


@given(st.lists(tallies(), min_size=1, max_size=5), names)
@settings(max_examples=60, deadline=None)
def test_any_run_comes_back_as_it_was(cases: list[CaseTally], suite: str) -> None:
    run = measured(*cases, suite=suite, source="base.json")
    assert parsed(dump_baseline([run])) == (run,)


def test_half_characters_of_tool_names_are_replaced() -> None:
    run = measured(tally("a", 1, 1, called_tools={"\ud800": 1}))
    assert parsed(dump_baseline([run]))[0].tallies["a"].called_tools == {"?": 1}


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    write_baseline(path, [measured(PARIS, ROME, **HEADER)])
    before = path.read_bytes()
    with pytest.raises(CannotMeasure):
        write_baseline(path, [counted([(1, 1)], truncated=True)])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    (read,) = read_baseline(path)
    assert read.side.source == str(path)
    with pytest.raises(UsageError, match="cannot be written"):
        write_baseline(tmp_path / "none" / "baseline.json", [counted([(1, 1)])])


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (counted([(1, 1)], truncated=True), "weather on gpt can be no baseline: the run was"),
        (measured(tally("a", 9, 9, errored=1)), "1 of 10 trials errored, more than 5 %"),
        (measured(), "nothing was asked"),
    ],
)
def test_an_unfit_run_is_no_baseline(run: Measurement, why: str) -> None:
    with pytest.raises(CannotMeasure, match=why):
        dump_baseline([counted([(1, 1)], suite="fine"), run])


def test_nothing_measured_is_no_baseline() -> None:
    with pytest.raises(CannotMeasure, match="Nothing was measured"):
        dump_baseline([])


CHANGED_TIME = changed().replace('"measured_at": null', '"measured_at": "TIME"')


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ("[]", "is no baseline file"),
        ("{}", "is no baseline file"),
        ('{"schema_version": 1, "runs": []}', "is no baseline file"),
        (changed(schema_version=2), "is of version 2, newer than this toolgauge reads: upgrade it"),
        (changed(schema_version=0), "schema_version: must be 1"),
        (changed(suites=[{}]), "suites[0].suite: "),
        (changed({"passes": 4}), "suites[0].cases[0].passes: is 4 of 3 runs"),
        (changed({"id": "rome"}), "suites[0].cases[1].id: stands here twice"),
        (changed({"runs": -1}), "suites[0].cases[0].runs: "),
        (changed({"runs": "3"}), "suites[0].cases[0].runs: must be a whole number"),
        (changed({"score_sum": float("nan")}), "suites[0].cases[0].score_sum: "),
        (CHANGED_TIME.replace("TIME", "yesterday"), "suites[0].measured_at: "),
        (CHANGED_TIME.replace("TIME", "2026-01-01T00:00:00"), "suites[0].measured_at: "),
        (changed({"colour": "red"}), "suites[0].cases[0].colour: is no known field"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(text: str, problem: str) -> None:
    found = problems(text)
    assert any(problem in one for one in found), found


def test_conflict_markers_are_found_by_line() -> None:
    text = dump_baseline([measured(PARIS, ROME)]).replace(
        '{"id": "rome"', '<<<<<<< main\n{"id": "rome"'
    )
    line = text.splitlines().index("<<<<<<< main") + 1
    assert problems(text)[0].startswith(f"line {line}: is not valid JSON")


def test_a_wrong_number_is_told_with_its_line() -> None:
    text = dump_baseline([measured(PARIS, ROME)]).replace('"passes": 99', '"passes": 100')
    line = next(n for n, one in enumerate(text.splitlines(), 1) if '"rome"' in one)
    assert problems(text)[0].startswith(f"line {line}: suites[0].cases[1].passes: is 100 of 99")


def test_a_file_that_is_missing_or_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="cannot be opened"):
        read_baseline(tmp_path / "none.json")
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (10 * 1024 * 1024 + 1))
    with pytest.raises(InvalidFile, match="is larger than"):
        read_baseline(large)


def test_times_keep_their_zone() -> None:
    at = datetime(2026, 3, 14, 1, 2, 3, 456, tzinfo=UTC)
    (read,) = parsed(dump_baseline([counted([(1, 1)], measured_at=at)]))
    assert read.side.measured_at == at
