"""Builders of reports; every field has a sensible default."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from toolgauge.model.comparison import Side
from toolgauge.model.policy import Policy
from toolgauge.model.report import (
    EXIT_CODES,
    CaseFinding,
    CaseLists,
    CaseSide,
    Confusion,
    Effect,
    Estimate,
    ExtraRepeats,
    Notice,
    Numbers,
    Rate,
    Report,
    Resources,
    Spend,
    SuiteReport,
)

AT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


def call(name: str = "get_weather", **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def case_side(passes: int = 0, runs: int = 3, **fields: Any) -> CaseSide:
    return CaseSide(passes, runs, **({"score": passes / runs if runs else None} | fields))


def finding(case_id: str = "two-cities", status: str = "confirmed", **fields: Any) -> CaseFinding:
    """Return a case that passed all of 5 runs and passes none of 3 now."""
    got = (call(city="Oslo", unit="F"),)
    given: dict[str, Any] = {
        "expected": call(city="Oslo", unit="C"),
        "baseline": case_side(5, 5),
        "head": case_side(
            calls=got, failure_kind="wrong_params", reason="unit: expected 'C', got 'F'"
        ),
    }
    return CaseFinding(case_id=case_id, status=status, **(given | fields))


def confirmed(case_id: str = "two-cities", **fields: Any) -> CaseFinding:
    """Return a regression that eight fresh repeats confirmed."""
    got = (call(city="Oslo", unit="F"),)
    fresh = case_side(0, 8, calls=got, failure_kind="wrong_params", reason="unit: expected 'C'")
    given: dict[str, Any] = {"fresh": fresh, "p": 0.0008, "p_adjusted": 0.0016}
    return finding(case_id, "confirmed", **(given | fields))


def numbers(**fields: Any) -> Numbers:
    given: dict[str, Any] = {
        "cases": 25,
        "head": Rate(Estimate(0.8, 0.70, 0.87), 0.861, 60, 75),
        "baseline": Rate(Estimate(0.92, 0.86, 0.96), 0.93, 115, 125),
        "passed": Effect(Estimate(-0.12, -0.181, -0.059), 0.0004, 0.0008),
        "overall": Effect(Estimate(-0.069, -0.11, -0.02), 0.003),
        "smallest_drop": 0.07,
    }
    return Numbers(**(given | fields))


def suite_report(name: str = "weather", target: str = "mistral", **fields: Any) -> SuiteReport:
    """Return one failing suite with two regressions."""
    given: dict[str, Any] = {
        "verdict": "fail",
        "reason": "The pass rate dropped by 12.0 points (p = 0.0008); 2 confirmed regressions.",
        "rule": "statistical",
        "looks": 1,
        "level": 0.0088,
        "head": Side(name, target, "run_2", model="mistral/small", repeats=3, measured_at=AT),
        "baseline": Side(name, target, "evals/baseline.json", commit="a1b2c3d4e5f6a7b8", repeats=5),
        "baseline_age_days": 3.0,
        "gated_score": 0.8,
        "numbers": numbers(),
        "cases": CaseLists(),
        "regressions": (confirmed(), confirmed("tomorrow", critical=True)),
        "suspects": (),
        "improved": (),
        "flaky": (),
        "confusion": (
            Confusion("get_weather", "get_forecast", False, 6, 45, 1, 75),
            Confusion("get_weather", "get_weather", True, 39, 45, 74, 75),
            Confusion("", "", True, 30, 30, 50, 50),
        ),
        "resources": resources(),
        "extra": (ExtraRepeats("confirm", 2, 16, cost_usd=0.02),),
    }
    return SuiteReport(**(given | fields))


def resources(**fields: Any) -> Resources:
    head = Spend(75, 0.41, 150_000, 32_000, 0.0054, 1900.0)
    baseline = Spend(125, 0.63, 240_000, 51_000, 0.0050, 2000.0)
    return Resources(**({"head": head, "baseline": baseline, "cost_ratio": 1.08} | fields))


def report(*suites: SuiteReport, **fields: Any) -> Report:
    """Return the report of a failing gate; without suites, of ``suite_report()``."""
    given: dict[str, Any] = {
        "schema_version": 1,
        "toolgauge": "0.1.0",
        "created_at": AT,
        "verdict": "fail",
        "reason": "The pass rate dropped by 12.0 points (p = 0.0008); 2 confirmed regressions.",
        "policy": Policy(),
        "notices": (),
        "totals": numbers(),
        "resources": resources(),
        "suites": suites or (suite_report(),),
        "how_to_accept": "Label the pull request to accept the drop.",
    } | fields
    return Report(exit_code=EXIT_CODES[given["verdict"]], **given)


def unmeasured_report() -> Report:
    """Return the report of a gate that asked nothing."""
    none = Rate(None, None, 0, 0)
    suite = suite_report(
        verdict="error",
        reason="Nothing was measured.",
        looks=0,
        level=None,
        baseline=None,
        baseline_age_days=None,
        gated_score=None,
        numbers=Numbers(0, none),
        regressions=(),
        confusion=(),
        resources=Resources(Spend(0)),
        extra=(),
    )
    return report(
        suite,
        verdict="error",
        reason="Nothing was measured.",
        totals=Numbers(0, none),
        resources=Resources(Spend(0)),
    )


def notice(text: str = "2 cases of the baseline removed.", **fields: Any) -> Notice:
    given: dict[str, Any] = {
        "code": "cases-removed",
        "suite": "weather",
        "target": "mistral",
        "details": ("old-1", "old-2"),
    }
    return Notice(text=text, **(given | fields))


def rich_report() -> Report:
    """Return a report that has something of everything, as a reader may meet it."""
    weather = suite_report(
        suspects=(
            finding(
                "rain-or-snow",
                "suspect",
                note="it passed 3 of 7 fresh repeats: this can be chance",
                head=case_side(1, 3, calls=(), failure_kind="no_call", reason="no tool called"),
                fresh=case_side(3, 7),
                repeats_needed=7,
            ),
        ),
        improved=(
            finding(
                "unit-in-words",
                "improved",
                baseline=case_side(1, 5),
                head=case_side(3, 3, calls=(call(city="Oslo", unit="C"),)),
            ),
        ),
        flaky=(
            finding("wind-at-sea", "flaky", head=case_side(2, 3, calls=(call("get_wind"),))),
            finding("uv-index", "flaky", baseline=None, head=case_side(1, 3, errored=1)),
        ),
        cases=CaseLists(("rain-or-snow",), ("feels-like",), ("uv-index",), ("old-1", "old-2")),
        steady=(
            *(_steady(f"city-{n:02}", 3, 5) for n in range(1, 17)),
            _steady("three-day-forecast", 0, 0),
            _steady("feels-like", 3, 0, baseline=None),
            _steady("provider-was-down", 0, 5, head=case_side(0, 0, errored=3)),
        ),
        confusion=(
            Confusion("get_weather", "get_forecast", False, 6, 45, 1, 75),
            Confusion("get_wind", "get_weather", False, 2, 9, 3, 15),
            Confusion("", "get_weather", False, 4, 12, 0, 20),
            Confusion("get_weather", "", False, 1, 45, 0, 75),
            Confusion("get_weather", "get_weather", True, 38, 45, 74, 75),
            Confusion("get_forecast", "get_forecast", True, 9, 9, 15, 15),
            Confusion("get_wind", "get_wind", True, 7, 9, 12, 15),
            Confusion("", "", True, 8, 12, 20, 20),
        ),
    )
    calendar = suite_report(
        "calendar_email",
        verdict="warn",
        reason="The pass rate dropped by 4.2 points (p = 0.0930), which can be chance.",
        looks=2,
        level=0.0467,
        regressions=(),
        numbers=numbers(
            cases=12,
            head=Rate(Estimate(0.875, 0.79, 0.93), 0.9, 63, 72),
            baseline=Rate(Estimate(0.917, 0.86, 0.96), 0.92, 165, 180),
            passed=Effect(Estimate(-0.042, -0.11, 0.026), 0.093, 0.093),
            smallest_drop=0.13,
        ),
        steady=tuple(_steady(f"meeting-{n:02}", 6, 15, runs=(6, 15)) for n in range(1, 13)),
        extra=(ExtraRepeats("second", 12, 36, errored=1, cost_usd=0.09),),
    )
    search = suite_report(
        "search",
        verdict="pass",
        reason="The pass rate changed by +0.9 points, no drop beyond the allowed.",
        regressions=(),
        numbers=numbers(
            cases=23,
            head=Rate(Estimate(0.952, 0.87, 0.98), 0.961, 66, 69),
            baseline=Rate(Estimate(0.943, 0.89, 0.97), 0.95, 109, 115),
            passed=Effect(Estimate(0.009, -0.05, 0.07), 0.61, 0.61),
            smallest_drop=0.08,
        ),
        steady=tuple(_steady(f"query-{n:02}", 3, 5) for n in range(1, 24)),
        confusion=(),
        extra=(),
    )
    reason = "Fail in 1 of 3 suites: the pass rate dropped by 12.0 points (p = 0.0008)."
    return report(
        weather,
        calendar,
        search,
        reason=reason,
        notices=(
            notice(),
            notice(
                "The model is not the baseline's: the difference may be the model's.",
                code="model-changed",
                details=("mistral/small-2509", "mistral/small-2511"),
            ),
        ),
        totals=numbers(cases=60, smallest_drop=0.047),
    )


def _steady(case_id: str, passes: int, before: int, **fields: Any) -> CaseFinding:
    runs, runs_before = fields.pop("runs", (3, 5))
    sides = {"baseline": case_side(before, runs_before), "head": case_side(passes, runs)}
    return finding(case_id, "steady", **(sides | fields))
