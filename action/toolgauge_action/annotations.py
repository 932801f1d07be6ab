"""A report as remarks at the lines of suite files, the worst first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from toolgauge.model.report import CaseFinding, Report, SuiteReport
from toolgauge.report.calls import calls_line, expectation_line
from toolgauge.report.case_rows import telling_side
from toolgauge.report.wording import STATUSES, before_and_now
from toolgauge_action.workflow import Annotation, Level

_MOST_CHARACTERS = 600


def annotations_of(report: Report, files: Mapping[str, Path]) -> list[Annotation]:
    """Return the verdict, regressions and suspects of a report; ``files`` are its suites' by name.

    The verdict is an error where it fails, a warning where it should be read, else a notice.
    """
    level: Level = "error" if report.exit_code else "notice"
    level = "warning" if report.verdict == "warn" else level
    found = [Annotation(level, f"toolgauge: {report.verdict}", report.reason)]
    found += [Annotation("notice", "toolgauge", one.text) for one in report.notices]
    bad: Level = "error" if report.exit_code else "warning"
    for suite in report.suites:
        file = files.get(suite.head.suite)
        found += [_finding(suite, one, bad, file) for one in suite.regressions]
        found += [_finding(suite, one, "warning", file) for one in suite.suspects]
    return found


def _finding(
    suite: SuiteReport, finding: CaseFinding, level: Level, file: Path | None
) -> Annotation:
    side = telling_side(finding)
    message = (
        f"{suite.head.suite} on {suite.head.target}: {before_and_now(finding)}\n"
        f"expected {expectation_line(finding.expected)[:_MOST_CHARACTERS]}\n"
        f"got {calls_line(side.calls)[:_MOST_CHARACTERS]}"
    )
    title = f"{STATUSES[finding.status]}: {finding.case_id}"
    if file is None:
        return Annotation(level, title, message)
    return Annotation(level, title, message, file.as_posix(), _line_of(finding.case_id, file))


def _line_of(case_id: str, file: Path) -> int:
    """Return the first line that holds a case's id; 1 where none does (it was derived)."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 1
    return next((number for number, line in enumerate(lines, 1) if case_id in line), 1)
