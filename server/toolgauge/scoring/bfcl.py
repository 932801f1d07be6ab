"""The verdict of the Berkeley Function Calling Leaderboard (``scoring.md`` section 10).

Written after its checker of version 4, so that published verdicts come out the same; the
odd rules are the leaderboard's. What two values have to do with each other is in
``bfcl_values``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgauge.model.case import Case, ExpectedCall
from toolgauge.model.tools import ToolCall, Trajectory
from toolgauge.model.trial import Score
from toolgauge.scoring.bfcl_values import LEFT_OUT, error_of
from toolgauge.scoring.quoting import key_text, quote


@dataclass(frozen=True, slots=True)
class Verdict:
    """Valid, or the leaderboard's type of the first error and what it was about."""

    error_type: str | None = None
    detail: str = ""

    @property
    def valid(self) -> bool:
        return self.error_type is None


VALID = Verdict()
RIGHT = Score(1.0)


def score(case: Case, trajectory: Trajectory) -> Score:
    """Return 1.0 where the leaderboard calls the answer valid, else 0.0.

    The reason begins with the type of the first error. ``params`` of an expected call
    give, per parameter, the list of acceptable values. Source: ``scoring.md`` section 10.

    >>> expected = ExpectedCall(("area",), {"unit": ["cm", ""]})
    >>> case = Case("c", (), (), "calls", (expected,), match="bfcl")
    >>> score(case, Trajectory((ToolCall("area", {}),))).value
    1.0
    >>> score(case, Trajectory(())).reason
    'simple_function_checker:wrong_count: expected 1 calls, got 0'
    """
    verdict = judge(case, trajectory.calls)
    if verdict.valid:
        return RIGHT
    return Score(0.0, f"{verdict.error_type}: {verdict.detail}")


def judge(case: Case, calls: Sequence[ToolCall]) -> Verdict:
    """Return the leaderboard's verdict on the calls of one reply.

    One call whose arguments are no object makes the whole reply undecodable, and that
    counts as no call: valid where none is expected, invalid elsewhere.
    """
    decodable = all(isinstance(call.arguments, dict) for call in calls)
    called = decodable and bool(calls)
    expected = [one for one in case.expected if one.tools]
    if case.expects == "any_call":
        return VALID if called else Verdict("relevance_error:decoder_failed", "no call was made")
    if not expected:
        detail = f"expected no call, got {quote(calls[0].name)}" if called else ""
        return Verdict("irrelevance_error:decoder_success", detail) if called else VALID
    if not decodable:
        return Verdict("ast_decoder:decoder_failed", "the arguments of a call are no object")
    return _judge_calls(case, expected, calls)


def _judge_calls(
    case: Case, expected: Sequence[ExpectedCall], calls: Sequence[ToolCall]
) -> Verdict:
    if len(calls) != len(expected):
        detail = f"expected {len(expected)} calls, got {len(calls)}"
        return Verdict(f"{_checker(case, expected)}:wrong_count", detail)
    if len(expected) == 1:
        return _judge_call(case, expected[0], calls[0])
    return _judge_in_any_order(case, expected, calls)


def _checker(case: Case, expected: Sequence[ExpectedCall]) -> str:
    if len(expected) > 1:
        return "parallel_function_checker_no_order"
    return "multiple_function_checker" if len(case.tools) > 1 else "simple_function_checker"


def _judge_in_any_order(
    case: Case, expected: Sequence[ExpectedCall], calls: Sequence[ToolCall]
) -> Verdict:
    """Give each expected call, in order, the first valid call that is left: greedy by rule 2."""
    left = list(calls)
    for one in expected:
        verdict = VALID
        for at, call in enumerate(left):
            verdict = _judge_call(case, one, call)
            if verdict.valid:
                del left[at]
                break
        if not verdict.valid:
            detail = f"no call left is valid for {quote(one.tools[0])} with {quote(one.params)}"
            return Verdict(f"{_checker(case, expected)}:cannot_find_match", detail)
    return VALID


def _judge_call(case: Case, expected: ExpectedCall, call: ToolCall) -> Verdict:
    if call.name not in expected.tools:
        detail = f"expected {quote(expected.tools[0])}, got {quote(call.name)}"
        return Verdict("simple_function_checker:wrong_func_name", detail)
    params = expected.params
    if params is None:
        return VALID
    schema = next((tool.parameters for tool in case.tools if tool.name == call.name), {})
    for key in schema.get("required") or ():
        if key not in call.arguments:
            return _about(key, "simple_function_checker:missing_required", "it is required")
    wrong = _wrong_argument(call.arguments, params, schema)
    if wrong:
        return wrong
    for key, acceptable in params.items():
        if key not in call.arguments and LEFT_OUT not in _as_list(acceptable):
            detail = f"it may not be left out; acceptable: {quote(acceptable)}"
            return _about(key, "simple_function_checker:missing_optional", detail)
    return VALID


def _wrong_argument(
    arguments: Mapping[str, Any], params: Mapping[str, Any], schema: Mapping[str, Any]
) -> Verdict | None:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    for key, value in arguments.items():
        if key not in params or key not in known:
            detail = f"it is not expected, got {quote(value)}"
            return _about(key, "simple_function_checker:unexpected_param", detail)
        error_type = error_of(value, _as_list(params[key]), known[key])
        if error_type:
            detail = f"acceptable: {quote(params[key])}, got {quote(value)}"
            return _about(key, error_type, detail)
    return None


def _about(key: str, error_type: str, detail: str) -> Verdict:
    return Verdict(error_type, f"parameter {key_text(key)}: {detail}")


def _as_list(acceptable: Any) -> list[Any]:
    return acceptable if isinstance(acceptable, list) else [acceptable]
