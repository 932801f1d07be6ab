"""The whole report: complete, consistent, and the same after a trip through JSON."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from measured import NOW, counted, look_at, measured, part, reported, tally
from toolgauge.compare.looks import second_look
from toolgauge.compare.pairing import GatePart
from toolgauge.compare.screening import confirm, screen
from toolgauge.model.report import EXIT_CODES, ExtraRepeats, Report

KEY = ("weather", "gpt")
reports = TypeAdapter(Report)


def bought() -> Report:
    """Return the report of a gate that bought both kinds of extra repeats."""
    cost = {"cost_usd": 1.0}
    before = measured(*(tally(f"c{n}", 3, 3, **cost) for n in range(20)))
    first = measured(*(tally(f"c{n}", 0 if n == 0 else 3, 3, **cost) for n in range(20)))
    look = second_look(look_at(GatePart(first, before)), {KEY: first})
    fresh = {(*KEY, "c0"): tally("c0", 0, 4, errored=1, cost_usd=0.25)}
    return reported(look, fresh)


def test_extra_repeats_are_counted_and_only_the_second_batch_enters_the_means() -> None:
    (suite,) = bought().suites
    assert suite.extra == (
        ExtraRepeats("second", 20, 60, 0, 20.0),
        ExtraRepeats("confirm", 1, 5, 1, 0.25),
    )
    assert (suite.looks, suite.numbers.head.runs, suite.numbers.head.errored) == (2, 120, 0)
    assert suite.resources.head.cost_usd == 40.0


def test_case_lists_name_what_changed() -> None:
    before = measured(
        tally("edited", 1, 1),
        tally("changed", 1, 1),
        tally("dead", 1, 1),
        tally("gone", 1, 1),
        tally("same", 1, 1),
    )
    after = measured(
        tally("edited", 1, 1, request="x"),
        tally("changed", 1, 1, expectation="x"),
        tally("dead", 0, 0),
        tally("new", 1, 1),
        tally("same", 1, 1),
    )
    cases = reported(look_at(GatePart(after, before))).suites[0].cases
    assert (cases.request_changed, cases.changed, cases.new) == (
        ("edited",),
        ("changed",),
        ("new",),
    )
    assert (cases.removed, cases.unmeasured) == (("gone",), ("dead",))


def test_the_baseline_is_identified() -> None:
    before = counted(
        [(1, 1)], commit="abc", source="base.json", measured_at=NOW - timedelta(hours=36)
    )
    (suite,) = reported(look_at(GatePart(counted([(1, 1)], measured_at=NOW), before))).suites
    assert suite.baseline is not None
    assert (suite.baseline.commit, suite.baseline.source) == ("abc", "base.json")
    assert suite.baseline_age_days == 1.5


def test_an_age_needs_both_times() -> None:
    (suite,) = reported(look_at(part([(1, 1)], [(1, 1)]))).suites
    assert suite.baseline_age_days is None


def test_the_gate_as_a_whole_is_told() -> None:
    parts = [part([(0, 3)] * 5, [(3, 3)] * 5, suite="a"), part([(3, 3)], [(3, 3)], suite="b")]
    report = reported(look_at(*parts), how_to_accept="Commit a new baseline.")
    assert (report.verdict, report.exit_code, report.schema_version) == ("fail", 1, 1)
    assert [suite.verdict for suite in report.suites] == ["fail", "pass"]
    assert (report.toolgauge, report.created_at) == ("0.1.0", NOW)
    assert report.how_to_accept == "Commit a new baseline."
    assert (report.totals.cases, report.resources.head.trials) == (6, 18)


@pytest.mark.parametrize(
    ("fields", "looks", "level"), [({}, 1, 0.0088), ({"deterministic": True}, 0, None)]
)
def test_the_looks_and_their_level_are_told(
    fields: dict[str, bool], looks: int, level: float | None
) -> None:
    (suite,) = reported(look_at(part([(1, 1)], [(1, 1)], **fields))).suites
    assert (suite.looks, suite.level) == (looks, level)


def test_a_report_survives_json() -> None:
    report = bought()
    assert reports.validate_json(reports.dump_json(report)) == report


def test_the_score_p_of_a_look_is_the_one_that_is_reported() -> None:
    rng = random.Random(3)
    before = measured(*(tally(f"c{n}", 1, 1, score=0.9) for n in range(30)))
    after = measured(*(tally(f"c{n}", 1, 1, score=0.9 + rng.gauss(-0.01, 0.05)) for n in range(30)))
    look = look_at(GatePart(after, before), metric="overall")
    assert reported(look).totals.overall is not None
    assert reported(look).totals.overall.p == look.standings[0].p


counts = st.integers(0, 4).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs)))
sides = st.lists(st.tuples(counts, counts), min_size=1, max_size=6)


@given(
    st.lists(sides, min_size=1, max_size=3),
    st.sampled_from(["statistical", "strict", "report-only"]),
)
@settings(max_examples=60, deadline=None)
def test_every_gate_ends_in_a_consistent_report(
    suites: list[list[tuple[tuple[int, int], tuple[int, int]]]], policy: str
) -> None:
    parts = [
        part([head for head, _ in cases], [before for _, before in cases], suite=f"s{n}")
        for n, cases in enumerate(suites)
    ]
    look = look_at(*parts, policy=policy)
    batches = {one.key: one.part.head for one in look.standings}
    look = second_look(look, batches)
    fresh = {one.case_key: tally(one.pair.id, 0, one.repeats) for one in screen(look)}
    report = reported(look, fresh)
    assert report.exit_code == EXIT_CODES[report.verdict]
    assert reports.validate_json(reports.dump_json(report)) == report
    assert policy != "report-only" or report.verdict != "fail"
    confirmed = sum(one.is_confirmed for one in confirm(screen(look), fresh))
    listed = [one for suite in report.suites for one in suite.regressions]
    assert sum(one.status == "confirmed" for one in listed) == confirmed
