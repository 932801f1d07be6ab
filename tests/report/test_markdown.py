from __future__ import annotations

from dataclasses import replace
from random import Random

import hostile_documents as hostile
import pytest
from report_builders import (
    call,
    case_side,
    confirmed,
    finding,
    notice,
    numbers,
    report,
    rich_report,
    suite_report,
    unmeasured_report,
)

from toolgauge.model.policy import Policy
from toolgauge.model.report import ExtraRepeats
from toolgauge.report.markdown import COMMENT_BUDGET, LEAST_BUDGET, SUMMARY_BUDGET, markdown


def in_order(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def test_it_opens_with_the_verdict_then_numbers_then_suites_then_regressions() -> None:
    text = markdown(rich_report())
    assert text.startswith("## ❌ Fail in 1 of 3 suites: the pass rate dropped by 12.0 points")
    assert in_order(
        text,
        "80.0% passed, 92.0% before",
        "2 cases of the baseline removed. `old-1`, `old-2`",
        "| Suite | Target |",
        "### 2 confirmed regressions",
        "<details><summary>1 suspect</summary>",
        "<summary>1 improved case<",
        "<summary>2 flaky cases<",
        "<summary>Changed, new and removed cases<",
        "<summary>Confusion",
        "<summary>Cost, latency",
        "<sub>baseline `a1b2c3d4e5f6`, 3 days older",
        "policy statistical",
        "can only see drops of 4.7 points",
        "Label the pull request",
    )


def test_a_regression_shows_expected_and_got_calls_as_a_difference() -> None:
    text = markdown(report())
    assert (
        '```diff\n- get_weather(city="Oslo", unit="C")\n+ get_weather(city="Oslo", unit="F")\n```'
    ) in text
    assert "5/5 -> 0/3, fresh 0/8 · p = 0.0016 · `wrong_params`" in text


def test_one_suite_has_its_p_in_the_line_of_numbers_and_many_have_none() -> None:
    assert "; p = 0.0008" in markdown(report()).split("\n")[2]
    assert "; p " not in markdown(rich_report()).split("\n")[2]


def test_a_gate_of_scores_shows_the_change_of_the_score() -> None:
    text = markdown(report(policy=Policy(metric="overall")))
    assert "Δ score" in text
    assert "| -6.9 | -11.0 to -2.0 | 0.003 |" in text


def test_a_gate_that_measured_nothing_says_so() -> None:
    text = markdown(unmeasured_report())
    assert text.startswith("## 💥 Error: Nothing was measured.\n\nnothing was scored")
    assert "no baseline" in text


def test_no_money_begins_a_formula() -> None:
    assert "$" not in markdown(rich_report()).replace("<span>$</span>", "")


def test_links_of_the_caller_stand_beside_the_numbers() -> None:
    text = markdown(report(), links={"full report": "https://example.org/runs/1 (x)"})
    assert " · [full report](https://example.org/runs/1%20%28x%29)" in text.split("\n")[2]
    with pytest.raises(ValueError, match="no link"):
        markdown(report(), links={"full report": "javascript:x"})


def test_many_regressions_fit_the_comment_and_the_rest_is_counted() -> None:
    many = tuple(
        confirmed(f"case-{n}", expected=call(note="漢" * 300), fresh=case_side(0, 8, calls=()))
        for n in range(100)
    )
    text = markdown(report(suite_report(regressions=many)))
    assert len(text.encode()) <= COMMENT_BUDGET
    assert "### 100 confirmed regressions" in text
    assert "And 80 more regressions." in text
    assert (
        markdown(report(suite_report(regressions=many)), budget=SUMMARY_BUDGET).count("```diff")
        == 100
    )


def test_the_least_important_blocks_go_first_and_the_footer_names_them() -> None:
    whole = rich_report()
    full = markdown(whole)
    gone: list[bool] = []
    for budget in range(LEAST_BUDGET, LEAST_BUDGET + 30_000, 3_000):
        flaky = tuple(finding(f"f{n}-" + "漢" * 50, "flaky") for n in range(40))
        suites = (replace(whole.suites[0], flaky=flaky), *whole.suites[1:])
        text = markdown(replace(whole, suites=suites), budget=budget)
        assert len(text.encode()) <= budget
        assert text.startswith(full.split("\n")[0])
        gone.append("flaky cases" in text.split("left out for size: ")[-1].split(";")[0])
        if "left out for size" in text:
            assert "<summary>Cost, latency" not in text
            assert "### 2 confirmed regressions" in text
    assert gone[0]
    assert not gone[-1]


def test_blocks_go_whole() -> None:
    many = tuple(confirmed(f"case-{n}", expected=call(note="x" * 2000)) for n in range(60))
    text = markdown(report(suite_report(regressions=many)), budget=LEAST_BUDGET)
    assert "left out for size: " in text
    assert " regression" in text.split("left out for size: ")[1]
    assert text.count("```") % 2 == 0
    assert text.count("<details>") == text.count("</details>")
    hostile.markdown_shape(text)


def test_many_suites_show_the_worst_twenty_and_fold_the_rest() -> None:
    passing = [suite_report(f"s{n}", verdict="pass", regressions=()) for n in range(50)]
    text = markdown(report(*passing, suite_report("worst")))
    assert in_order(text, "`worst`", "`s0`", "<summary>31 more suites</summary>", "`s49`")


def test_a_budget_too_small_for_any_report_is_refused() -> None:
    with pytest.raises(ValueError, match="8000 are needed"):
        markdown(report(), budget=LEAST_BUDGET - 1)


def test_many_notices_do_not_push_the_verdict_out() -> None:
    notices = tuple(notice(details=tuple("漢" * 60 for _ in range(20))) for _ in range(100))
    text = markdown(report(notices=notices), budget=LEAST_BUDGET)
    assert len(text.encode()) <= LEAST_BUDGET
    assert text.startswith("## ❌")
    assert "notices" in text.split("left out for size: ")[1]


def test_equal_numbers_make_equal_documents() -> None:
    assert markdown(rich_report()) == markdown(rich_report())


@pytest.mark.parametrize("seed", range(40))
def test_hostile_texts_change_no_document(seed: int) -> None:
    whole = rich_report()
    small = replace(whole, suites=whole.suites[:1])
    expected = hostile.shapes_of(hostile.rewritten(small, hostile.harmless_text()))
    made = hostile.rewritten(small, hostile.hostile_texts(Random(seed)))
    hostile.check_report(made, expected)


def test_a_text_of_2_mb_in_every_place_stays_in_budget() -> None:
    huge = hostile.rewritten(report(notices=(notice(),)), lambda: "`|<@a>\n" * 300_000)
    text = markdown(huge)
    assert len(text.encode()) <= COMMENT_BUDGET
    hostile.markdown_shape(text)


def test_a_comparison_without_interval_shows_a_dash() -> None:
    alone = numbers()
    assert alone.passed is not None
    without = replace(alone.passed, delta=replace(alone.passed.delta, low=None, high=None))
    text = markdown(report(suite_report(numbers=numbers(passed=without))))
    assert "| -12.0 | - | 0.0008 |" in text


def test_repeats_that_were_bought_are_added_up_over_the_suites() -> None:
    unknown = ExtraRepeats("second", 5, 15)
    suites = [suite_report("a"), suite_report("b"), suite_report("c", extra=(unknown,))]
    footer = markdown(report(*suites)).split("<sub>")[1]
    assert "4 cases asked afresh to confirm, in no mean: 32 trials, <span>$</span>0.0400" in footer
    assert "5 cases asked once more, pooled with the first batch: 15 trials ·" in footer
