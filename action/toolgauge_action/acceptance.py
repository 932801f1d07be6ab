"""A regression that somebody has accepted: by a label, for one commit.

Only who may triage can put a label. It holds for the head commit that it was put on: the
event of labelling tells which that is, and the sticky comment remembers it. After a push
the label says nothing until it is put on again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from toolgauge.model.report import EXIT_CODES, Report
from toolgauge_action.event import ACCEPT_LABEL, Event
from toolgauge_action.github import CannotAskGitHub
from toolgauge_action.repository import PullRequest
from toolgauge_action.sticky_comment import StickyComment


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Whether the commit is accepted, and a sentence for the reader ("" where none is due)."""

    is_given: bool = False
    note: str = ""


_NONE = Acceptance()
_STALE = Acceptance(
    note=f"The label {ACCEPT_LABEL} was put on an earlier commit: take it off and put it on "
    "again to accept this one."
)


def find_acceptance(event: Event, pull_request: PullRequest, comment: StickyComment) -> Acceptance:
    """Return whether the label accepts the commit that is judged."""
    if ACCEPT_LABEL not in pull_request.labels or pull_request.head_sha != event.head_sha:
        return _NONE
    given = Acceptance(True, f"Accepted for this commit by the label {ACCEPT_LABEL}.")
    if event.labelled_by is not None:
        return given
    try:
        accepted = comment.record().accepted
    except CannotAskGitHub:
        accepted = None
    return given if accepted == event.head_sha else _STALE


def accepted(report: Report, acceptance: Acceptance) -> Report:
    """Return the report with a regression turned into a warning where it was accepted.

    Only ``fail`` can be accepted: what could not be measured stays so.
    """
    if not acceptance.is_given or report.verdict != "fail":
        return report
    reason = f"{acceptance.note} {report.reason}"
    return replace(report, verdict="warn", exit_code=EXIT_CODES["warn"], reason=reason)
