from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.errors import UsageError
from toolgauge.mcp_server.results import CaseItem, SuiteView, TrialItem, TrialPage, TrialView
from toolgauge.mcp_server.sizes import MOST_CHARACTERS, fitted, json_text

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3000),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=20), inner),
    max_leaves=60,
)


def trial(got: str = "", case_id: str = "paris") -> TrialItem:
    return TrialItem(
        case_id=case_id,
        target="openai/test",
        repeat=0,
        outcome="failed",
        failure_kind="wrong_tool",
        score=0.0,
        got=got,
        error=None,
    )


def view(expected: Any, messages: list[Any]) -> TrialView:
    return TrialView(
        trial=trial(),
        prompt="Weather?",
        expected=expected,
        calls=[],
        difference=[],
        scores={"overall": 0.0},
        latency_ms=None,
        cost_usd=None,
        messages=messages,
    )


@settings(max_examples=60, deadline=None)
@given(JSON, st.lists(JSON, max_size=40))
def test_whatever_models_said_fits_and_keeps_the_schema(expected: Any, messages: list[Any]) -> None:
    shown = fitted(view(expected, messages))
    assert len(json_text(shown)) <= MOST_CHARACTERS
    TrialView.model_validate(shown)


def test_a_small_result_is_shown_whole() -> None:
    shown = fitted(view({"name": "a" * 200, "arguments": None}, []))
    assert shown["expected"] == {"name": "a" * 200, "arguments": None}
    assert "clipped" not in shown


def test_what_was_cut_is_marked_and_named() -> None:
    shown = fitted(view("x" * 30_000, []))
    assert shown["expected"].endswith("…[clipped 22,000 characters]")
    assert shown["clipped"] == ["texts of 'expected'"]


def test_a_page_keeps_its_entries_and_its_cursor_whatever_their_size() -> None:
    page = TrialPage(items=[trial("x" * 900) for _ in range(20)], next_cursor="c" * 500, total=99)
    shown = fitted(page)
    assert len(shown["items"]) == 20
    assert shown["next_cursor"] == "c" * 500


def test_a_list_that_is_no_page_loses_its_last_entries() -> None:
    case = CaseItem(case_id="a", prompt="p" * 400, expected=None)
    suite = SuiteView(
        suite_id="weather",
        version=1,
        saved_at="2026-01-01T00:00:00Z",
        tools=[{"name": f"tool{n}", "description": "d" * 150} for n in range(300)],
        cases=[case] * 3,
        settings={},
    )
    shown = fitted(suite)
    assert len(shown["tools"]) < 300
    assert any("more of 'tools'" in note for note in shown["clipped"])


def test_what_cannot_be_shortened_asks_for_less() -> None:
    with pytest.raises(UsageError, match="smaller limit"):
        fitted(TrialPage(items=[trial(case_id="x" * 900) for _ in range(20)]))
