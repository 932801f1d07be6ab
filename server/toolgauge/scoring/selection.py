"""Whether the right tool was called (``scoring.md`` section 1)."""

from __future__ import annotations

from toolgauge.model.case import ExpectedCall
from toolgauge.model.tools import ToolCall
from toolgauge.model.trial import Score
from toolgauge.scoring.quoting import quote

RIGHT = Score(1.0)


def is_expected(tools: tuple[str, ...], name: str) -> bool:
    """Return whether ``name`` is one of ``tools``, letter case folded and nothing else.

    >>> is_expected(("get_weather",), "GET_Weather"), is_expected(("get_weather",), "get-weather")
    (True, False)
    """
    if name in tools:
        return True
    folded = name.casefold()
    return any(tool.casefold() == folded for tool in tools)


def score(goal: ExpectedCall, call: ToolCall | None) -> Score:
    """Return 1.0 where the tool that was called is one of the goal's, else 0.0.

    ``call`` is the scored call, None where nothing was called. A goal without tools
    expects that nothing is called: 1.0 then, else 0.0. Source: ``scoring.md`` section 1.

    >>> score(ExpectedCall(("search", "web_search")), ToolCall("Web_Search", {})).value
    1.0
    >>> score(ExpectedCall(()), ToolCall("search", {}))
    Score(value=0.0, reason="expected no call, got 'search'", numerator=None, denominator=None)
    """
    if call is None:
        return Score(0.0, f"expected {_wanted(goal)}, nothing was called") if goal.tools else RIGHT
    if is_expected(goal.tools, call.name):
        return RIGHT
    return Score(0.0, f"expected {_wanted(goal)}, got {quote(call.name)}")


def any_call(call: ToolCall | None) -> Score:
    """Return 1.0 where something was called, whatever it was, else 0.0.

    >>> any_call(None).reason, any_call(ToolCall("search", {})).value
    ('expected some call, nothing was called', 1.0)
    """
    return Score(0.0, "expected some call, nothing was called") if call is None else RIGHT


def _wanted(goal: ExpectedCall) -> str:
    return " or ".join(quote(tool) for tool in goal.tools[:5]) or "no call"
