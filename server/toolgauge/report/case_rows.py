"""Every case of a suite once, with what the report knows of it, the worst first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from toolgauge.model.report import CaseFinding, CaseSide, SuiteReport

NotCompared = Literal["changed", "new", "removed", "unmeasured"]
WHY_NOT_COMPARED: dict[NotCompared, str] = {
    "changed": "another expectation than in the baseline",
    "new": "not in the baseline",
    "removed": "only in the baseline",
    "unmeasured": "without a scored trial on one side",
}


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case: its finding, None where the report holds its id alone.

    ``not_compared`` says why it was not compared with the baseline; None where it was,
    and where there is no baseline.
    """

    case_id: str
    finding: CaseFinding | None = None
    not_compared: NotCompared | None = None

    @property
    def is_unscored(self) -> bool:
        """Whether every trial of the head errored."""
        return self.finding is not None and not self.finding.head.runs

    @property
    def fails(self) -> bool:
        """Whether the head failed it more often than it passed it."""
        head = self.finding.head if self.finding else None
        return head is not None and head.runs > 0 and head.passes * 2 < head.runs


def case_rows(suite: SuiteReport) -> tuple[CaseRow, ...]:
    """Return all cases of a suite: findings by weight, failing ones, the others, the missing."""
    not_compared = dict(_not_compared(suite))
    steady = suite.steady
    found = {
        finding.case_id: CaseRow(finding.case_id, finding, not_compared.get(finding.case_id))
        for finding in (*steady, *suite.flaky, *suite.improved, *suite.suspects, *suite.regressions)
    }
    first = [one.case_id for one in (*suite.regressions, *suite.suspects, *suite.flaky)]
    failing = [one.case_id for one in steady if found[one.case_id].fails]
    rest = [one.case_id for one in (*suite.improved, *steady)]
    order = dict.fromkeys([*first, *failing, *rest])
    listed = [CaseRow(id_, None, why) for id_, why in not_compared.items() if id_ not in found]
    return (*(found[case_id] for case_id in order), *listed)


def telling_side(finding: CaseFinding) -> CaseSide:
    """Return the side whose calls and reason tell most: the fresh repeats, else the head."""
    fresh = finding.fresh
    return fresh if fresh is not None and fresh.calls is not None else finding.head


def _not_compared(suite: SuiteReport) -> Iterable[tuple[str, NotCompared]]:
    lists: dict[NotCompared, tuple[str, ...]] = {
        "changed": suite.cases.changed,
        "unmeasured": suite.cases.unmeasured,
        "new": suite.cases.new if suite.baseline else (),
        "removed": suite.cases.removed,
    }
    return ((case_id, why) for why, ids in lists.items() for case_id in ids)
