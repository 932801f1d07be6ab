"""What is named in the first lines of a report."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from measured import NOW, counted, look_at, measured, part, reported, tally
from toolgauge.compare.looks import second_look
from toolgauge.compare.pairing import GatePart
from toolgauge.model.comparison import Side
from toolgauge.model.report import Notice

ALWAYS = [(1, 1)] * 20
LOST = [(0, 1)] * 5 + ALWAYS[5:]


def notices(head: dict[str, Any], baseline: dict[str, Any], **policy: Any) -> tuple[Notice, ...]:
    gate = GatePart(counted(ALWAYS, **head), counted(ALWAYS, **baseline))
    return reported(look_at(gate, **policy)).notices


def test_like_sides_give_no_notice() -> None:
    side = {"model": "a", "parameters": {"temperature": 0}, "measured_at": NOW}
    assert notices(side, side) == ()


@pytest.mark.parametrize(
    ("before", "after", "details"),
    [
        ({"model": "a"}, {"model": "b"}, ("a", "b")),
        (
            {"model": "a", "model_served": "a-1"},
            {"model": "a", "model_served": "a-2"},
            ("a (a-1)", "a (a-2)"),
        ),
    ],
)
def test_another_model_is_named(
    before: dict[str, str], after: dict[str, str], details: tuple[str, ...]
) -> None:
    (found,) = notices(after, before)
    assert (found.code, found.details, found.suite) == ("model-changed", details, "weather")


@pytest.mark.parametrize("unknown", [{"model": None}, {"model": "a", "model_served": None}])
def test_a_model_that_is_not_known_is_not_called_another(unknown: dict[str, Any]) -> None:
    known = {"model": "a", "model_served": "a-1"}
    assert notices(known, unknown) == notices(unknown, known) == ()


def test_parameters_that_differ_are_named_one_by_one() -> None:
    before = {"parameters": {"temperature": 0, "seed": 1, "top_p": 1}}
    (found,) = notices({"parameters": {"temperature": 0.5, "top_p": 1}}, before)
    assert found.code == "parameters-changed"
    assert found.details == ("seed: 1 -> unset", "temperature: 0 -> 0.5")


def test_removed_cases_and_suites_are_named() -> None:
    before = measured(tally("a", 1, 1), tally("gone", 1, 1))
    gate = GatePart(measured(tally("a", 1, 1)), before)
    report = reported(look_at(gate), removed_sides=(Side("old", "gpt", "base.json"),))
    suites, cases = report.notices
    assert (suites.code, suites.details, suites.suite) == ("suites-removed", ("old on gpt",), None)
    assert (cases.code, cases.details, cases.text) == (
        "cases-removed",
        ("gone",),
        "1 case of the baseline removed.",
    )


def test_it_is_said_that_a_policy_became_strict() -> None:
    fixed = {"deterministic": True}
    assert [one.code for one in notices(fixed, fixed)] == ["became-strict"]
    assert notices(fixed, fixed, policy="strict") == ()
    assert notices({}, {}, policy="strict") == ()


@pytest.mark.parametrize(("days", "codes"), [(30, []), (31, ["old-baseline"])])
def test_a_baseline_of_more_than_thirty_days_is_old(days: int, codes: list[str]) -> None:
    found = notices({"measured_at": NOW}, {"measured_at": NOW - timedelta(days=days)})
    assert [one.code for one in found] == codes


def test_what_always_answers_alike_does_not_grow_old() -> None:
    head = {"measured_at": NOW, "deterministic": True}
    found = notices(head, head | {"measured_at": NOW - timedelta(days=900)})
    assert [one.code for one in found] == ["became-strict"]


def test_a_missing_baseline_and_report_only_are_named() -> None:
    found = reported(look_at(part(ALWAYS, None), policy="report-only")).notices
    assert [one.code for one in found] == ["report-only", "no-baseline"]
    assert found[1].text == "Not compared: there is no baseline yet."


def test_repeats_that_were_due_and_not_had_are_named() -> None:
    look = second_look(look_at(part(LOST, ALWAYS)), {})
    assert [one.code for one in reported(look).notices] == ["second-batch-missing"]
    again = reported(look_at(part([(0, 3)], [(3, 3)]), second_batch=False)).notices
    assert [(one.code, one.details) for one in again] == [("confirmation-missing", ("c0",))]


def test_nothing_is_missing_where_it_was_had() -> None:
    look = second_look(look_at(part(LOST, ALWAYS)), {("weather", "gpt"): counted(ALWAYS)})
    assert reported(look).notices == ()
