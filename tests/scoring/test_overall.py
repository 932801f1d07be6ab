from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import calls, case

from toolgauge.model.case import Weights
from toolgauge.model.trial import Score
from toolgauge.scoring import score_trial
from toolgauge.scoring.overall import forbidden_call, passes, weigh

unit = st.floats(0, 1)


def test_the_parts_are_weighed() -> None:
    assert weigh(Score(1.0), Score(0.5), Weights()).value == pytest.approx(0.8)
    assert weigh(Score(1.0), Score(0.5), Weights(0.25, 0.75)).reason == "0.25 * 1 + 0.75 * 0.5"
    assert weigh(Score(0.5), Score(None), Weights()).value == 0.5


@settings(max_examples=60)
@given(unit, unit, unit)
def test_the_weighed_score_stays_within_its_parts(tool: float, params: float, share: float) -> None:
    value = weigh(Score(tool), Score(params), Weights(share, 1 - share)).value
    assert value is not None
    assert 0 <= value <= 1
    assert min(tool, params) - 1e-9 <= value <= max(tool, params) + 1e-9


@given(unit)
def test_two_perfect_parts_are_perfect_whatever_the_weights(share: float) -> None:
    assert weigh(Score(1.0), Score(1.0), Weights(share, 1 - share)) == Score(1.0)


def test_the_threshold_has_a_slack_of_a_billionth() -> None:
    strict = case(expected_tool="search", pass_threshold=0.8)
    assert passes(strict, Score(0.8 - 9e-10))
    assert not passes(strict, Score(0.8 - 2e-9))


@pytest.mark.parametrize("called", ["search", "SEARCH"])
def test_a_forbidden_tool_makes_everything_zero(called: str) -> None:
    strict = case(expected_tool="get_weather", forbidden_tools=["search"])
    scored = score_trial(strict, calls("get_weather", called))
    assert scored.scores["tool"].value == 1.0
    assert scored.scores["overall"].value == 0.0
    assert scored.scores["overall"].reason == f"called the forbidden tool '{called}'"
    assert scored.failure_kind == "unexpected_call"


def test_nothing_is_forbidden_where_nothing_is_said() -> None:
    assert forbidden_call(case(expected_tool="search"), calls("search")) is None


def test_the_verdict_of_the_leaderboard_is_the_overall_score() -> None:
    fields = {
        "expected_calls": [{"tool": "get_weather", "params": {"city": ["Rome", "Roma"]}}],
        "match": "bfcl",
    }
    right = score_trial(case(**fields), calls(("get_weather", {"city": "Roma"})))
    wrong = score_trial(case(**fields), calls(("get_weather", {"city": "Oslo"})))
    assert (right.passed, right.scores["overall"].value) == (True, 1.0)
    assert (wrong.scores["overall"].value, wrong.scores["bfcl"].value) == (0.0, 0.0)
    assert wrong.scores["overall"].reason.startswith("bfcl: ")
    assert wrong.failure_kind == "wrong_params"


def test_lists_of_acceptable_answers_are_not_scored_as_values() -> None:
    fields = {"expected_tool": "search", "expected_params": {"q": ["a", "b"]}, "match": "bfcl"}
    scores = score_trial(case(**fields), calls(("search", {"q": "a"}))).scores
    assert (scores["params"].value, scores["exact_match"].value) == (None, None)
