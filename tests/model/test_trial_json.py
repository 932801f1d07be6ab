from __future__ import annotations

import json

from toolgauge.model.tools import ToolCall
from toolgauge.model.trial import Score, Scored, Trial, TrialError, TrialKey, Usage
from toolgauge.model.trial_json import from_json, to_json

KEY = TrialKey("paris", "openai/x", 2)


def scored() -> Trial:
    scores = {"tool": Score(1.0), "params": Score(None), "tsa": Score(0.5, "1 of 2", 1, 2)}
    return Trial(
        key=KEY,
        scored=Scored(scores, False, "wrong_params", True, 1),
        calls=(ToolCall("t", {"a": 1}),),
        format="native",
        tool_choice_used="required",
        latency_ms=812.0,
        usage=Usage(103, 21, 0.00012),
        attempts=2,
        messages=({"role": "assistant", "content": "x"},),
    )


def test_a_scored_trial_comes_back_as_it_was() -> None:
    shown = json.loads(json.dumps(to_json(scored(), with_messages=True)))
    assert from_json(shown) == scored()


def test_all_scores_of_an_errored_trial_are_null_and_it_comes_back_as_it_was() -> None:
    trial = Trial(KEY, None, error=TrialError("timeout", "too late", "timeout", None))
    shown = to_json(trial)
    assert set(shown["scores"].values()) == {None}
    assert (shown["passed"], shown["failure_kind"]) == (None, None)
    assert from_json(json.loads(json.dumps(shown))) == trial


def test_a_score_that_is_not_defined_is_present_as_null() -> None:
    assert to_json(scored())["scores"] == {"tool": 1.0, "params": None, "tsa": 0.5}


def test_messages_are_shown_only_when_asked_for() -> None:
    assert "messages" not in to_json(scored())
