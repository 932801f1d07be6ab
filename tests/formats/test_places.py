from __future__ import annotations

import pytest

from toolgauge.formats.places import (
    Found,
    did_you_mean,
    in_file_order,
    kind_of,
    nowhere,
    path_text,
    shown,
)


def test_paths_join_keys_by_dots_and_positions_by_brackets() -> None:
    assert path_text(()) == ""
    assert path_text((0, "a", 1, 2, "b.c")) == "[0].a[1][2].b.c"


def test_problems_come_once_and_in_the_order_of_the_document() -> None:
    data = {"b": [{"y": 1, "x": 2}], "a": 3}
    found = [
        Found(("a",), "later"),
        Found(("b", 0, "x"), "second"),
        Found(("b", 0, "y"), "first"),
        Found(("b", 0, "x"), "second"),
        Found(("b", 0), "of the object itself"),
        Found(("b", 0, "missing"), "of what is not there"),
    ]
    problems = in_file_order(found, data, nowhere)
    assert [problem.path for problem in problems] == [
        "b[0]",
        "b[0].missing",
        "b[0].y",
        "b[0].x",
        "a",
    ]
    assert {problem.line for problem in problems} == {None}


def test_lines_come_before_positions() -> None:
    found = [Found(("a",), "one", 5), Found(("b",), "two")]
    problems = in_file_order(found, {"a": 1, "b": 2}, lambda _: 3)
    assert [str(problem) for problem in problems] == ["line 3: b: two", "line 5: a: one"]


def test_a_line_that_was_found_wins_over_the_locators() -> None:
    (problem,) = in_file_order([Found(("a",), "again", 7)], {"a": 1}, lambda _: 1)
    assert str(problem) == "line 7: a: again"


def test_only_a_near_name_is_suggested() -> None:
    assert did_you_mean("promt", ["prompt", "tools"]) == "did you mean `prompt`?"
    assert did_you_mean("zzz", ["prompt", "tools"], otherwise="no idea") == "no idea"
    assert did_you_mean("zzz", []) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\nb", "'a\\nb'"),
        (True, "true"),
        (1.5, "1.5"),
        (None, "null"),
        ([1], "a list"),
        ({}, "an object"),
    ],
)
def test_values_are_shown_short_and_on_one_line(value: object, text: str) -> None:
    assert shown(value) == text
    assert len(shown("x" * 1000)) == 60


def test_every_json_type_has_a_name() -> None:
    kinds = [kind_of(value) for value in ({}, [], "", True, None, 1, 1.5)]
    assert kinds == ["an object", "a list", "text", "a truth value", "null", "a number", "a number"]
