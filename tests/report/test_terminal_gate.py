from __future__ import annotations

from random import Random

import hostile_documents as hostile
from report_builders import report, rich_report, suite_report, unmeasured_report


def test_it_says_verdict_numbers_notices_suites_regressions_and_suspects_in_this_order() -> None:
    text = hostile.terminal_text(rich_report())
    places = [
        text.index(part)
        for part in (
            "Fail in 1 of 3 suites",
            "80.0% passed, 92.0% before",
            "! weather on mistral: 2 cases of the baseline removed. (old-1, old-2)",
            "Head against baseline",
            "calendar_email",
            "Regressions (2)",
            '- get_weather(city="Oslo", unit="C")',
            '+ get_weather(city="Oslo", unit="F")',
            "Suspects, not confirmed (1)",
            "it passed 3 of 7 fresh repeats",
            "policy statistical",
            "Label the pull request",
        )
    ]
    assert places == sorted(places)


def test_more_regressions_than_fit_a_screen_are_counted() -> None:
    many = suite_report().regressions * 30
    assert "and 40 more" in hostile.terminal_text(report(suite_report(regressions=many)))


def test_a_gate_that_measured_nothing_is_shown_too() -> None:
    text = hostile.terminal_text(unmeasured_report())
    assert text.startswith("Error: Nothing was measured.\nnothing was scored\n")
    assert "Regressions" not in text


def test_no_control_or_invisible_character_reaches_the_terminal() -> None:
    made = hostile.rewritten(rich_report(), hostile.hostile_texts(Random(3)))
    assert not hostile.unseen_characters(hostile.terminal_text(made))


def test_square_brackets_are_no_markup() -> None:
    made = hostile.rewritten(report(), lambda: "[red]x[/red]")
    assert "[red]x[/red]" in hostile.terminal_text(made)
