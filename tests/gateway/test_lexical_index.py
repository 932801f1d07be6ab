from __future__ import annotations

from typing import Any

import pytest

from toolgauge.gateway.lexical_index import ToolIndex


def tool(name: str, description: Any = "", **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def ranking(question: str, *tools: Any, explained: tuple[str, ...] = ()) -> list[str]:
    ranked = ToolIndex(tools).rank(question, explained=explained)
    return [one.tool.name for one in ranked if one.score > 0]


WEATHER = tool("get_weather", "Get the current weather for a city")
SEARCH = tool("search_web", "Search the web for pages")


@pytest.mark.parametrize(
    ("spoken", "other"),
    [
        (tool("paint"), SEARCH),
        (tool("a", "Paint a wall"), SEARCH),
        (tool("a", paint={"type": "string"}), SEARCH),
        (tool("a", p={"description": "what to paint"}), SEARCH),
        (tool("a", p={"enum": ["paint", "varnish"]}), SEARCH),
        (tool("a", "Paintings of all kinds"), SEARCH),
    ],
)
def test_a_word_counts_wherever_it_stands(spoken: Any, other: Any) -> None:
    assert ranking("painting", other, spoken) == [spoken["function"]["name"]]


def test_a_name_counts_more_than_a_description() -> None:
    described = tool("a", "Paint a wall")
    assert ranking("paint", described, tool("paint")) == ["paint", "a"]


def test_a_rare_word_counts_more_than_one_that_every_tool_has() -> None:
    flights = [tool("find_flight"), tool("book_flight"), tool("cancel_flight")]
    assert ranking("cancel the flight", *flights)[0] == "cancel_flight"


def test_a_misspelt_word_counts_as_the_nearest() -> None:
    assert ranking("wether or weathr", SEARCH, WEATHER) == ["get_weather"]


def test_ties_keep_the_given_order() -> None:
    assert ranking("paint", tool("paint_x"), tool("paint_y")) == ["paint_x", "paint_y"]
    assert ranking("paint", tool("paint_y"), tool("paint_x")) == ["paint_y", "paint_x"]


def test_explained_words_count_nothing() -> None:
    assert ranking("weather", WEATHER, explained=("weath",)) == []


@pytest.mark.parametrize("question", ["", "what is this", "🙂", "\ud800" * 5])
def test_a_question_without_known_words_ranks_nothing(question: str) -> None:
    assert ranking(question, WEATHER, SEARCH) == []


def test_what_is_no_definition_is_passed_over() -> None:
    hostile = [None, 5, {}, {"function": None}, {"function": {"name": 5}}, tool("a", None)]
    index = ToolIndex([*hostile, {"function": {"name": "paint", "parameters": []}}])
    assert [entry.name for entry in index.tools] == ["a", "paint"]
    assert ToolIndex([]).rank("paint") == []
