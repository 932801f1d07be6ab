"""Trials become the numbers of their cases."""

from __future__ import annotations

from typing import Any

import pytest

from measured import info
from toolgauge.compare.tally import tally_cases
from toolgauge.model.comparison import CaseTally
from toolgauge.model.tools import ToolCall
from toolgauge.model.trial import FailureKind, Score, Scored, Trial, TrialError, TrialKey, Usage


def trial(*, repeat: int = 0, case: str = "a", passed: bool = True, **fields: Any) -> Trial:
    kind: FailureKind | None = None if passed else "wrong_tool"
    overall = Score(1.0 if passed else 0.5, "" if passed else "1 of 2 right")
    scored = Scored({"overall": overall}, passed, kind, schema_valid=True, extra_calls=0)
    given = {
        "calls": (ToolCall("get_weather", {"n": repeat}),),
        "usage": Usage(10, 5, 0.5),
    } | fields
    return Trial(TrialKey(case, "gpt", repeat), scored, **given)


def errored(repeat: int) -> Trial:
    return Trial(TrialKey("a", "gpt", repeat), None, error=TrialError("timeout", "too slow"))


def tallied(*trials: Trial) -> CaseTally:
    return tally_cases([info("a")], trials)["a"]


def test_errored_trials_are_counted_apart_from_runs() -> None:
    found = tallied(trial(), trial(repeat=1, passed=False), errored(2))
    assert (found.passes, found.runs, found.errored) == (1, 2, 1)
    assert (found.score_sum, found.score_sq_sum) == (1.5, 1.25)
    assert (found.pass_rate, found.score) == (0.5, 0.75)


def test_samples_are_the_first_of_their_outcome_by_repeat_whatever_the_order() -> None:
    trials = [trial(repeat=n, passed=n in (1, 3)) for n in (3, 2, 1, 0)]
    found = tallied(*trials)
    assert found.passing is not None
    assert found.failing is not None
    assert found.passing.calls == ({"name": "get_weather", "arguments": {"n": 1}},)
    assert found.failing.calls == ({"name": "get_weather", "arguments": {"n": 0}},)
    assert (found.failing.failure_kind, found.failing.reason) == ("wrong_tool", "1 of 2 right")
    assert found.sample_calls == found.failing.calls


def test_sums_are_unknown_where_one_trial_is() -> None:
    found = tallied(trial(), trial(repeat=1, usage=Usage(7, None, 0.25)))
    assert (found.input_tokens, found.output_tokens, found.cost_usd) == (17, None, 0.75)


def test_a_trial_without_calls_called_nothing() -> None:
    found = tallied(trial(), trial(repeat=1, calls=()))
    assert found.called_tools == {"get_weather": 1, "": 1}


def test_latency_is_the_median_of_what_is_known() -> None:
    times = [30.0, 10.0, None, 20.0]
    found = tallied(*(trial(repeat=n, latency_ms=ms) for n, ms in enumerate(times)))
    assert found.latency_median_ms == 20.0
    assert tallied(trial()).latency_median_ms is None


def test_a_case_without_trials_has_a_tally_of_zeros_and_unlisted_cases_are_left_out() -> None:
    found = tally_cases([info("a"), info("b")], [trial(), trial(case="z")])
    assert list(found) == ["a", "b"]
    assert (found["b"].runs, found["b"].pass_rate, found["b"].score) == (0, None, None)
    assert found["b"].sample_calls is None


@pytest.mark.parametrize("passed", [True, False])
def test_a_passed_trial_is_shown_only_where_none_failed(passed: bool) -> None:  # noqa: FBT001 - a parameter
    found = tallied(trial(), trial(repeat=1, passed=passed))
    calls = found.sample_calls
    assert calls == ({"name": "get_weather", "arguments": {"n": 0 if passed else 1}},)
