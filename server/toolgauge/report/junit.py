"""A report as JUnit XML, for the systems that show test results.

The document is red exactly where the gate is. Each suite and target is a test suite of
one test case per case and one more, ``(gate)``, that carries its verdict:

- failure: the suite fails, and this case is a confirmed regression or newly failing;
  ``(gate)``: the suite fails.
- error: every trial of the case errored; ``(gate)``: error or inconclusive. Never a
  failure, for nothing is known about the model then.
- skipped: the case is not compared (new, changed, removed, or not measured in the
  baseline); ``(gate)``: there is no baseline.
- passed: all else; suspects, flaky and improved cases say so in their output.
"""

from __future__ import annotations

# only its serializer is used; nothing is parsed
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from toolgauge.model.report import CaseFinding, Report, SuiteReport
from toolgauge.report import wording
from toolgauge.report.calls import calls_diff
from toolgauge.report.case_rows import WHY_NOT_COMPARED, CaseRow, case_rows, telling_side
from toolgauge.report.escape import one_line, xml_text

GATE_CASE = "(gate)"
_COUNTED = ("tests", "failures", "errors", "skipped")
_TAG_OF_COUNT = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def junit(report: Report) -> str:
    """Return a report as one JUnit XML document, in UTF-8 without any control character."""
    root = Element("testsuites", {"name": "toolgauge"})
    for suite in report.suites:
        root.append(_suite(suite, report))
    for name in _COUNTED:
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _suite(suite: SuiteReport, report: Report) -> Element:
    name = f"{suite.head.suite} on {suite.head.target}"
    element = Element("testsuite", {"name": one_line(name)})
    element.set("timestamp", f"{report.created_at:%Y-%m-%dT%H:%M:%S}")
    properties = SubElement(element, "properties")
    for key, value in _properties(suite, report):
        SubElement(properties, "property", {"name": key, "value": one_line(value, 500)})
    _gate_case(element, suite, one_line(name))
    for row in case_rows(suite):
        _case(element, suite, row, one_line(name))
    element.set("tests", str(len(element.findall("testcase"))))
    for count, tag in _TAG_OF_COUNT.items():
        element.set(count, str(len(element.findall(f"testcase/{tag}"))))
    return element


def _properties(suite: SuiteReport, report: Report) -> list[tuple[str, str]]:
    numbers = wording.numbers_in_short(suite.numbers, report.policy.metric)
    return [
        ("verdict", suite.verdict),
        ("reason", suite.reason),
        ("numbers", numbers),
        ("policy", wording.policy_in_short(report.policy)),
        ("toolgauge", report.toolgauge),
    ]


def _gate_case(parent: Element, suite: SuiteReport, name: str) -> None:
    case = SubElement(parent, "testcase", {"classname": name, "name": GATE_CASE})
    reason = one_line(suite.reason, 1000)
    if suite.verdict == "fail":
        SubElement(case, "failure", {"type": "fail", "message": reason})
    elif suite.verdict in ("error", "inconclusive"):
        SubElement(case, "error", {"type": suite.verdict, "message": reason})
    elif suite.verdict == "no-baseline":
        SubElement(case, "skipped", {"message": reason})
    else:
        SubElement(case, "system-out").text = reason


def _case(parent: Element, suite: SuiteReport, row: CaseRow, name: str) -> None:
    case = SubElement(parent, "testcase", {"classname": name, "name": one_line(row.case_id)})
    finding = row.finding
    if finding is not None and row.is_unscored:
        message = f"all of its {wording.count(finding.head.errored, 'trial')} errored"
        SubElement(case, "error", {"type": "errored", "message": message})
    elif finding is not None and _fails_the_gate(suite, finding):
        side = telling_side(finding)
        message = f"{wording.STATUSES[finding.status]}: {wording.before_and_now(finding)}"
        kind = one_line(side.failure_kind or finding.status, 80)
        failure = SubElement(case, "failure", {"type": kind, "message": message})
        failure.text = _account(finding)
    elif row.not_compared is not None:
        SubElement(case, "skipped", {"message": WHY_NOT_COMPARED[row.not_compared]})
    elif finding is not None and finding.status in wording.STATUSES:
        SubElement(case, "system-out").text = _account(finding)


def _fails_the_gate(suite: SuiteReport, finding: CaseFinding) -> bool:
    return suite.verdict == "fail" and finding.status in ("confirmed", "newly-failing")


def _account(finding: CaseFinding) -> str:
    """Return what became of a case, in lines: numbers, reason, expected and got calls."""
    side = telling_side(finding)
    lines = [
        f"{wording.STATUSES[finding.status]}: {wording.before_and_now(finding)}",
        *filter(None, [finding.note, side.reason[:1000]]),
        "expected (-) and got (+):",
        *calls_diff(finding.expected, side.calls),
    ]
    return "\n" + xml_text("\n".join(one_line(line, 1000) for line in lines)) + "\n"
