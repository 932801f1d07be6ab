from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

import pytest
from report_builders import (
    case_side,
    confirmed,
    finding,
    report,
    rich_report,
    suite_report,
    unmeasured_report,
)

from toolgauge.model.report import CaseLists, Report
from toolgauge.report.junit import GATE_CASE, junit


def parsed(made: Report) -> Element:
    return ET.fromstring(junit(made).encode())  # noqa: S314 - our own document


def outcomes(made: Report) -> dict[str, str]:
    """Return ``failure``, ``error``, ``skipped`` or ``passed`` by the name of a test case."""
    return {
        case.get("name", ""): next(
            (child.tag for child in case if child.tag in {"failure", "error", "skipped"}), "passed"
        )
        for case in parsed(made).iter("testcase")
    }


def test_every_case_is_one_test_case_and_the_counts_agree() -> None:
    root = parsed(rich_report())
    assert [suite.get("name") for suite in root] == [
        "weather on mistral",
        "calendar_email on mistral",
        "search on mistral",
    ]
    assert root.attrib["tests"] == str(27 + 12 + 23 + 3)
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        assert element.get("tests") == str(len(cases))
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            found = [case for case in cases if case.find(tag) is not None]
            assert element.get(count) == str(len(found))


def test_what_the_gate_fails_on_is_a_failure_and_nothing_else() -> None:
    found = outcomes(replace(rich_report(), suites=rich_report().suites[:1]))
    assert {name for name, outcome in found.items() if outcome == "failure"} == {
        GATE_CASE,
        "two-cities",
        "tomorrow",
    }
    assert found["three-day-forecast"] == "passed"
    assert found["rain-or-snow"] == "passed"


def test_a_case_whose_trials_all_errored_is_an_error_and_never_a_failure() -> None:
    found = outcomes(rich_report())
    assert found["provider-was-down"] == "error"


def test_what_is_not_compared_is_skipped() -> None:
    found = outcomes(rich_report())
    skipped = {name for name, outcome in found.items() if outcome == "skipped"}
    assert skipped == {"uv-index", "feels-like", "old-1", "old-2"}


def test_a_regression_that_the_policy_does_not_fail_is_no_failure() -> None:
    suite = suite_report(verdict="warn", reason="2 confirmed regressions, not failed.")
    assert set(outcomes(report(suite, verdict="warn")).values()) == {"passed"}


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        ("pass", "passed"),
        ("warn", "passed"),
        ("fail", "failure"),
        ("no-baseline", "skipped"),
        ("inconclusive", "error"),
        ("error", "error"),
    ],
)
def test_the_gate_is_a_test_case_with_the_suites_verdict(verdict: str, outcome: str) -> None:
    suite = suite_report(verdict=verdict, regressions=())
    assert outcomes(report(suite, verdict=verdict)) == {GATE_CASE: outcome}


def test_without_a_baseline_cases_pass_or_error() -> None:
    suite = suite_report(
        verdict="no-baseline",
        baseline=None,
        regressions=(),
        cases=CaseLists(new=("a", "b")),
        steady=(
            finding("a", "steady", baseline=None, head=case_side(3, 3)),
            finding("b", "steady", baseline=None, head=case_side(0, 0, errored=3)),
        ),
    )
    found = outcomes(report(suite, verdict="no-baseline"))
    assert found == {GATE_CASE: "skipped", "a": "passed", "b": "error"}


def test_a_failure_tells_what_was_expected_and_what_was_called() -> None:
    failure = parsed(report()).find(".//failure[@type='wrong_params']")
    assert failure is not None
    assert failure.get("message") == "confirmed regression: 5/5 -> 0/3, fresh 0/8"
    assert '- get_weather(city="Oslo", unit="C")\n+ get_weather(city="Oslo", unit="F")' in (
        failure.text or ""
    )


def test_a_gate_that_measured_nothing_is_an_error() -> None:
    assert outcomes(unmeasured_report()) == {GATE_CASE: "error"}


def test_characters_that_xml_cannot_hold_are_shown() -> None:
    odd = confirmed("a\x00\ufffe\ud800b]]><c>", note="\x1b[0m\u202e")
    root = parsed(report(suite_report(regressions=(odd,))))
    names = [case.get("name") for case in root.iter("testcase")]
    assert names == [GATE_CASE, r"a\x00\ufffe\ud800b]]><c>"]
    failure = root.find(".//testcase[2]/failure")
    assert failure is not None
    assert r"\x1b[0m\u202e" in (failure.text or "")
