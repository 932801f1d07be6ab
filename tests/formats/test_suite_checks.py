from __future__ import annotations

from typing import Any

import pytest
from suite_documents import BARE, CASE, paths, problems, suite

from toolgauge.formats.suite_checks import expects_no_call


def messages(case: dict[str, Any]) -> list[str]:
    found = problems(suite(case))
    assert {problem.path for problem in found} <= {"test_cases[0]"}
    return [problem.message for problem in found]


def test_an_expectation_must_be_stated() -> None:
    for case in (
        BARE,
        BARE | {"expect_no_call": False},
        BARE | {"expected_calls": None, "should_call_tool": True},
        BARE | {"expected_params": {"city": "Paris"}},
    ):
        (message,) = messages(case)
        assert message.startswith("states no expectation; add `expected_tool`")


@pytest.mark.parametrize(
    "stated",
    [
        {"expected_tool": None},
        {"expected_tool": None, "expected_params": None},
        {"expected_tool": None, "expect_no_call": True},
        {"expected_tool": None, "should_call_tool": True},
        {"expect_no_call": True},
        {"should_call_tool": False},
        {"should_call_tool": False, "expect_no_call": True, "expected_tool": None},
        {"should_call_tool": True, "expected_tool": "search"},
        {"expect_any_call": True, "expect_no_call": False},
        {"expected_calls": []},
        {"expected_calls": [], "expect_no_call": True},
        {"expected_calls": [{"tool": "search"}], "expected_params": None},
    ],
)
def test_expectations_that_agree_may_stand_together(stated: dict[str, Any]) -> None:
    assert messages(BARE | stated) == []


@pytest.mark.parametrize(
    ("stated", "names"),
    [
        ({"expected_tool": "search", "expected_calls": []}, ["expected_tool", "expected_calls"]),
        ({"expected_tool": None, "expected_calls": []}, ["expected_tool", "expected_calls"]),
        ({"expected_tool": "search", "expect_no_call": True}, ["expected_tool", "expect_no_call"]),
        (
            {"expected_tool": "search", "should_call_tool": False},
            ["expected_tool", "should_call_tool"],
        ),
        (
            {"expected_calls": [{"tool": "search"}], "expect_no_call": True},
            ["expected_calls", "expect_no_call"],
        ),
        (
            {"expected_tool": "search", "expect_any_call": True},
            ["expected_tool", "expect_any_call"],
        ),
        ({"expected_tool": None, "expect_any_call": True}, ["expected_tool", "expect_any_call"]),
        ({"expect_no_call": True, "expect_any_call": True}, ["expect_no_call", "expect_any_call"]),
        (
            {"expected_calls": [{"tool": "search"}], "expect_any_call": True},
            ["expected_calls", "expect_any_call"],
        ),
    ],
)
def test_expectations_that_exclude_each_other_are_told(
    stated: dict[str, Any], names: list[str]
) -> None:
    listed = " and ".join(f"`{name}`" for name in names)
    told = f"states expectations that exclude each other; keep one of {listed}"
    assert messages(BARE | stated) == [told]


def test_params_that_nothing_would_look_at_are_told() -> None:
    params = {"expected_params": {"q": "x"}}
    (beside_calls,) = messages(BARE | params | {"expected_calls": [{"tool": "search"}]})
    assert "move it into a call's `params`" in beside_calls
    (beside_any,) = messages(BARE | params | {"expect_any_call": True})
    assert "`expect_any_call`, which looks at none" in beside_any


def test_a_misspelt_expectation_is_told_once() -> None:
    assert paths(suite(BARE | {"expect_tool": "search"})) == ["test_cases[0].expect_tool"]
    case = {"id": "a", "promt": "p", "expected_tool": None}
    assert paths(suite(case)) == ["test_cases[0].promt"]


def test_a_wrong_type_of_an_expectation_counts_as_stated() -> None:
    assert paths(suite(BARE | {"expect_no_call": "yes"})) == ["test_cases[0].expect_no_call"]
    assert paths(suite(BARE | {"expected_calls": "search"})) == ["test_cases[0].expected_calls"]


def test_a_case_says_either_a_prompt_or_messages() -> None:
    said = [{"role": "user", "content": "p"}]
    assert messages({"id": "a", "expected_tool": None}) == [
        "says nothing to the model; state `prompt` or `messages`"
    ]
    assert messages(BARE | {"expected_tool": None, "messages": said}) == [
        "states both `prompt` and `messages`; keep one of them"
    ]
    assert messages({"id": "a", "prompt": None, "messages": said, "expected_tool": None}) == []


def test_messages_are_objects_with_a_role() -> None:
    said = [{"role": "user", "content": "p"}, {"content": "x"}, {"role": 3}, {"role": ""}, "hi"]
    found = problems(suite({"id": "a", "messages": said, "expected_tool": None}))
    assert [problem.path.removeprefix("test_cases[0].messages") for problem in found] == [
        "[1].role",
        "[2].role",
        "[3].role",
        "[4]",
    ]


def test_repeated_ids_are_told_at_each_later_case() -> None:
    data = suite(CASE, CASE | {"id": "b"}, CASE, CASE)
    assert paths(data) == ["test_cases[2].id", "test_cases[3].id"]
    assert "of test_cases[0] already" in problems(data)[0].message


@pytest.mark.parametrize(
    "weights",
    [
        {"tool": 0.6, "params": 0.5},
        {"tool": 1},
        {"tool": 1.5, "params": -0.5},
        {"tool": True, "params": 0},
        {"tool": 0.5, "params": 0.5, "other": 0},
        [0.5, 0.5],
    ],
)
def test_whatever_is_wrong_with_weights_is_told_once(weights: object) -> None:
    assert paths(suite(weights=weights)) == ["weights"]


@pytest.mark.parametrize("weights", [{"tool": 0.1, "params": 0.9}, {"tool": 0, "params": 1}, None])
def test_weights_that_sum_to_one_are_fine(weights: object) -> None:
    assert paths(suite(weights=weights)) == []


def test_a_suite_names_no_code_to_run() -> None:
    data = suite(targets=["openai/gpt-x", "python:evil:run", "replay/runs.jsonl"])
    assert paths(data) == ["targets[1]"]


@pytest.mark.parametrize(
    ("mock", "path"),
    [
        ({"when": []}, ".when"),
        ({"when": {"params": {}}}, ".when"),
        ({"when": ["x"]}, ".when[0]"),
        ({"when": [{"return": 1}]}, ".when[0].params"),
        ({"when": [{"params": {}}]}, ".when[0].return"),
        ({"when": [{"params": {}, "return": 1, "retrun": 2}]}, ".when[0].retrun"),
        ({"sequence": []}, ".sequence"),
        ({"sequence": "x"}, ".sequence"),
        ({"when": [{"params": {}, "return": 1}], "flights": 3}, ".flights"),
    ],
)
def test_a_structured_mock_has_to_be_one(mock: object, path: str) -> None:
    where = "mock_responses.search"
    assert paths(suite(CASE | {"mock_responses": {"search": mock}})) == [
        f"test_cases[0].{where}{path}"
    ]
    defaults = {"mock_responses": {"search": mock}}
    assert paths(suite(defaults=defaults)) == [f"defaults.{where}{path}"]


@pytest.mark.parametrize(
    "mock",
    [
        None,
        "text",
        [1, 2],
        {},
        {"flights": []},
        {"error": "not found"},
        {"error": {"code": 5}},
        {"error": "x", "flights": 3},
        {"default": 1},
        {"when": [{"params": {"a": 1}, "return": None}], "sequence": [1], "default": 2},
    ],
)
def test_plain_and_well_structured_mocks_are_fine(mock: object) -> None:
    assert paths(suite(CASE | {"mock_responses": {"search": mock}})) == []


def test_a_source_is_a_dotted_path() -> None:
    sources = {"a": "search.flights.0.id", "b": "search", "c": "", "d": "search..id", "e": ".x"}
    assert paths(suite(CASE | {"argument_source": sources})) == [
        f"test_cases[0].argument_source.{key}" for key in "cde"
    ]


def test_the_leaderboards_rules_take_lists_of_answers() -> None:
    answers = {"city": ["Paris", ""], "days": 3, "units": "celsius"}
    case = CASE | {"expected_params": answers}
    wrong = [f"test_cases[0].expected_params.{key}" for key in ("days", "units")]
    assert paths(suite(case | {"match": "bfcl"})) == wrong
    assert paths(suite(case, match="bfcl")) == wrong
    assert paths(suite(case, defaults={"match": "bfcl"})) == wrong
    assert paths(suite(case)) == []
    calls = BARE | {"expected_calls": [{"tool": "search", "params": {"q": "x"}}], "match": "bfcl"}
    assert paths(suite(calls)) == ["test_cases[0].expected_calls[0].params.q"]


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ({"expected_tool": None}, True),
        ({"expect_no_call": True}, True),
        ({"should_call_tool": False}, True),
        ({"expected_calls": []}, True),
        ({"expected_tool": "search"}, False),
        ({"expect_any_call": True}, False),
        ({"expect_no_call": False, "expected_calls": [{"tool": "search"}]}, False),
    ],
)
def test_no_call_is_expected_in_four_ways(case: dict[str, Any], expected: bool) -> None:  # noqa: FBT001 - a table
    assert expects_no_call(case) is expected
