from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from made import json_values, nested

from toolgauge.model.case import ParamMode, ParamRule
from toolgauge.scoring.matching import Undecided, agree, agree_exactly, texts_compared

NAN = float("nan")


def agrees(expected: Any, actual: Any, mode: ParamMode, **options: Any) -> bool:
    vectors = options.pop("vectors", {})
    return agree(expected, actual, mode=mode, rule=ParamRule(**options), embeddings=vectors)


@pytest.mark.parametrize(
    ("expected", "actual", "expected_agreement"),
    [
        ("NYC", "nyc", True),
        ("NYC", " nyc", False),
        (1, 1.0, True),
        (9007199254740993, 9007199254740992.0, False),
        (10**400, 10**400, True),
        (10**400, float("inf"), False),
        (1, "1", False),
        (True, 1, False),
        (False, 0.0, False),
        (None, None, True),
        (None, "null", False),
        (NAN, float("nan"), True),
        ([1, ["A"]], [1.0, ["a"]], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ({"a": "X"}, {"a": "x"}, True),
        ({"a": 1}, {"A": 1}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ([], {}, False),
    ],
)
def test_exact_agreement(expected: Any, actual: Any, *, expected_agreement: bool) -> None:
    assert agree_exactly(expected, actual) is expected_agreement
    assert agrees(expected, actual, "exact") is expected_agreement


@settings(max_examples=60)
@given(json_values, json_values)
def test_exact_agreement_is_symmetric(left: Any, right: Any) -> None:
    assert agree_exactly(left, right) == agree_exactly(right, left)


def test_case_insensitive_folds_white_space_at_every_depth() -> None:
    assert agrees({"a": ["New  York "]}, {"a": ["new\u00a0york"]}, "case_insensitive")
    assert not agrees("New York", "newyork", "case_insensitive")
    assert not agrees("1", 1, "case_insensitive")


@pytest.mark.parametrize(
    ("expected", "actual", "expected_agreement"),
    [
        ("Paris", "in PARIS, France", True),
        ("in Paris", "paris", True),
        ("", "x", False),
        ("", "", True),
        (["b", "a"], ["cab", "x"], True),
        (["a"], "a", False),
        ([["a"]], [["x"], ["ab"]], True),
        ([1], [10], False),
        ([1], [True], False),
        ({"k": "a"}, {"k": "ab"}, False),
        (1, "page 1", False),
    ],
)
def test_containment(expected: Any, actual: Any, *, expected_agreement: bool) -> None:
    assert agrees(expected, actual, "contains") is expected_agreement


def test_containment_gives_up_on_lists_nested_absurdly_deep() -> None:
    with pytest.raises(Undecided, match="nested deeper"):
        agrees(nested(5000), nested(5000), "contains")


def test_numeric_tolerance_reaches_every_depth_and_leaves_the_rest_exact() -> None:
    assert agrees({"lat": [1, "2"]}, {"lat": ["1.01", 2.005]}, "numeric_tolerance")
    assert agrees("ABC", "abc", "numeric_tolerance")
    assert not agrees(True, 1, "numeric_tolerance")
    assert not agrees("10%", "10", "numeric_tolerance")


@pytest.mark.parametrize(
    ("pattern", "actual", "expected_agreement"),
    [
        ("ris$", "Paris", True),
        ("par", "Paris", False),
        ("(?i)par", "Paris", True),
        ("^10$", 10, True),
        ("^true$", True, True),
        ("^null$", None, True),
        (r'^\["ä",\{"b":1\}\]$', ["ä", {"b": 1}], True),
        ("", "anything", True),
    ],
)
def test_a_pattern_searches_the_value_as_text(
    pattern: str, actual: Any, *, expected_agreement: bool
) -> None:
    assert agrees(pattern, actual, "regex") is expected_agreement


def test_where_no_pattern_is_expected_regex_is_exact() -> None:
    assert agrees(["A"], ["a"], "regex")
    assert not agrees(1, "1", "regex")


def test_a_pattern_that_explodes_is_undecided_and_named() -> None:
    with pytest.raises(Undecided, match=r"pattern '.*' ran out of time"):
        agrees("^(a|aa)+$", "a" * 64 + "!", "regex")


def test_a_pattern_that_is_none_is_undecided() -> None:
    with pytest.raises(Undecided, match="is none"):
        agrees("(", "x", "regex")


def test_a_value_too_deep_to_be_text_is_undecided() -> None:
    with pytest.raises(Undecided, match="nested too deeply"):
        agrees("x", nested(100_000), "regex")


@pytest.mark.parametrize(
    ("expected", "actual", "expected_agreement"),
    [
        ("Philadelphia", " philadelhpia", True),
        ("Paris", "Paris is the capital of France", False),
        ("London", "Madrid", False),
        ("", " ", True),
        (5, 5.01, True),
        (5, 5.02, False),
        (True, 1, False),
        ({"c": ["Boston"]}, {"c": ["Bostonn"]}, True),
        ("Rome", ["Rome"], False),
    ],
)
def test_fuzzy_agreement(expected: Any, actual: Any, *, expected_agreement: bool) -> None:
    assert agrees(expected, actual, "fuzzy") is expected_agreement


def test_the_fuzzy_threshold_includes_its_boundary() -> None:
    assert agrees("abcd", "abce", "fuzzy", threshold=0.75)  # 2 * 3 equal of 8 letters
    assert not agrees("abcd", "abce", "fuzzy", threshold=0.76)


def test_meaning_is_compared_by_the_cosine() -> None:
    vectors = {"sea view": [1.0, 0.0], "ocean view": [0.8, 0.6], "garage": [0.0, 1.0]}
    assert agrees("sea view", "ocean view", "semantic", vectors=vectors)
    assert not agrees("sea view", "garage", "semantic", vectors=vectors)
    assert not agrees("sea view", "ocean view", "semantic", vectors=vectors, threshold=0.81)


def test_equal_and_blank_texts_need_no_vector() -> None:
    assert agrees("Sea View", "sea view", "semantic")
    assert not agrees("", "sea view", "semantic")
    assert agrees({"a": ["X"]}, {"a": ["x"]}, "semantic")


def test_a_text_without_a_vector_is_undecided() -> None:
    with pytest.raises(Undecided, match="no embedding was given for the text 'ocean'"):
        agrees("sea", "ocean", "semantic", vectors={"sea": [1.0]})
    with pytest.raises(Undecided, match="cannot be compared"):
        agrees("sea", "ocean", "semantic", vectors={"sea": [1.0], "ocean": [1.0, 2.0]})


def test_one_of_counts_its_values_alone() -> None:
    assert agrees("ignored", "new york", "one_of", values=["NYC", "New York"])
    assert not agrees("ignored", "ignored", "one_of", values=["NYC"])
    assert agrees(0, "2026-05-01", "one_of", values=["^2025", "^2026"], by="regex")
    assert agrees(0, 1.5, "one_of", values=[7, 1], by="numeric_tolerance", epsilon=0.5)
    assert agrees(0, "b", "one_of", values=["a", "b"], by="one_of")


@pytest.mark.parametrize(
    ("type_name", "fitting", "unfitting"),
    [
        ("string", "", 1),
        ("number", 1.5, True),
        ("integer", 5.0, 5.5),
        ("boolean", False, 0),
        ("object", {}, []),
        ("array", [], {}),
        ("null", None, 0),
    ],
)
def test_any_is_narrowed_by_its_type(type_name: Any, fitting: Any, unfitting: Any) -> None:
    assert agrees("x", fitting, "any", type=type_name)
    assert not agrees("x", unfitting, "any", type=type_name)
    assert agrees("x", unfitting, "any")


def test_one_of_by_meaning_asks_for_the_vectors_of_its_values() -> None:
    rule = ParamRule(mode="one_of", by="semantic", values=["sea", "lake", 1])
    assert set(texts_compared("?", "ocean", mode="one_of", rule=rule)) == {"sea", "lake", "ocean"}
