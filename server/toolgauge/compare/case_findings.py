"""The cases that a reader should look at: regressions, suspects, improved and flaky ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolgauge.compare.looks import ROUNDING, Standing
from toolgauge.compare.screening import LEAST_BASELINE_RATE, LEAST_DROP, Retest
from toolgauge.compare.verdict import newly_failing
from toolgauge.model.comparison import CasePair, CaseTally
from toolgauge.model.report import CaseFinding, CaseSide, CaseStatus


@dataclass(frozen=True, slots=True)
class CaseFindings:
    """The findings of one suite and target; critical cases first, then the suite's order."""

    regressions: tuple[CaseFinding, ...]
    suspects: tuple[CaseFinding, ...]
    improved: tuple[CaseFinding, ...]
    flaky: tuple[CaseFinding, ...]
    steady: tuple[CaseFinding, ...]


def find_cases(standing: Standing, retests: Sequence[Retest]) -> CaseFindings:
    """Return the findings of a part; a case is listed once, in the first list that fits.

    ``retests`` are the part's own screened cases.
    """
    newly = [_finding(pair, "newly-failing") for pair in newly_failing(standing)]
    screened = [_screened_finding(one) for one in retests]
    regressions = newly + [one for one in screened if one.status == "confirmed"]
    suspects = [one for one in screened if one.status == "suspect"]
    improved = [_finding(pair, "improved") for pair in standing.pairing.compared if _rose(pair)]
    listed = {one.case_id for one in (*regressions, *suspects, *improved)}
    paired = {pair.id: pair for pair in standing.pairing.compared}
    others: dict[CaseStatus, list[CaseFinding]] = {"flaky": [], "steady": []}
    for case_id, tally in standing.part.head.tallies.items():
        if case_id not in listed:
            status: CaseStatus = "flaky" if 0 < tally.passes < tally.runs else "steady"
            pair = paired.get(case_id)
            others[status].append(_finding(pair, status) if pair else _alone(tally, status))
    return CaseFindings(
        regressions=_critical_first(regressions),
        suspects=_critical_first(suspects),
        improved=tuple(improved),
        flaky=tuple(others["flaky"]),
        steady=tuple(others["steady"]),
    )


def _screened_finding(retest: Retest) -> CaseFinding:
    finding = _finding(retest.screened.pair, "confirmed" if retest.is_confirmed else "suspect")
    return replace(
        finding,
        fresh=_side(retest.fresh, failing_first=True) if retest.fresh else None,
        p=retest.p,
        p_adjusted=retest.p_adjusted,
        repeats_needed=retest.screened.needed,
        note=retest.why_not,
    )


def _finding(pair: CasePair, status: CaseStatus) -> CaseFinding:
    head_failed = status != "improved"
    return CaseFinding(
        case_id=pair.id,
        status=status,
        expected=pair.head.case.expected,
        baseline=_side(pair.baseline, failing_first=not head_failed),
        head=_side(pair.head, failing_first=head_failed),
        critical=pair.head.case.critical,
    )


def _alone(tally: CaseTally, status: CaseStatus) -> CaseFinding:
    return CaseFinding(
        case_id=tally.case.id,
        status=status,
        expected=tally.case.expected,
        baseline=None,
        head=_side(tally, failing_first=True),
        critical=tally.case.critical,
    )


def _side(tally: CaseTally, *, failing_first: bool) -> CaseSide:
    by_outcome = (tally.failing, tally.passing) if failing_first else (tally.passing, tally.failing)
    sample = next(filter(None, by_outcome), None)
    return CaseSide(
        passes=tally.passes,
        runs=tally.runs,
        errored=tally.errored,
        score=tally.score,
        calls=sample.calls if sample else None,
        failure_kind=sample.failure_kind if sample else None,
        reason=sample.reason if sample else "",
    )


def _rose(pair: CasePair) -> bool:
    before, after = pair.baseline.pass_rate or 0.0, pair.head.pass_rate or 0.0
    return after >= LEAST_BASELINE_RATE - ROUNDING and after - before >= LEAST_DROP - ROUNDING


def _critical_first(findings: Sequence[CaseFinding]) -> tuple[CaseFinding, ...]:
    return tuple(sorted(findings, key=lambda finding: not finding.critical))
