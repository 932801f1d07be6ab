from __future__ import annotations

from typing import Any

from made import calls, case

from toolgauge.scoring.judgement import Judgement, judge, texts_compared

WEATHER: dict[str, Any] = {
    "expected_tool": "get_weather",
    "expected_params": {"city": "Rome", "days": 2},
}


def judged(made_case: Any, *made: Any) -> Judgement:
    return judge(made_case, calls(*made), {})


def test_of_several_calls_the_best_is_scored_and_the_others_are_extra() -> None:
    found = judged(
        case(**WEATHER),
        ("search", {"city": "Rome", "days": 2}),
        ("get_weather", {"city": "Oslo"}),
        ("get_weather", {"city": "Rome"}),
    )
    assert found.call is not None
    assert found.call.arguments == {"city": "Rome"}
    assert (found.tool.value, found.params.value, found.extra_calls) == (1.0, 0.5, 2)


def test_of_equally_good_calls_the_first_is_scored() -> None:
    found = judged(case(**WEATHER), ("search", {"q": 1}), ("other", {"q": 2}))
    assert found.call is not None
    assert found.call.name == "search"


def test_a_wrong_tool_or_no_call_gets_no_params_wherever_params_are_stated() -> None:
    for params, expected in (({}, 0.0), ({"city": "Rome"}, 0.0), (None, None)):
        goal = case(expected_tool="get_weather", expected_params=params)
        assert judged(goal, ("search", {"city": "Rome"})).params.value == expected
        assert judged(goal).params.value == expected


def test_every_call_is_extra_where_none_is_expected() -> None:
    found = judged(case(expected_tool=None), "search", "search")
    assert (found.tool.value, found.params.value, found.extra_calls) == (0.0, None, 2)
    assert judged(case(expected_tool=None)).tool.value == 1.0


def test_params_stated_beside_no_tool_are_not_scored() -> None:
    silent = case(expected_tool=None, expected_params={})
    assert judged(silent).params.value is None


def test_any_call_counts_and_its_params_are_not_scored() -> None:
    found = judged(case(expect_any_call=True), "whatever", "more")
    assert (found.tool.value, found.params.value, found.extra_calls) == (1.0, None, 0)


def test_a_conversation_is_scored_on_the_last_call_of_the_goal() -> None:
    goal = case(**WEATHER, multi_turn=True)
    right, wrong = ("get_weather", {"city": "Rome", "days": 2}), ("get_weather", {})
    assert judged(goal, right, wrong, "search").params.value == 0.0
    assert judged(goal, wrong, right, "search").params.value == 1.0
    last = judged(goal, "search", "other").call
    assert last is not None
    assert last.name == "other"


def test_expected_calls_are_judged_by_their_alignment() -> None:
    both = case(expected_calls=[{"tool": "search"}, {"tool": "get_weather"}])
    found = judged(both, "search", "get_weather", "search")
    assert found.alignment is not None
    assert (found.tool.value, found.call, found.extra_calls) == (2 / 3, None, 1)


def test_texts_are_compared_only_with_calls_that_are_scored() -> None:
    fields = {"expected_params": {"city": "the eternal city"}, "param_scoring": "semantic"}
    made = calls(("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"}), "search")
    single = case(expected_tool="get_weather", **fields)
    chain = case(expected_tool="get_weather", multi_turn=True, **fields)
    assert set(texts_compared(single, made)) == {"the eternal city", "Oslo", "Rome"}
    assert set(texts_compared(chain, made)) == {"the eternal city", "Rome"}
    assert not set(texts_compared(case(expect_any_call=True), made))
