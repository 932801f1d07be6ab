"""The report object is a published shape: versioned, described, readable again."""

from __future__ import annotations

import dataclasses
from typing import get_args

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError

from measured import look_at, part, reported
from toolgauge.model import report as module
from toolgauge.model.report import EXIT_CODES, SCHEMA_VERSION, Report, Verdict

reports = TypeAdapter(Report)
SOME = reported(look_at(part([(0, 3), (2, 3)], [(3, 3), (3, 3)]), part([(1, 1)], None, suite="b")))


def test_exit_codes_are_those_of_the_command_line() -> None:
    assert set(EXIT_CODES) == set(get_args(Verdict))
    assert [EXIT_CODES[verdict] for verdict in ("pass", "warn", "no-baseline")] == [0, 0, 0]
    assert [EXIT_CODES[verdict] for verdict in ("fail", "inconclusive", "error")] == [1, 3, 3]


def test_its_json_schema_describes_what_is_dumped() -> None:
    schema = reports.json_schema(mode="serialization")
    Draft202012Validator.check_schema(schema)
    dumped = reports.dump_python(SOME, mode="json")
    Draft202012Validator(schema).validate(dumped)
    assert dumped["schema_version"] == SCHEMA_VERSION
    with pytest.raises(Exception, match="'maybe' is not one of"):
        Draft202012Validator(schema).validate(dumped | {"verdict": "maybe"})


def test_a_dumped_report_is_read_again() -> None:
    assert reports.validate_python(reports.dump_python(SOME, mode="json")) == SOME


@pytest.mark.parametrize(
    "wrong", [{"verdict": "maybe"}, {"policy": {"max_drop": 2}}, {"suites": None}]
)
def test_what_is_no_report_is_refused(wrong: dict[str, object]) -> None:
    dumped = reports.dump_python(SOME, mode="json")
    with pytest.raises(ValidationError):
        reports.validate_python(dumped | wrong)


def test_every_part_is_frozen_and_says_what_it_holds() -> None:
    parts = [one for one in vars(module).values() if dataclasses.is_dataclass(one)]
    assert len(parts) > 12
    for one in parts:
        assert one.__dataclass_params__.frozen, one
        assert (one.__doc__ or "").endswith("\n    "), f"{one} needs more than one line"
