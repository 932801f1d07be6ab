from __future__ import annotations

import inspect
import sys
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import MODES, calls, case, json_values, nested, tool

from toolgauge.errors import CannotScore
from toolgauge.model.case import Case
from toolgauge.model.tools import ToolCall, Trajectory
from toolgauge.model.trial import Score
from toolgauge.scoring import NAMES, score_trial, texts_to_embed

EVERY_CASE = ["tool", "params", "overall", "exact_match", "tsa", "ahr", "tp"]
IN_CONVERSATIONS = ["completion", "efficiency", "redundancy", "detour", "provenance"]
WEATHER: dict[str, Any] = {"expected_tool": "get_weather", "expected_params": {"city": "Rome"}}
ROME = calls(("get_weather", {"city": "Rome"}))


def test_scores_stand_in_the_order_in_which_they_are_shown() -> None:
    plain = score_trial(case(**WEATHER), ROME)
    chain = score_trial(case(**WEATHER, multi_turn=True), ROME)
    bfcl = score_trial(case(**WEATHER, match="bfcl"), ROME)
    assert list(plain.scores) == EVERY_CASE
    assert list(chain.scores) == EVERY_CASE + IN_CONVERSATIONS
    assert list(bfcl.scores) == [*EVERY_CASE, "bfcl"]
    assert list(NAMES) == [*EVERY_CASE, *IN_CONVERSATIONS, "bfcl"]


def test_a_perfect_answer_needs_no_words() -> None:
    scored = score_trial(case(**WEATHER), ROME)
    assert all(score.reason == "" for score in scored.scores.values())
    assert (scored.passed, scored.failure_kind, scored.extra_calls) == (True, None, 0)


def test_the_schema_of_the_scored_call_is_checked_or_of_every_expected_one() -> None:
    invalid = ("get_weather", {"days": "x"})
    one = case(expected_tool="get_weather")
    both = case(expected_calls=[{"tool": "get_weather"}, {"tool": "get_weather"}])
    assert score_trial(one, calls(("get_weather", {"city": "x"}), invalid)).schema_valid is True
    assert score_trial(both, calls(("get_weather", {"city": "x"}), invalid)).schema_valid is False
    assert score_trial(both, calls(("get_weather", {"city": "x"}), "other")).schema_valid is True
    for made in (calls(), calls("other")):
        assert score_trial(one, made).schema_valid is None
        assert score_trial(both, made).schema_valid is None


def test_a_pattern_that_explodes_is_an_error_that_names_case_and_key() -> None:
    hostile = case(
        expected_tool="search", expected_params={"q": "^(a|aa)+$"}, param_scoring="regex"
    )
    with pytest.raises(CannotScore) as caught:
        score_trial(hostile, calls(("search", {"q": "a" * 64 + "!"})))
    assert (caught.value.case_id, caught.value.key) == ("c", "q")
    assert "'^(a|aa)+$' ran out of time" in str(caught.value)


def test_meaning_needs_a_vector_for_each_of_two_different_texts() -> None:
    by_meaning = case(
        expected_tool="search", expected_params={"q": "sea"}, param_scoring="semantic"
    )
    made = calls(("search", {"q": "ocean"}))
    assert texts_to_embed(by_meaning, made) == {"sea", "ocean"}
    assert texts_to_embed(by_meaning, calls(("search", {"q": "SEA"}))) == frozenset()
    assert texts_to_embed(case(**WEATHER), made) == frozenset()
    assert score_trial(by_meaning, made, {"sea": [1.0], "ocean": [2.0]}).passed
    with pytest.raises(CannotScore, match="no embedding"):
        score_trial(by_meaning, made)


def test_a_scorer_of_the_users_own_stands_beside_ours_and_changes_nothing_else() -> None:
    def brevity(_case: Case, trajectory: Trajectory) -> Score:
        return Score(1 / (1 + len(trajectory.calls)), "calls")

    plain = score_trial(case(**WEATHER), ROME)
    scored = score_trial(case(**WEATHER), ROME, extra={"brevity": brevity})
    assert scored.scores == plain.scores | {"brevity": Score(0.5, "calls")}
    assert replace(scored, scores=plain.scores) == plain


@pytest.mark.parametrize(
    ("name", "returned", "why"),
    [
        ("mine", ZeroDivisionError("by zero"), "mine: the scorer failed: ZeroDivisionError"),
        ("mine", 0.5, "returned float, no Score"),
        ("mine", Score(1.5), "not within 0 and 1"),
        ("mine", Score(float("nan")), "not within 0 and 1"),
        ("overall", Score(1.0), "belongs to a built-in score"),
    ],
)
def test_a_scorer_that_misbehaves_is_an_error_that_names_it(
    name: str, returned: Any, why: str
) -> None:
    def scorer(_case: Case, _trajectory: Trajectory) -> Score:
        if isinstance(returned, Exception):
            raise returned
        return returned  # type: ignore[no-any-return]

    with pytest.raises(CannotScore, match=why) as caught:
        score_trial(case(**WEATHER), ROME, extra={name: scorer})
    assert caught.value.key == name


def test_calls_nested_deeper_than_python_recurses_are_scored() -> None:
    deep = {"city": nested(5000, in_lists=False)}
    expected = case(**WEATHER)
    made = calls(("get_weather", deep), ("get_weather", deep))
    for fields in ({}, {"multi_turn": True}):
        scored = score_trial(case(**WEATHER, **fields), made)
        assert (scored.scores["params"].value, scored.schema_valid) == (0.0, False)
    assert score_trial(expected, made).failure_kind == "schema_violation"


def test_a_stack_that_is_nearly_full_is_an_error_of_the_trial() -> None:
    lists = case(
        expected_tool="search", expected_params={"q": nested(99)}, param_scoring="contains"
    )
    made = calls(("search", {"q": nested(99)}))

    def score_below(frames: int) -> bool:
        return score_below(frames - 1) if frames else score_trial(lists, made).passed

    assert score_below(0)
    with pytest.raises(CannotScore, match="nested too deeply"):
        score_below(sys.getrecursionlimit() - len(inspect.stack(0)) - 200)


def fields_of(mode: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    scoring = {"mode": mode, "values": [1]}
    one = {"expected_tool": "f", "expected_params": params, "scoring_config": scoring}
    many = [{"tool": "f", "params": params}, {"tool": "f"}]
    return [
        one,
        one | {"multi_turn": True, "argument_source": {"a": "f.a"}},
        {"expected_calls": many, "scoring_config": scoring},
        {"expected_calls": many, "order": "any"},
        {"expected_calls": [{"tool": "f", "params": {k: [v] for k, v in params.items()}}],
         "match": "bfcl"},
        {"expected_tool": None, "forbidden_tools": ["f"]},
        {"expect_any_call": True},
    ]  # fmt: skip


arguments = st.dictionaries(st.sampled_from("ab"), json_values, max_size=2)
made_calls = st.lists(st.tuples(st.sampled_from("fFg"), arguments | json_values), max_size=3)


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(MODES), arguments, made_calls)
def test_whatever_is_expected_and_called_there_are_scores_or_one_error(
    mode: str, params: dict[str, Any], made: list[tuple[str, Any]]
) -> None:
    offered = [tool("f", {"properties": {"a": {"type": "string"}}})]
    for fields in fields_of(mode, params):
        made_case = case(tools=offered, **fields)
        try:
            scored = score_trial(made_case, calls(*made))
        except CannotScore:
            assert mode in ("regex", "semantic")
            continue
        assert all(s.value is None or 0 <= s.value <= 1 for s in scored.scores.values())
        assert all(len(s.reason) < 700 for s in scored.scores.values())
        assert scored.passed == (scored.failure_kind is None)
        assert scored == score_trial(made_case, calls(*made))


@settings(max_examples=60)
@given(arguments)
def test_exactly_what_is_expected_scores_one_everywhere(params: dict[str, Any]) -> None:
    offered = [tool("f", {})]
    for made_case in (
        case(tools=offered, expected_tool="f", expected_params=params),
        case(tools=offered, expected_calls=[{"tool": "f", "params": params}]),
    ):
        scores = score_trial(made_case, Trajectory((ToolCall("f", params),))).scores
        perfect = {name: scores[name].value for name in EVERY_CASE if name != "ahr"}
        assert set(perfect.values()) == {1.0}
        assert scores["ahr"].value in (0.0, None)


def test_twenty_thousand_simple_trials_take_about_a_second() -> None:
    weather = case(**WEATHER)
    score_trial(weather, ROME)
    start = time.process_time()
    for _ in range(2000):
        score_trial(weather, ROME)
    assert time.process_time() - start < 2000 / 20_000 * 4  # a busy or slow machine is no failure
