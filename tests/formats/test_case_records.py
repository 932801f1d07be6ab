from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import WEATHER_TOOL, called, said
from dataset_samples import reward_kit_record
from toolgauge.errors import InvalidFile
from toolgauge.formats import bfcl, reward_kit, tool_call_benchmark
from toolgauge.formats.case_records import CARRIED, dataset_of, records_of
from toolgauge.formats.layout import Dataset, Layout
from toolgauge.formats.records import Record, Records
from toolgauge.model.json_equality import identical

NAMES = st.sampled_from(["get_weather", "search", "book.flight"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
PARAMS = st.dictionaries(st.text(min_size=1, max_size=6), JSON, max_size=3)
CALLS = st.lists(st.fixed_dictionaries({"tool": NAMES, "params": PARAMS}), max_size=3)
EXPECTATIONS = st.one_of(
    st.fixed_dictionaries({"expected_calls": CALLS}, optional={"order": st.just("strict")}),
    st.fixed_dictionaries({"expected_tool": NAMES, "expected_params": PARAMS}),
    st.just({"expected_tool": None}),
    st.just({"expect_no_call": True}),
)
ASKED = st.one_of(
    st.fixed_dictionaries({"prompt": st.text()}),
    st.fixed_dictionaries(
        {
            "messages": st.lists(
                st.fixed_dictionaries(
                    {"role": st.sampled_from(["system", "user", "assistant"]), "content": st.text()}
                ),
                min_size=1,
                max_size=3,
            )
        }
    ),
)
EXTRAS = st.fixed_dictionaries(
    {},
    optional={
        "tools": st.just([WEATHER_TOOL]),
        "category": st.text(max_size=5),
        "tags": st.lists(st.text(max_size=5), max_size=2),
        "system_prompt": st.text(max_size=5),
        "critical": st.booleans(),
        "pass_threshold": st.floats(0, 1),
        "param_scoring": st.sampled_from(["fuzzy", "numeric_tolerance"]),
        "mock_responses": st.fixed_dictionaries({"search": JSON}),
    },
)
SHARED = st.fixed_dictionaries(
    {"name": st.text(min_size=1, max_size=9)},
    optional={
        "description": st.text(),
        "system_prompt": st.text(),
        "tools": st.just([WEATHER_TOOL]),
        "pass_threshold": st.floats(0, 1),
        "defaults": st.just({"tool_choice": "auto", "temperature": 0.5}),
    },
)
TRIALS = st.none() | st.fixed_dictionaries(
    {
        "target": st.sampled_from(["recorded", "openai/gpt-x"]),
        "repeat": st.integers(0, 3),
        "messages": st.sampled_from(
            [[], [called("search", q="x")], [called("search"), said("Done.")], [said("Hi")]]
        ),
    },
    optional={"error": st.just("timed out"), "latency_ms": st.floats(0, 9)},
)


@st.composite
def datasets(draw: st.DrawFn, *, asked: Any = ASKED, trials: Any = TRIALS) -> Dataset:
    parts = draw(st.lists(st.tuples(asked, EXPECTATIONS, EXTRAS, trials), min_size=1, max_size=4))
    cases = [
        {"id": f"case-{number}"} | question | expected | extra
        for number, (question, expected, extra, _) in enumerate(parts)
    ]
    recorded = [
        {"case_id": f"case-{number}"} | trial
        for number, (_, _, _, trial) in enumerate(parts)
        if trial is not None
    ]
    return Dataset(draw(SHARED) | {"test_cases": cases}, tuple(recorded))


def through_json(records: list[dict[str, Any]]) -> Records:
    """Return records as they come back from a file."""
    return Records("file", tuple(Record(json.loads(json.dumps(one))) for one in records))


def assert_nothing_is_lost(dataset: Dataset, layout: Layout) -> None:
    records = records_of(dataset, layout, file="suite")
    again = dataset_of(through_json(records), layout, "a name that is not used")
    assert identical(again.suite, dataset.suite)
    assert identical(again.trials, dataset.trials)


@settings(max_examples=60, deadline=None)
@given(datasets())
def test_importing_an_export_to_the_reward_kit_loses_nothing(dataset: Dataset) -> None:
    assert_nothing_is_lost(dataset, reward_kit.LAYOUT)


@settings(max_examples=60, deadline=None)
@given(datasets(asked=st.fixed_dictionaries({"prompt": st.text()}), trials=st.none()))
def test_importing_an_export_to_the_tool_call_benchmark_loses_nothing(dataset: Dataset) -> None:
    assert_nothing_is_lost(dataset, tool_call_benchmark.LAYOUT)


ANSWERS = st.dictionaries(
    st.text(min_size=1, max_size=6), st.lists(JSON, min_size=1, max_size=3), max_size=3
)
LEADERBOARD_CASES = st.lists(
    st.one_of(
        st.lists(
            st.fixed_dictionaries({"tool": NAMES, "params": ANSWERS}), min_size=1, max_size=3
        ).map(lambda calls: {"expected_calls": calls}),
        st.just({"expect_any_call": True}),
        st.just({"expect_no_call": True}),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(SHARED, LEADERBOARD_CASES, st.sampled_from(["simple", "irrelevance", "live_relevance"]))
def test_importing_an_export_to_the_leaderboard_loses_nothing(
    shared: dict[str, Any], expectations: list[dict[str, Any]], category: str
) -> None:
    cases = [
        {"id": f"{category}_{number}", "prompt": "Ask"} | expected
        for number, expected in enumerate(expectations)
    ]
    suite = shared | {"match": "bfcl", "test_cases": cases}
    assert_nothing_is_lost(Dataset(suite), bfcl.LAYOUT)


def records(*items: dict[str, Any]) -> Records:
    return Records("file", tuple(Record(item, line=n) for n, item in enumerate(items, start=1)))


def test_a_record_of_the_other_system_comes_back_as_it_was_but_for_the_first() -> None:
    items = [reward_kit_record(id="a"), reward_kit_record(id="b")]
    dataset = dataset_of(records(*items), reward_kit.LAYOUT, "weather")
    first, second = records_of(dataset, reward_kit.LAYOUT, file="suite")
    carried = first.pop(CARRIED)
    assert carried == {"suite": {"name": "weather", "tools": [WEATHER_TOOL]}}
    # the call's id means nothing to the Reward Kit's ground truth, and stays in the messages
    assert (first, second) == (items[0], items[1])


def test_tools_that_all_records_share_become_the_suites() -> None:
    same = dataset_of(records(reward_kit_record(), reward_kit_record()), reward_kit.LAYOUT, "n")
    assert same.suite["tools"] == [WEATHER_TOOL]
    assert "tools" not in same.suite["test_cases"][0]
    other = dataset_of(
        records(reward_kit_record(), reward_kit_record(tools=[])), reward_kit.LAYOUT, "n"
    )
    assert "tools" not in other.suite
    assert [case["tools"] for case in other.suite["test_cases"]] == [[WEATHER_TOOL], []]


def test_every_case_and_its_trial_get_an_id() -> None:
    dataset = dataset_of(records(reward_kit_record(), reward_kit_record()), reward_kit.LAYOUT, "n")
    ids = [case["id"] for case in dataset.suite["test_cases"]]
    assert len(set(ids)) == 2
    assert [trial["case_id"] for trial in dataset.trials] == ids


def refused(*items: dict[str, Any]) -> InvalidFile:
    with pytest.raises(InvalidFile) as error:
        dataset_of(records(*items), reward_kit.LAYOUT, "n")
    return error.value


def test_bad_records_and_what_makes_no_valid_suite_are_told_at_once_by_line() -> None:
    no_tool = {"type": "function", "function": {"name": ""}}
    error = refused(
        reward_kit_record(messages=[]),
        reward_kit_record(),
        reward_kit_record(tools=[no_tool]),
        reward_kit_record(ground_truth=7),
    )
    assert [problem.line for problem in error.problems] == [1, 3, 4]


def test_ids_that_stand_twice_are_refused() -> None:
    error = refused(reward_kit_record(id="a"), reward_kit_record(id="a"))
    assert [problem.line for problem in error.problems] == [2]


def test_a_dataset_without_records_is_refused() -> None:
    assert "no records" in str(refused())


def test_a_record_that_was_edited_but_carries_the_case_as_it_was_is_refused() -> None:
    case = {"id": "a", "prompt": "p", "expected_tool": "f", "expected_params": {"x": 1}}
    (record,) = records_of(
        Dataset({"name": "n", "test_cases": [case]}), reward_kit.LAYOUT, file="suite"
    )
    dataset_of(records(record), reward_kit.LAYOUT, "n")
    record["ground_truth"] = {"tool_calls": []}
    assert "disagrees" in str(refused(record))


@pytest.mark.parametrize(
    "carried", [7, {"suite": 7}, {"case": 7}, {"case": {}, "trial": {"target": 1}}]
)
def test_what_is_no_export_of_ours_is_refused(carried: Any) -> None:
    assert refused(reward_kit_record(**{CARRIED: carried})).problems[0].line == 1


def test_cases_that_cannot_be_expressed_are_all_named_with_their_place(tmp_path: Path) -> None:
    cases = [
        {"id": "a", "prompt": "p", "expect_any_call": True},
        {"id": "b", "prompt": "p", "expected_tool": None},
        {"id": "c", "prompt": "p", "expected_tool": ["f", "g"], "expected_params": {}},
    ]
    with pytest.raises(InvalidFile) as error:
        records_of(
            Dataset({"name": "n", "test_cases": cases}),
            reward_kit.LAYOUT,
            file=str(tmp_path),
            locate=lambda loc: 10 + loc[1],
        )
    assert [(problem.path, problem.line) for problem in error.value.problems] == [
        ("test_cases[0].expect_any_call", 10),
        ("test_cases[2]", 12),
    ]
