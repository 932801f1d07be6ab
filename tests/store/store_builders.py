"""Runs, trials, suites and questions with as much in them as a test wants to say."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from toolgauge.gateway.caching import Question
from toolgauge.model.fingerprint import Fingerprint
from toolgauge.model.run import CaseInfo, Mean, Run, RunOptions, RunStatus, Summary
from toolgauge.model.suite import SuiteDocument
from toolgauge.model.target import Target
from toolgauge.model.trial import (
    FailureKind,
    Score,
    Scored,
    Trial,
    TrialError,
    TrialKey,
    Usage,
)
from toolgauge.store import runs
from toolgauge.store.database import Database
from toolgauge.store.runs import StoredRun
from toolgauge.store.trial_writer import TrialWriter
from toolgauge.store.trials import Batch

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DEFAULTS = RunOptions()
LEXICAL = Target("builtin/lexical", "builtin/lexical")


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def a_case(name: str, expectation: str = "expects-1") -> CaseInfo:
    return CaseInfo(name, Fingerprint("asks-1", expectation), prompt=f"Where is {name}? ü")


def a_summary(target: str = "builtin/lexical", score: float | None = 0.5) -> Summary:
    return Summary(
        target=target,
        n_trials=10,
        n_errored=1,
        n_passed=6,
        pass_rate=6 / 9,
        scores={"overall": Mean(score, 9, 0, 1)},
        failure_kinds={"wrong_tool": 3},
        error_codes={"timeout": 1},
        input_tokens=10,
        output_tokens=20,
        cost_usd=0.5,
        n_cost_unknown=0,
        n_cached=0,
        latency_median_ms=1.5,
        latency_p95_ms=None,
        n_latency=9,
    )


def a_run(
    name: str = "run-1",
    *,
    minutes: float = 0,
    status: RunStatus = "running",
    suite: str = "weather",
    targets: tuple[Target, ...] = (LEXICAL,),
    cases: tuple[CaseInfo, ...] = (a_case("paris"), a_case("rome")),
    options: RunOptions = DEFAULTS,
    summaries: tuple[Summary, ...] = (),
) -> Run:
    started = at(minutes)
    return Run(name, suite, status, targets, options, cases, started, None, summaries)


def measured(run: Run, score: float | None) -> Run:
    """Return the run as completed, every target with this score."""
    summaries = tuple(a_summary(target.name, score) for target in run.targets)
    return replace(run, status="completed", finished_at=at(60), summaries=summaries)


def a_trial(
    case: str = "paris",
    repeat: int = 0,
    *,
    target: str = "builtin/lexical",
    passed: bool = True,
    failure: FailureKind | None = None,
    error: str | None = None,
    said: str = "Sunny.",
) -> Trial:
    scores = {"tool": Score(1.0), "params": Score(0.5, "1 of 2", 1, 2), "overall": Score(0.8)}
    return Trial(
        key=TrialKey(case, target, repeat),
        scored=None if error else Scored(scores, passed, failure, True, 0),
        error=TrialError("provider", error, "server", 500) if error else None,
        latency_ms=12.5,
        usage=Usage(3, 4, None),
        messages=({"role": "assistant", "content": said},),
    )


def a_suite(name: str = "weather", *, prompt: str = "Paris?") -> SuiteDocument:
    return SuiteDocument.model_validate(
        {
            "$schema": "./suite.schema.json",
            "name": name,
            "tools": [{"type": "function", "function": {"name": "get_weather"}}],
            "test_cases": [{"prompt": prompt, "expected_tool": None}],
        }
    )


def a_question(**changes: Any) -> Question:
    asked: dict[str, Any] = {
        "model": "openai/gpt-x",
        "parameters": {"temperature": 0.0},
        "messages": ({"role": "user", "content": "Weather in Paris?"},),
        "tools": ({"type": "function", "function": {"name": "get_weather"}},),
        "tool_choice": "required",
        "repeat": 0,
        "case_id": "paris",
    }
    return Question(**(asked | changes))


async def store_run(database: Database, name: str = "run-1", **how: Any) -> Run:
    """Store a run that goes on, and return it."""
    run = a_run(name, **how)
    await runs.create(database, StoredRun(run))
    return run


async def store_trials(database: Database, *some: Trial, batch: Batch = "first") -> None:
    """Store trials of ``run-1``."""
    async with TrialWriter(database, "run-1", batch=batch) as writer:
        await writer.keep(*some)
