"""Runs, trials and comparisons as tools show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from toolgauge.mcp_server import results
from toolgauge.mcp_server.announcements import run_uri

if TYPE_CHECKING:
    from toolgauge.model.estimate import Estimate
    from toolgauge.model.report import CaseFinding, CaseSide, Report, SuiteReport
    from toolgauge.model.run import Run, Summary
    from toolgauge.model.trial import Trial
    from toolgauge.report.failures import FailingCase
    from toolgauge.store.runs import StoredRun

_MOST_OF_A_LINE = 300
_MOST_FINDINGS = 20
_MARKDOWN_BYTES = 8_000


def run_item(stored: StoredRun) -> results.RunItem:
    """Return a run as a list shows it; its score is the mean of its targets'."""
    from toolgauge.model.experiment import run_score

    run = stored.run
    return results.RunItem(
        run_id=run.id,
        suite_id=run.suite_name,
        status=run.status,
        started_at=run.started_at,
        finished_at=run.finished_at,
        targets=[target.name for target in run.targets],
        passed=stored.counts.passed,
        failed=stored.counts.failed,
        errored=stored.counts.errored,
        score=run_score(run),
        experiment_id=stored.experiment_id,
    )


def next_step(run: Run) -> str:
    """Return what an agent may do with a run in its state."""
    if run.status == "running":
        return "Still running: call get_run again with wait_s."
    if run.status == "completed":
        return "Call list_results with outcome failed, get_result for one trial, or compare_runs."
    return (
        f"The run is {run.status}; what it finished is kept. Call list_results with outcome "
        "errored to see why, and start_run to run the suite again."
    )


def target_item(summary: Summary, *, full: bool) -> results.TargetItem:
    """Return what one target came to."""
    scores = {name: mean.macro for name, mean in summary.scores.items()}
    return results.TargetItem(
        target=summary.target,
        trials=summary.n_trials,
        passed=summary.n_passed,
        errored=summary.n_errored,
        pass_rate=summary.pass_rate,
        score=summary.score,
        cost_usd=summary.cost_usd,
        latency_median_ms=summary.latency_median_ms,
        scores=scores if full else None,
    )


def failing_item(case: FailingCase) -> results.FailingItem:
    """Return a failing case in short."""
    from toolgauge.report.calls import calls_line, expectation_line

    return results.FailingItem(
        case_id=case.case_id,
        target=case.target,
        why=case.kind,
        failed=case.failed,
        runs=case.runs,
        expected=_line(expectation_line(case.expected)),
        got=_line(calls_line(case.got)),
        reason=_line(case.reason),
    )


def trial_item(trial: Trial, *, full: bool) -> results.TrialItem:
    """Return a trial as a list shows it."""
    from toolgauge.report.calls import calls_line
    from toolgauge.store.trials import outcome

    reasons = None
    if full:
        reasons = {name: score.reason for name, score in _scores(trial).items() if score.reason}
    return results.TrialItem(
        case_id=trial.key.case_id,
        target=trial.key.target,
        repeat=trial.key.repeat,
        outcome=outcome(trial),
        failure_kind=trial.scored.failure_kind if trial.scored else None,
        score=trial.value("overall"),
        got=_line(calls_line([call.as_json() for call in trial.calls])),
        error=f"{trial.error.kind}: {_line(trial.error.message)}" if trial.error else None,
        reasons=reasons,
    )


def trial_view(run: Run, trial: Trial, *, full: bool) -> results.TrialView:
    """Return one trial with everything that explains it."""
    from toolgauge.report.calls import calls_diff

    case = next((case for case in run.cases if case.id == trial.key.case_id), None)
    calls = [call.as_json() for call in trial.calls]
    expected = case.expected if case else None
    return results.TrialView(
        trial=trial_item(trial, full=True),
        prompt=case.prompt if case else None,
        expected=expected,
        calls=calls,
        difference=calls_diff(expected, calls),
        scores={name: score.value for name, score in _scores(trial).items()},
        latency_ms=trial.latency_ms,
        cost_usd=trial.usage.cost_usd,
        messages=list(trial.messages) if full else None,
        resource=f"{run_uri(run.id)}/results/{quote(trial.key.case_id, safe='')}",
    )


def estimate_item(estimate: Estimate) -> results.EstimateItem:
    """Return what a target would take at most."""
    return results.EstimateItem(
        target=estimate.target,
        trials=estimate.trials,
        calls=estimate.calls,
        input_tokens=estimate.input_tokens,
        output_tokens=estimate.output_tokens,
        cost_usd=estimate.cost_usd,
    )


def compared(report: Report, candidate: str, *, full: bool) -> results.Compared:
    """Return a gate's report as tools show it, the worst findings first."""
    from toolgauge.report.markdown import markdown
    from toolgauge.report.wording import numbers_in_short

    findings = [
        one for part in report.suites for one in (*part.regressions, *part.suspects, *part.improved)
    ]
    return results.Compared(
        verdict=report.verdict,
        reason=report.reason,
        in_short=numbers_in_short(report.totals, report.policy.metric),
        parts=[_part(part) for part in report.suites],
        findings=[_finding(one) for one in findings[:_MOST_FINDINGS]],
        notices=[notice.text for notice in report.notices],
        markdown=markdown(report, budget=_MARKDOWN_BYTES) if full else None,
        resource=f"{run_uri(candidate)}/report",
    )


def _part(part: SuiteReport) -> results.ComparedItem:
    numbers = part.numbers
    effect, before = numbers.passed, numbers.baseline
    return results.ComparedItem(
        suite=part.head.suite,
        target=part.head.target,
        verdict=part.verdict,
        reason=part.reason,
        cases=numbers.cases,
        score=numbers.head.score,
        baseline_score=before.score if before else None,
        pass_rate=numbers.head.pass_rate.value if numbers.head.pass_rate else None,
        baseline_pass_rate=before.pass_rate.value if before and before.pass_rate else None,
        delta=effect.delta.value if effect else None,
        low=effect.delta.low if effect else None,
        high=effect.delta.high if effect else None,
        p=effect.p if effect else None,
    )


def _finding(finding: CaseFinding) -> results.FindingItem:
    from toolgauge.report.calls import expectation_line

    return results.FindingItem(
        case_id=finding.case_id,
        status=finding.status,
        expected=_line(expectation_line(finding.expected)),
        before=_side(finding.baseline),
        now=_side(finding.head),
        p=finding.p,
        note=finding.note,
    )


def _side(side: CaseSide | None) -> str:
    from toolgauge.report.calls import calls_line

    if side is None:
        return "not measured"
    return _line(f"{side.passes} of {side.runs} passed: {calls_line(side.calls)}")


def _scores(trial: Trial) -> dict[str, Any]:
    return trial.scored.scores if trial.scored else {}


def _line(text: str) -> str:
    return text if len(text) <= _MOST_OF_A_LINE else f"{text[:_MOST_OF_A_LINE]}…"
