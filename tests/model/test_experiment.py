from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolgauge.model.experiment import (
    Experiment,
    LinkedRun,
    RunKind,
    baseline,
    best,
    configuration,
    run_score,
    timeline,
)
from toolgauge.model.fingerprint import Fingerprint
from toolgauge.model.run import CaseInfo, Mean, Run, RunOptions, Summary
from toolgauge.model.target import Target

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TUNE = Experiment("e1", "tune", "weather", NOON)


def summary(target: str, score: float | None) -> Summary:
    scores = {"overall": Mean(score, 1, 0, 0)}
    return Summary(target, 1, 0, 1, 1.0, scores, {}, {}, 0, 0, 0.0, 0, 0, None, None, 0)


def linked(
    name: str,
    minutes: float,
    scores: dict[str, float | None],
    *,
    kind: RunKind = "eval",
    cases: dict[str, str] | None = None,
    **changes: Any,
) -> LinkedRun:
    expectations = cases or {"paris": "p1", "rome": "r1"}
    run = Run(
        id=name,
        suite_name="weather",
        status="completed",
        targets=tuple(Target(target, target) for target in scores),
        options=RunOptions(),
        cases=tuple(CaseInfo(c, Fingerprint("asks", e)) for c, e in expectations.items()),
        started_at=NOON + timedelta(minutes=minutes),
        summaries=tuple(summary(target, score) for target, score in scores.items()),
    )
    return LinkedRun(replace(run, **changes), kind)


def test_the_first_completed_run_is_the_baseline_and_its_delta_is_exactly_0() -> None:
    runs = [
        linked("late", 3, {"a/b": 0.7}),
        linked("first", 1, {"a/b": 0.1 + 0.2}),
        linked("broken", 0, {"a/b": 0.9}, status="failed"),
    ]
    broken, first, late = timeline(TUNE, runs)
    assert (first.run_id, first.is_baseline, first.delta) == ("first", True, 0.0)
    assert (late.run_id, late.is_baseline, late.delta) == ("late", False, 0.7 - (0.1 + 0.2))
    assert (broken.run_id, broken.score, broken.delta) == ("broken", 0.9, None)


@given(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=6))
def test_a_baselines_delta_to_itself_is_0_whatever_its_targets(
    scores: list[float | None],
) -> None:
    run = linked("only", 0, {f"a/{n}": score for n, score in enumerate(scores)})
    (entry,) = timeline(TUNE, [run])
    assert entry.is_baseline
    assert entry.delta == (None if run_score(run.run) is None else 0.0)
    assert {t.delta for t in entry.targets} <= {0.0, None}


def test_a_pinned_run_is_the_baseline_wherever_it_stands() -> None:
    runs = [linked("a", 1, {"x/y": 0.5}), linked("b", 2, {"x/y": 0.75})]
    first, second = timeline(replace(TUNE, baseline_run_id="b"), runs)
    assert (first.delta, second.delta, second.is_baseline) == (-0.25, 0.0, True)


def test_without_a_measured_run_there_is_no_baseline() -> None:
    going = linked("a", 1, {}, status="running")
    (entry,) = timeline(TUNE, [going])
    assert (entry.score, entry.delta, entry.is_baseline) == (None, None, False)
    assert (entry.is_comparable, entry.comparable_cases) == (False, ())
    assert baseline(TUNE, []) is None
    assert best(TUNE, [going]) is None


def test_a_runs_score_is_the_mean_of_its_targets_and_each_target_has_its_own_delta() -> None:
    before = linked("a", 1, {"x/one": 0.5, "x/two": 0.0})
    after = linked("b", 2, {"x/two": 0.5, "x/new": 1.0})
    entry = timeline(TUNE, [before, after])[1]
    assert (entry.score, entry.delta) == (0.75, 0.5)
    assert [(t.target, t.score, t.delta) for t in entry.targets] == [
        ("x/two", 0.5, 0.5),
        ("x/new", 1.0, None),
    ]


def test_a_run_with_other_expectations_is_shown_with_the_cases_that_are_comparable() -> None:
    before = linked("a", 1, {"x/y": 0.5})
    changed = linked("b", 2, {"x/y": 1.0}, cases={"oslo": "o1", "rome": "r1", "paris": "p2"})
    entry = timeline(TUNE, [before, changed])[1]
    assert (entry.score, entry.delta, entry.is_comparable) == (1.0, None, False)
    assert entry.comparable_cases == ("rome",)
    assert [t.delta for t in entry.targets] == [None]


def test_a_removed_case_makes_a_run_not_comparable() -> None:
    before = linked("a", 1, {"x/y": 0.5})
    fewer = linked("b", 2, {"x/y": 1.0}, cases={"rome": "r1"})
    assert not timeline(TUNE, [before, fewer])[1].is_comparable


def test_a_request_that_changed_is_comparable_because_that_is_what_is_tuned() -> None:
    before = linked("a", 1, {"x/y": 0.5})
    cases = tuple(
        replace(case, fingerprint=Fingerprint("asks otherwise", case.fingerprint.expectation))
        for case in before.run.cases
    )
    after = linked("b", 2, {"x/y": 0.75})
    entry = timeline(TUNE, [before, LinkedRun(replace(after.run, cases=cases))])[1]
    assert (entry.is_comparable, entry.delta) == (True, 0.25)


def test_the_best_is_one_target_with_everything_to_run_it_again() -> None:
    options = RunOptions(temperature=0.5, system_prompts={"_global": "Be brief."})
    runs = [
        linked("a", 1, {"x/one": 0.5}),
        linked("b", 2, {"x/one": 0.6, "x/two": 0.9}, options=options),
        linked("c", 3, {"x/one": 0.9}),
    ]
    found = best(TUNE, runs)
    assert found is not None
    assert (found.run_id, found.score, found.target.name) == ("b", 0.9, "x/two")
    assert found.options == options
    assert found.configuration.startswith("temp=0.5, prompt=")


def test_what_is_unfinished_not_comparable_or_a_judgement_is_never_the_best() -> None:
    runs = [
        linked("judged", 0, {"x/y": 1.0}, kind="judge"),
        linked("base", 1, {"x/y": 0.5, "x/unscored": None}),
        linked("cut", 2, {"x/y": 1.0}, status="truncated"),
        linked("easier", 3, {"x/y": 1.0}, cases={"rome": "r1"}),
    ]
    found = best(TUNE, runs)
    assert found is not None
    assert found.run_id == "base"


def test_configurations_are_shown_in_short() -> None:
    target = Target("a", "a/b", {"top_p": 0.9, "stop": ["x"]}, system_prompt="Hi")
    shown = configuration(target, RunOptions(temperature=0.5, tool_choice="auto"))
    assert shown.startswith('temp=0.5, top_p=0.9, stop=["x"], tool_choice=auto, prompt=')
    assert configuration(Target("a", "a/b"), RunOptions()) == "defaults"


def test_a_targets_own_temperature_wins() -> None:
    target = Target("a", "a/b", {"temperature": 0.2})
    assert configuration(target, RunOptions(temperature=0.5)) == "temp=0.2"


def test_prompts_are_told_apart_and_the_runs_wins_over_the_targets() -> None:
    target = Target("a", "a/b", system_prompt="Target's")

    def shown(**prompts: str) -> str:
        return configuration(target, RunOptions(system_prompts=prompts))

    assert shown() != shown(_global="Run's")
    assert shown(**{"a::b": "x"}) == shown(**{"a/b": "x"}) == shown(a="x", _global="y")


def test_the_configurations_of_several_targets_are_named() -> None:
    run = linked("a", 1, {})
    targets = (Target("one", "x/1"), Target("two", "x/2", {"temperature": 1}))
    (entry,) = timeline(TUNE, [replace(run, run=replace(run.run, targets=targets))])
    assert entry.configuration == "one: defaults; two: temp=1"
