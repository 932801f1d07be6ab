"""What may be compared: sides by name, cases by id and expectation."""

from __future__ import annotations

from measured import counted, measured, tally
from toolgauge.compare.pairing import GatePart, pair_cases, pair_sides


def test_a_changed_request_is_compared_and_a_changed_expectation_is_not() -> None:
    before = [tally("edited", 1, 1), tally("other", 1, 1)]
    after = [tally("edited", 0, 1, request="new"), tally("other", 0, 1, expectation="new")]
    found = pair_cases(measured(*before).tallies, measured(*after).tallies)
    assert [one.id for one in found.compared] == ["edited"]
    assert found.changed == ("other",)


def test_every_case_is_in_one_list() -> None:
    before = [tally("gone", 1, 1), tally("both", 1, 1), tally("dead", 1, 1)]
    after = [tally("dead", 0, 0, errored=1), tally("both", 1, 1), tally("fresh", 1, 1)]
    found = pair_cases(measured(*before).tallies, measured(*after).tallies)
    assert [one.id for one in found.compared] == ["both"]
    assert [one.id for one in found.unmeasured] == ["dead"]
    assert (found.new, found.removed, found.changed) == (("fresh",), ("gone",), ())


def keys(parts: tuple[GatePart, ...]) -> list[tuple[str, str, str | None]]:
    return [(*one.key, one.baseline.side.target if one.baseline else None) for one in parts]


def test_sides_are_paired_by_suite_and_target() -> None:
    heads = [counted([(1, 1)], suite=suite, target=target) for suite in "ab" for target in "xy"]
    parts, left = pair_sides(heads, list(reversed(heads)))
    assert keys(parts) == [("a", "x", "x"), ("a", "y", "y"), ("b", "x", "x"), ("b", "y", "y")]
    assert left == ()


def test_one_replaced_target_of_a_suite_is_compared_with_its_successor() -> None:
    heads = [counted([(1, 1)], target=target) for target in ("same", "new")]
    baselines = [counted([(1, 1)], target=target) for target in ("old", "same")]
    assert keys(pair_sides(heads, baselines)[0]) == [
        ("weather", "same", "same"),
        ("weather", "new", "old"),
    ]


def test_two_replaced_targets_are_not_guessed_at() -> None:
    heads = [counted([(1, 1)], target=target) for target in ("new", "newer")]
    baselines = [counted([(1, 1)], target=target) for target in ("old", "older")]
    parts, left = pair_sides(heads, baselines)
    assert [one.baseline for one in parts] == [None, None]
    assert [side.target for side in left] == ["old", "older"]


def test_a_single_head_and_a_single_baseline_are_paired_whatever_they_are_called() -> None:
    head, before = counted([(1, 1)], suite="new name"), counted([(1, 1)])
    assert pair_sides([head], [before]) == ((GatePart(head, before),), ())


def test_a_removed_suite_is_left_over_and_not_paired_with_a_new_one() -> None:
    heads = [counted([(1, 1)], suite=suite) for suite in ("kept", "new")]
    baselines = [counted([(1, 1)], suite=suite) for suite in ("kept", "gone")]
    parts, left = pair_sides(heads, baselines)
    assert [one.baseline is None for one in parts] == [False, True]
    assert [side.suite for side in left] == ["gone"]


def test_only_a_target_that_answers_by_chance_may_be_asked_again() -> None:
    live, fixed = counted([(1, 1)]), counted([(1, 1)], deterministic=True)
    assert GatePart(live, None).may_repeat
    assert not GatePart(fixed, None).may_repeat
    assert not GatePart(live, None, can_repeat=False).may_repeat
