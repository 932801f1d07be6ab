from __future__ import annotations

import pytest

from builders import WEATHER_TOOL, suite
from toolgauge.model.suite import SuiteDocument, resolve
from toolgauge.model.tools import ToolSpec


def test_ids_are_slugs_of_prompts_made_unique_around_those_that_are_stated() -> None:
    made = suite(
        {"prompt": "Weather in Paris?", "expected_tool": None},
        {"prompt": "weather in paris", "expected_tool": None},
        {"id": "weather-in-paris-2", "prompt": "x", "expected_tool": None},
        {"prompt": "???", "expected_tool": None},
        {"messages": [{"role": "user", "content": "Hi there"}], "expected_tool": None},
        {"prompt": "天气 in 東京", "expected_tool": None},
    )
    assert [case.id for case in made.cases] == [
        "weather-in-paris",
        "weather-in-paris-3",
        "weather-in-paris-2",
        "case",
        "hi-there",
        "天气-in-東京",
    ]


@pytest.mark.parametrize(
    ("case", "fields", "first", "later"),
    [
        ({"expected_tool": "t"}, {}, "required", "required"),
        ({"expected_tool": None}, {}, "auto", "auto"),
        ({"expect_no_call": True}, {"defaults": {"tool_choice": "required"}}, "auto", "auto"),
        ({"expected_calls": []}, {}, "auto", "auto"),
        ({"expected_tool": None, "tool_choice": "required"}, {}, "required", "required"),
        ({"expected_tool": "t", "multi_turn": True}, {}, "required", "auto"),
        ({"expected_tool": "t", "multi_turn": True, "tool_choice": "none"}, {}, "none", "none"),
        ({"expected_calls": [{"tool": "t"}]}, {}, "required", "auto"),
        ({"expected_tool": "t"}, {"defaults": {"tool_choice": "auto"}}, "auto", "auto"),
        ({"expect_any_call": True}, {}, "required", "required"),
    ],
)
def test_what_is_sent_as_tool_choice(case, fields, first, later) -> None:
    (made,) = suite({"id": "a", "prompt": "p"} | case, **fields).cases
    assert (made.tool_choice, made.later_tool_choice) == (first, later)


def test_the_runs_tool_choice_replaces_the_suites_default_but_not_a_cases_own() -> None:
    document = SuiteDocument.model_validate(
        {
            "name": "s",
            "defaults": {"tool_choice": "auto"},
            "test_cases": [
                {"id": "a", "prompt": "p", "expected_tool": "t"},
                {"id": "b", "prompt": "p", "expected_tool": "t", "tool_choice": "auto"},
            ],
        }
    )
    made = resolve(document, tool_choice="required")
    assert [case.tool_choice for case in made.cases] == ["required", "auto"]


def test_defaults_hold_where_a_case_states_nothing() -> None:
    defaults = {"max_rounds": 9, "category": "c", "critical": True, "param_scoring": "fuzzy"}
    own, other = suite(
        {"id": "a", "prompt": "p", "expected_tool": "t", "expected_params": {"x": "y"}},
        {
            "id": "b",
            "prompt": "p",
            "expected_tool": "t",
            "max_rounds": 2,
            "category": None,
            "param_scoring": "exact",
        },
        defaults=defaults,
    ).cases
    assert (own.max_rounds, own.category, own.critical) == (9, "c", True)
    assert own.goal.rule_for("x").mode == "fuzzy"
    assert (other.max_rounds, other.category) == (2, None)
    assert other.goal.rule_for("x").mode == "exact"


def test_a_cases_threshold_wins_over_the_suites_and_that_over_the_defaults() -> None:
    case = {"prompt": "p", "expected_tool": "t"}
    made = suite(
        case | {"id": "a", "pass_threshold": 0.1},
        case | {"id": "b"},
        pass_threshold=0.5,
        defaults={"pass_threshold": 0.9},
    )
    assert [c.pass_threshold for c in made.cases] == [0.1, 0.5]
    assert suite(case, defaults={"pass_threshold": 0.9}).cases[0].pass_threshold == 0.9


def test_tools_of_a_server_are_put_where_it_is_named() -> None:
    tool = ToolSpec.model_validate(WEATHER_TOOL)
    document = SuiteDocument.model_validate(
        {
            "name": "s",
            "tools": [{"mcp": "weather"}],
            "test_cases": [{"prompt": "p", "expected_tool": None}],
        }
    )
    assert resolve(document, mcp_tools={"weather": (tool,)}).cases[0].tools == (tool,)
    with pytest.raises(KeyError):
        resolve(document)


def test_a_tool_is_sent_as_it_was_written() -> None:
    bare = {"type": "function", "function": {"name": "t"}}
    assert ToolSpec.model_validate(bare).as_sent() == bare
    assert ToolSpec.model_validate({"function": {"name": "t", "strict": True}}).as_sent() == {
        "type": "function",
        "function": {"name": "t", "strict": True},
    }
