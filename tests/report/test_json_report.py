from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter
from report_builders import call, confirmed, report, suite_report, unmeasured_report

from toolgauge.model.report import Report
from toolgauge.report.json_report import report_json, report_schema, report_text

PLAIN = report(suite_report())


def failing_on(arguments: Any) -> Report:
    return report(suite_report(regressions=(confirmed(expected=call(x=arguments)),)))


def shown(made: Report) -> Any:
    suite = json.loads(report_text(made))["suites"][0]
    return suite["regressions"][0]["expected"]["arguments"]["x"]


@pytest.mark.parametrize("made", [PLAIN, unmeasured_report()], ids=["plain", "unmeasured"])
def test_a_report_is_valid_by_its_schema(made: Report) -> None:
    schema = report_schema()
    Draft202012Validator.check_schema(schema)
    errors = list(Draft202012Validator(schema).iter_errors(json.loads(report_text(made))))
    assert errors == []


def test_the_schema_refuses_a_verdict_that_there_is_not() -> None:
    document = report_json(PLAIN) | {"verdict": "great"}
    assert not Draft202012Validator(report_schema()).is_valid(document)


def test_the_version_of_the_schema_stands_in_the_report() -> None:
    assert report_json(PLAIN)["schema_version"] == 1


def test_a_report_can_be_read_back() -> None:
    assert TypeAdapter(Report).validate_json(report_text(PLAIN)) == PLAIN


def test_what_json_cannot_hold_is_shown() -> None:
    assert shown(failing_on(float("nan"))) == "nan"
    assert shown(failing_on(float("-inf"))) == "-inf"
    assert shown(failing_on("a\ud800")) == r"a\ud800"
    assert shown(failing_on(1 << 20_000)).startswith("0x1000")
    assert shown(failing_on({"\udfff": 1, 2: True, None: 0.5})) == {
        r"\udfff": 1,
        "2": True,
        "None": 0.5,
    }
    assert shown(failing_on(b"x")) == "b'x'"


def test_arguments_nested_without_end_are_cut() -> None:
    nested: Any = 1
    for _ in range(900):
        nested = [nested]
    text = report_text(failing_on(nested))
    assert "…" in text
    text.encode()
