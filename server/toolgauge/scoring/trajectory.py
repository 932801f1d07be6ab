"""How near the calls of a whole trial come to the expected ones (``scoring.md`` section 7).

Three scores: ``tsa`` (were the tools found), ``ahr`` (were arguments made up) and ``tp``
(was the path right). None of them is defined for ``expect_any_call`` and for multi-turn by
``expected_tool``.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from rapidfuzz.distance import Levenshtein

from toolgauge.model.case import Case
from toolgauge.model.json_equality import equal_by_value
from toolgauge.model.tools import ToolCall, ToolSpec, Trajectory
from toolgauge.model.trial import Score
from toolgauge.scoring import patterns, schema_match
from toolgauge.scoring.exact_match import UNSCORED, expected_list
from toolgauge.scoring.matching import Undecided
from toolgauge.scoring.quoting import join_reasons, key_text, quote

_SAME_PATH = Score(1.0)
# keywords that judge the arguments as a whole, not one of them
_OF_THE_WHOLE = frozenset(
    {
        *("type", "enum", "const", "$ref", "required", "minProperties", "maxProperties"),
        *("propertyNames", "unevaluatedProperties", "dependencies", "dependentRequired"),
        *("dependentSchemas", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
    }
)


def tsa(case: Case, trajectory: Trajectory) -> Score:
    """Return tool selection accuracy: the share of expected tools that were called, in [0, 1].

    ``|called names & expected names| / |expected names|``, each name counted once, letter
    case as written. None where nothing is expected. Source: ``scoring.md`` section 7.

    >>> from toolgauge.model.case import ExpectedCall
    >>> case = Case("c", (), (), "tool", (ExpectedCall(("search",)),))
    >>> tsa(case, Trajectory((ToolCall("search", {}), ToolCall("open", {})))).value
    1.0
    """
    expected = expected_list(case, trajectory.calls)
    if not expected:
        return UNSCORED
    wanted = {name for name, _ in expected}
    missing = wanted - {call.name for call in trajectory.calls}
    found = len(wanted) - len(missing)
    reason = ""
    if missing:
        names = join_reasons(quote(name) for name in sorted(missing))
        reason = f"{found} of {len(wanted)} expected tools called; not called: {names}"
    return Score(found / len(wanted), reason, found, len(wanted))


def ahr(case: Case, trajectory: Trajectory) -> Score:
    """Return argument hallucination rate: invalid / generated arguments, in [0, 1], less is better.

    Counted over matched calls: the k-th call of a name with the k-th expected one of that
    name. An argument is invalid where the tool's schema does not know its key, where its
    value differs from the expected one (numbers by value), or, with none expected, where
    the value fails the schema. None where no matched call has an argument.
    Source: ``scoring.md`` section 7.

    Raises:
        Undecided: a pattern of the tool's schema ran out of time.

    >>> from toolgauge.model.case import ExpectedCall
    >>> case = Case("c", (), (), "tool", (ExpectedCall(("search",), {"q": "x"}),))
    >>> ahr(case, Trajectory((ToolCall("search", {"q": "y", "limit": 3}),)))
    Score(value=0.5, reason="1 of 2 arguments invalid: call 1, q expected 'x', got 'y'", numerator=1, denominator=2)
    """  # noqa: E501 - a doctest's result stands on one line
    expected = expected_list(case, trajectory.calls)
    if not expected:
        return UNSCORED
    generated = 0
    invalid: list[str] = []
    for position, call, params in _matched(expected, trajectory.calls):
        if isinstance(call.arguments, dict):
            generated += len(call.arguments)
            invalid += [f"call {position}, {why}" for why in _invalid_arguments(case, call, params)]
    if not generated:
        return Score(None, "", 0, 0)
    reason = ""
    if invalid:
        reason = f"{len(invalid)} of {generated} arguments invalid: {join_reasons(invalid)}"
    return Score(len(invalid) / generated, reason, len(invalid), generated)


def tp(case: Case, trajectory: Trajectory) -> Score:
    """Return trajectory precision: how alike the called and the expected path are, in [0, 1].

    ``1 - Levenshtein(called names, expected names) / longer length``; both empty: 1.0.
    Source: ``scoring.md`` section 7.

    >>> from toolgauge.model.case import ExpectedCall
    >>> case = Case("c", (), (), "calls", (ExpectedCall(("a",)), ExpectedCall(("b",))))
    >>> tp(case, Trajectory((ToolCall("a", {}),))).reason
    '1 edit between 1 called and 2 expected names'
    """
    expected = expected_list(case, trajectory.calls)
    if expected is None:
        return UNSCORED
    wanted = [name for name, _ in expected]
    called = [call.name for call in trajectory.calls]
    if called == wanted:
        return _SAME_PATH
    edits = Levenshtein.distance(called, wanted)
    reason = (
        f"{edits} edit{'s' if edits > 1 else ''} between "
        f"{len(called)} called and {len(wanted)} expected names"
    )
    return Score(1 - edits / max(len(called), len(wanted)), reason)


def _matched(
    expected: Sequence[tuple[str, dict[str, Any] | None]], calls: Sequence[ToolCall]
) -> Iterator[tuple[int, ToolCall, dict[str, Any]]]:
    """Yield position, call and expected params of each call that has an expected one."""
    waiting: defaultdict[str, deque[dict[str, Any]]] = defaultdict(deque)
    for name, params in expected:
        waiting[name].append(params or {})
    for position, call in enumerate(calls, start=1):
        if waiting.get(call.name):
            yield position, call, waiting[call.name].popleft()


def _invalid_arguments(case: Case, call: ToolCall, params: dict[str, Any]) -> Iterator[str]:
    tool = schema_match.find_tool(case.tools, call.name)
    # what a definition leaves out is open, whatever the model fills in for it
    is_open = tool is None or "parameters" not in tool.function.model_fields_set
    schema = {} if is_open or tool is None else tool.parameters
    for key, value in call.arguments.items():
        if not _is_known(key, schema):
            yield f"{key_text(key)} is unknown to the schema"
        elif key in params:
            if not equal_by_value(params[key], value):
                yield f"{key_text(key)} expected {quote(params[key])}, got {quote(value)}"
        elif schema and not _fits(schema, key, value):
            yield f"{key_text(key)} fails the schema, got {quote(value)}"


def _is_known(key: str, schema: dict[str, Any]) -> bool:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or key in properties:
        return True
    if schema.get("additionalProperties") is True or isinstance(
        schema.get("additionalProperties"), dict
    ):
        return True
    by_pattern = schema.get("patternProperties")
    return isinstance(by_pattern, dict) and any(_is_found(each, key) for each in by_pattern)


def _is_found(pattern: str, key: str) -> bool:
    try:
        return patterns.found(pattern, key)
    except patterns.BadPattern:
        return False
    except patterns.PatternTimeout:
        raise Undecided(f"pattern {quote(pattern, 200)} ran out of time") from None


def _fits(schema: dict[str, Any], key: str, value: Any) -> bool:
    """Return whether the schema accepts one value under its key, whatever else is sent."""
    try:
        tool = _tool_of_single_values(json.dumps(schema))
    except (TypeError, ValueError, RecursionError):  # no JSON, so no schema
        return True
    return schema_match.is_valid((tool,), ToolCall(tool.name, {key: value})) is not False


@lru_cache(maxsize=1024)
def _tool_of_single_values(schema_json: str) -> ToolSpec:
    """Return a tool that takes any selection of the arguments: the same object each time."""
    schema = json.loads(schema_json)
    kept = {word: stated for word, stated in schema.items() if word not in _OF_THE_WHOLE}
    return ToolSpec.model_validate({"function": {"name": "arguments", "parameters": kept}})
