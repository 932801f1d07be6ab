from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import MODES, goal, json_values, nested

from toolgauge.model.case import ExpectedCall, ParamRule
from toolgauge.scoring import parameters
from toolgauge.scoring.matching import Undecided


def test_params_that_are_not_stated_are_not_scored() -> None:
    assert parameters.score(goal(None), {"a": 1}, {}).value is None


def test_no_expected_parameter_is_fulfilled_by_every_object() -> None:
    assert parameters.score(goal({}), {"a": 1}, {}).value == 1.0


@pytest.mark.parametrize("arguments", [None, [], "text", 1, "{}"])
@pytest.mark.parametrize("params", [{}, {"a": 1}])
def test_arguments_that_are_no_object_score_zero(params: dict[str, Any], arguments: Any) -> None:
    assert parameters.score(goal(params), arguments, {}).value == 0.0


def test_a_missing_key_is_wrong_even_where_null_is_expected() -> None:
    assert parameters.score(goal({"a": None}), {}, {}).value == 0.0
    assert parameters.score(goal({"a": None}), {"a": None}, {}).value == 1.0


def test_keys_are_case_sensitive_and_unexpected_ones_are_ignored() -> None:
    assert parameters.score(goal({"City": "x"}), {"city": "x"}, {}).value == 0.0
    assert parameters.score(goal({"city": "x"}), {"city": "x", "more": 1}, {}).value == 1.0


def test_a_key_without_a_mode_of_its_own_takes_the_modes_of_the_case() -> None:
    expected = ExpectedCall(
        ("f",),
        {"a": "Paris", "b": 1},
        ParamRule(mode="contains"),
        {"b": ParamRule(mode="numeric_tolerance", epsilon=1), "a": ParamRule(epsilon=5)},
    )
    assert parameters.score(expected, {"a": "in Paris", "b": 2}, {}).value == 1.0


def test_the_reason_lets_the_value_be_recomputed() -> None:
    expected = ExpectedCall(
        ("f",),
        {"city": "Paris", "when": "^2026", "n": 1, "who": "x", "any key!": 1},
        rules={
            "when": ParamRule(mode="regex"),
            "who": ParamRule(mode="one_of", values=["a", "b"]),
            "any key!": ParamRule(mode="any", type="string"),
        },
    )
    given_arguments = {"city": "paris", "when": "2025", "who": "c", "any key!": 1}
    score = parameters.score(expected, given_arguments, {})
    assert score.value == 1 / 5
    assert score.reason == (
        "1 of 5 expected parameters agree: when expected '^2026' (regex), got '2025'; "
        "n expected 1, got nothing; who expected one of ['a', 'b'], got 'c'; "
        "'any key!' expected any string, got 1"
    )


def test_the_reason_stays_short_whatever_was_sent() -> None:
    params = {f"k{i}": "x" * 1000 for i in range(1000)}
    reason = parameters.score(goal(params), dict.fromkeys(params, "\x00" * 10_000), {}).reason
    assert len(reason) < 600
    assert "more" in reason


def test_what_cannot_be_compared_names_its_key() -> None:
    with pytest.raises(Undecided) as caught:
        parameters.score(goal({"a": "^(a|aa)+$"}, "regex"), {"a": "a" * 64 + "!"}, {})
    assert caught.value.key == "a"
    assert "ran out of time" in caught.value.why


def test_texts_that_need_a_vector_are_named_and_no_others() -> None:
    expected = goal({"a": "sea view", "b": "same", "c": 1, "d": "missing", "e": " "}, "semantic")
    arguments = {"a": "view of the sea", "b": "SAME", "c": "1", "e": "x"}
    found = set(parameters.texts_compared(expected, arguments))
    assert found == {"sea view", "view of the sea"}
    assert not set(parameters.texts_compared(goal({"a": "x"}), {"a": "y"}))
    assert not set(parameters.texts_compared(expected, "no object"))


@pytest.mark.parametrize("mode", ["exact", "case_insensitive", "numeric_tolerance", "fuzzy"])
@pytest.mark.parametrize("in_lists", [True, False])
def test_values_nested_deeper_than_python_recurses_are_scored(mode: Any, *, in_lists: bool) -> None:
    deep, other = nested(5000, in_lists=in_lists), nested(5000, 2, in_lists=in_lists)
    assert parameters.score(goal({"a": deep}, mode), {"a": deep}, {}).value == 1.0
    wrong = parameters.score(goal({"a": deep}, mode), {"a": other}, {})
    assert wrong.value == 0.0
    assert len(wrong.reason) < 500


@settings(max_examples=60)
@given(st.sampled_from(MODES), st.dictionaries(st.text(max_size=4), json_values), json_values)
def test_whatever_is_sent_gets_a_score_or_is_undecided(
    mode: Any, params: dict[str, Any], arguments: Any
) -> None:
    try:
        value = parameters.score(goal(params, mode, values=[1]), arguments, {}).value
    except Undecided:
        assert mode in ("regex", "semantic")
    else:
        assert value is not None
        assert 0 <= value <= 1


@settings(max_examples=60)
@given(
    st.sampled_from([mode for mode in MODES if mode not in ("regex", "one_of")]),
    st.dictionaries(st.text(max_size=4), json_values),
)
def test_what_is_expected_scores_one(mode: Any, params: dict[str, Any]) -> None:
    assert parameters.score(goal(params, mode), params, {}).value == 1.0
