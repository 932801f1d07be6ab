"""What a mocked tool answers, for the engine and for scoring alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolgauge.model.json_equality import equal_by_value
from toolgauge.model.tools import ToolCall

MOCK_KEYS = frozenset({"when", "sequence", "error", "default"})
NO_MOCK: dict[str, Any] = {"status": "ok"}


def is_structured(mock: Any) -> bool:
    """Return whether a mock is a structure with conditions rather than one plain value."""
    return isinstance(mock, dict) and bool(
        "when" in mock or "sequence" in mock or (mock and mock.keys() <= MOCK_KEYS)
    )


def answer(mocks: Mapping[str, Any], earlier: Sequence[ToolCall], call: ToolCall) -> Any:
    """Return what the mock of the called tool returns, as a JSON value.

    Order: the first ``when`` whose params are contained in the call's; then
    ``sequence``, by how many ``earlier`` calls of this tool it has answered (its last
    entry repeats); then ``error``, as ``{"error": text}``; then ``default``; ``null``
    where the structure has nothing left. A tool without a mock returns
    ``{"status": "ok"}``. Source: ``formats.md``, ``mock_responses``.
    """
    name = _mock_name(mocks, call.name)
    if name is None:
        return NO_MOCK
    mock = mocks[name]
    if not is_structured(mock):
        return mock
    matched, value = _matching_when(mock, call)
    if matched:
        return value
    sequence = mock.get("sequence")
    if sequence:
        used = sum(
            _mock_name(mocks, past.name) == name and not _matching_when(mock, past)[0]
            for past in earlier
        )
        return sequence[min(used, len(sequence) - 1)]
    return {"error": mock["error"]} if "error" in mock else mock.get("default")


def _mock_name(mocks: Mapping[str, Any], called: str) -> str | None:
    if called in mocks:
        return called
    folded = called.casefold()
    return next((name for name in mocks if name.casefold() == folded), None)


def _matching_when(mock: Mapping[str, Any], call: ToolCall) -> tuple[bool, Any]:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    for condition in mock.get("when") or ():
        params = condition.get("params") or {}
        if all(key in arguments and equal_by_value(arguments[key], params[key]) for key in params):
            return True, condition.get("return")
    return False, None
