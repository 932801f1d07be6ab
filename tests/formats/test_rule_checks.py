from __future__ import annotations

import time
from typing import Any

import pytest
from suite_documents import CASE, TOOLS, paths, problems, suite

CALLS: dict[str, Any] = {
    "id": "calls",
    "prompt": "p",
    "expected_calls": [{"tool": "search", "params": {"q": "("}}, {"tool": "book"}],
}


def case_paths(*, defaults: dict[str, Any] | None = None, **case: Any) -> list[str]:
    found = paths(suite(CASE | case, **({"defaults": defaults} if defaults else {})))
    return [path.removeprefix("test_cases[0].") for path in found]


PARENTHESIS = {"city": "("}


@pytest.mark.parametrize(
    ("case", "defaults"),
    [
        ({"param_scoring": "regex"}, None),
        ({"scoring_config": {"mode": "regex"}}, None),
        ({"scoring_config": {"mode": "regex"}, "param_scoring": "exact"}, None),
        ({"scoring_config": {"params": {"city": {"mode": "regex"}}}}, None),
        ({"scoring_config": {"params": {"city": {}}}, "param_scoring": "regex"}, None),
        ({}, {"param_scoring": "regex"}),
        ({}, {"scoring_config": {"mode": "regex"}}),
    ],
)
def test_a_bad_pattern_is_told_at_the_parameter_wherever_the_mode_is_from(
    case: dict[str, Any], defaults: dict[str, Any] | None
) -> None:
    found = case_paths(expected_params=PARENTHESIS, defaults=defaults, **case)
    assert found == ["expected_params.city"]


@pytest.mark.parametrize(
    ("case", "defaults"),
    [
        ({}, None),
        ({"scoring_config": {"mode": "exact"}, "param_scoring": "regex"}, None),
        ({"param_scoring": "exact"}, {"param_scoring": "regex"}),
        ({"param_scoring": None}, {"param_scoring": "regex"}),
        ({"scoring_config": None}, {"scoring_config": {"mode": "regex"}}),
        (
            {"scoring_config": {"params": {"city": {"mode": "fuzzy"}}}, "param_scoring": "regex"},
            None,
        ),
        ({"expected_params": {"city": 3}, "param_scoring": "regex"}, None),
        ({"expected_params": {"city": ["("]}, "param_scoring": "regex"}, None),
    ],
)
def test_a_text_that_is_not_used_as_a_pattern_may_be_anything(
    case: dict[str, Any], defaults: dict[str, Any] | None
) -> None:
    assert case_paths(**{"expected_params": PARENTHESIS, "defaults": defaults} | case) == []


def test_a_pattern_of_an_expected_call_is_told_there() -> None:
    for case in (CALLS | {"param_scoring": "regex"}, CALLS | {"scoring_config": {"mode": "regex"}}):
        assert paths(suite(case)) == ["test_cases[0].expected_calls[0].params.q"]
    own = {"tool": "search", "params": {"q": "("}, "param_scoring": "regex"}
    assert paths(suite(CALLS | {"expected_calls": [own]})) == [
        "test_cases[0].expected_calls[0].params.q"
    ]


def test_the_message_of_a_bad_pattern_names_the_parameter_and_the_reason() -> None:
    (problem,) = problems(suite(CASE | {"expected_params": PARENTHESIS, "param_scoring": "regex"}))
    assert problem.message == (
        "the pattern of `city` is no regular expression: missing ) at position 1"
    )


@pytest.mark.parametrize(
    ("case", "path"),
    [
        ({"scoring_config": {"mode": "one_of"}}, "scoring_config.values"),
        ({"scoring_config": {"mode": "one_of", "values": None}}, "scoring_config.values"),
        ({"scoring_config": {"mode": "one_of", "values": []}}, "scoring_config.values"),
        ({"scoring_config": {"mode": "one_of"}, "expected_params": None}, "scoring_config.values"),
        ({"param_scoring": "one_of"}, "scoring_config.values"),
        (
            {"scoring_config": {"mode": "one_of", "params": {"city": {"by": "fuzzy"}}}},
            "scoring_config.params.city.values",
        ),
        (
            {"scoring_config": {"values": [1], "params": {"city": {"mode": "one_of"}}}},
            "scoring_config.params.city.values",
        ),
        (
            {"scoring_config": {"mode": "one_of", "values": ["a", "("], "by": "regex"}},
            "scoring_config.values[1]",
        ),
    ],
)
def test_one_of_needs_values(case: dict[str, Any], path: str) -> None:
    assert case_paths(**case) == [path]


def test_one_of_without_values_is_told_once_where_the_defaults_say_it() -> None:
    cases = [CASE, CASE | {"id": "b"}]
    for defaults in ({"param_scoring": "one_of"}, {"scoring_config": {"mode": "one_of"}}):
        assert paths(suite(*cases, defaults=defaults)) == ["defaults.scoring_config.values"]


def test_a_case_whose_keys_all_have_values_needs_none_of_its_own() -> None:
    rules = {"mode": "one_of", "params": {"city": {"values": ["Paris", "Lyon"]}}}
    assert case_paths(scoring_config=rules) == []


def test_a_rule_for_a_key_that_is_not_expected_is_told_with_the_nearest_key() -> None:
    rules = {"params": {"ciyt": {"mode": "fuzzy"}, "city": {"mode": "fuzzy"}}}
    (problem,) = problems(suite(CASE | {"scoring_config": rules}))
    assert problem.path == "test_cases[0].scoring_config.params.ciyt"
    assert "did you mean `city`?" in problem.message


def test_rules_of_the_case_may_be_for_any_of_its_calls() -> None:
    calls = [{"tool": "search", "params": {"a": 1}}, {"tool": "book", "params": {"b": 1}}]
    rules = {"params": {"a": {"mode": "any"}, "b": {"mode": "any"}, "c": {"mode": "any"}}}
    case = CALLS | {"expected_calls": calls, "scoring_config": rules}
    assert paths(suite(case)) == ["test_cases[0].scoring_config.params.c"]


def test_rules_of_a_call_are_for_its_own_keys() -> None:
    rules = {"params": {"b": {"mode": "any"}}}
    calls = [
        {"tool": "search", "params": {"a": 1}, "scoring_config": rules},
        {"tool": "book", "params": {"b": 1}},
    ]
    assert paths(suite(CALLS | {"expected_calls": calls})) == [
        "test_cases[0].expected_calls[0].scoring_config.params.b"
    ]


def test_defaults_may_have_rules_for_keys_that_some_case_lacks() -> None:
    rules = {"scoring_config": {"params": {"units": {"mode": "any"}}}}
    assert case_paths(defaults=rules) == []


def test_a_wrong_type_of_the_expectation_is_told_without_follow_ups() -> None:
    rules = {"params": {"city": {"mode": "fuzzy"}}}
    assert case_paths(expected_params=["Paris"], scoring_config=rules) == ["expected_params"]
    assert case_paths(scoring_config={"params": []}) == ["scoring_config.params"]
    assert case_paths(scoring_config={"params": {"city": 3}}) == ["scoring_config.params.city"]


def test_modes_do_not_matter_under_the_leaderboards_rules() -> None:
    case = CASE | {"expected_params": {"city": ["("]}, "param_scoring": "one_of", "match": "bfcl"}
    assert paths(suite(case)) == []
    assert paths(suite(case | {"match": None}, match="bfcl")) == []


def test_a_pattern_that_unrolls_beyond_memory_is_refused_without_compiling() -> None:
    started = time.monotonic()
    for pattern in (
        "(?:(?:(?:a{1000}){1000}){1000})",
        "((a{999}b){999}[()]{999}){999}",
        "a{99999999}",
    ):
        (problem,) = problems(
            suite(CASE | {"expected_params": {"city": pattern}, "param_scoring": "regex"})
        )
        assert "repeats too much" in problem.message
    assert time.monotonic() - started < 5


def test_the_tools_of_the_builder_are_fine() -> None:
    assert problems(suite(CASE, CALLS, tools=TOOLS)) == ()
