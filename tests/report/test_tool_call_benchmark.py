from __future__ import annotations

import doctest
import json
from datetime import UTC, datetime
from typing import Any

from builders import called, suite
from toolgauge.gateway.extract import trajectory
from toolgauge.model.run import Run, RunOptions
from toolgauge.model.suite import Suite
from toolgauge.model.trial import Trial, TrialError, TrialKey
from toolgauge.report import tool_call_benchmark
from toolgauge.report.tool_call_benchmark import (
    BenchmarkTrial,
    benchmark_report,
    report_name,
)
from toolgauge.scoring import score_trial
from toolgauge.scoring.exact_match import expected_list
from toolgauge.scoring.metrics import aggregate

CASES = (
    {
        "id": "paris",
        "prompt": "Weather in Paris?",
        "expected_calls": [{"tool": "get_weather", "params": {"city": "Paris"}}],
    },
    {
        "id": "rome",
        "messages": [{"role": "user", "content": "And Rome?"}],
        "expected_calls": [{"tool": "get_weather"}],
    },
)


def answered(asked: Suite, case_id: str, *messages: dict[str, Any]) -> Trial:
    case = next(case for case in asked.cases if case.id == case_id)
    found = trajectory(messages, [])
    return Trial(TrialKey(case_id, "m", 0), score_trial(case, found), found.calls)


def report_on(asked: Suite, *trials: Trial) -> dict[str, Any]:
    cases = {case.id: case for case in asked.cases}
    shown = []
    for trial in trials:
        case = cases[trial.key.case_id]
        shown.append(BenchmarkTrial(case, trial, expected_list(case, trial.calls) or []))
    run = Run("7f3a", asked.name, "completed", (), RunOptions(), (), datetime.now(UTC))
    made = benchmark_report(run, shown, aggregate(trials))
    assert json.loads(json.dumps(made)) == made
    return made


def report(*trials: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    asked = suite(*CASES)
    return report_on(asked, *(answered(asked, case_id, message) for case_id, message in trials))


def test_perfect_trials_are_no_samples() -> None:
    made = report(("paris", called("get_weather", city="Paris")))
    assert made == {
        "benchmark_name": "weather",
        "run_id": "7f3a",
        "results": {"tsa": 1.0, "ahr": 0.0, "tp": 1.0},
        "results_micro": {"tsa": 1.0, "ahr": 0.0},
        "samples": [],
    }


def test_a_sample_shows_what_was_expected_and_what_was_called() -> None:
    made = report(
        ("paris", called("get_weather", city="Rome", mood="good")),
        ("rome", called("search", q="Rome")),
    )
    assert made["results"] == {"tsa": 0.5, "ahr": 1.0, "tp": 0.5}
    assert made["results_micro"] == {"tsa": 0.5, "ahr": 1.0}
    assert made["samples"] == [
        {
            "input": "Weather in Paris?",
            "expected_tool_calls": [{"name": "get_weather", "args": {"city": "Paris"}}],
            "actual_tool_calls": [
                {"name": "get_weather", "args": {"city": "Rome", "mood": "good"}}
            ],
            "tsa": 1.0,
            "ahr": 1.0,
            "tp": 1.0,
        },
        {
            "input": [{"role": "user", "content": "And Rome?"}],
            "expected_tool_calls": [{"name": "get_weather", "args": {}}],
            "actual_tool_calls": [{"name": "search", "args": {"q": "Rome"}}],
            "tsa": 0.0,
            "ahr": None,
            "tp": 0.0,
        },
    ]


def test_a_trial_that_errored_says_why_and_counts_in_no_mean() -> None:
    asked = suite(*CASES)
    lost = Trial(TrialKey("rome", "m", 0), None, error=TrialError("provider", "timed out"))
    made = report_on(asked, answered(asked, "paris", called("get_weather", city="Paris")), lost)
    assert made["results"] == {"tsa": 1.0, "ahr": 0.0, "tp": 1.0}
    (sample,) = made["samples"]
    assert (sample["error"], sample["tsa"], sample["tp"]) == ("timed out", None, None)


def test_means_over_nothing_are_null() -> None:
    made = report_on(suite(*CASES))
    assert set(made["results"].values()) == set(made["results_micro"].values()) == {None}


def test_a_file_name_leads_nowhere_else() -> None:
    named = report_name({"benchmark_name": "../../etc/pass\nwd" + "x" * 300, "run_id": "1"})
    assert "/" not in named
    assert not named.startswith(".")
    assert "\n" not in named
    assert len(named) < 100
    assert report_name({"benchmark_name": "..", "run_id": "1"}) == "benchmark_1.json"


def test_the_example_in_the_docstring_is_true() -> None:
    assert doctest.testmod(tool_call_benchmark) == (0, 1)
