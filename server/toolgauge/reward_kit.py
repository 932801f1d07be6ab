"""The names of the Reward Kit, for those who come from there.

``exact_tool_match_reward`` compares all calls of a generation with a ground truth,
``match_function_call`` one call with a schema; the other three are deprecated names of the
first. Messages are dicts or any objects with the same attributes. Malformed data scores
0.0 with a reason and raises nothing. Source: ``scoring.md`` sections 5 and 6.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolgauge.gateway.extract import tool_call_blocks
from toolgauge.scoring.exact_match import first_difference
from toolgauge.scoring.json_types import TYPES
from toolgauge.scoring.quoting import quote

_MESSAGE_FIELDS = ("role", "content", "tool_calls")
_NO_GROUND_TRUTH = (
    "Ground truth not provided. Score based on absence (1.0) or presence (0.0) "
    "of tool calls in generation."
)
_NO_DICTIONARY = "Ground truth is not a dictionary (even after attempting parse)"
# what each strictness forgives, by the first words of the lines that say it
_FORGIVEN: Mapping[str, tuple[str, ...]] = {
    "exact": (),
    "partial": ("Missing argument",),
    "flexible": ("Unexpected argument",),
    "permissive": ("Unexpected argument",),
}
_Call = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One part of a result: a score in [0, 1] and the reason for it."""

    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class EvaluateResult:
    """A score in [0, 1], the reason, and what it is made of.

    ``detail`` is where two lists of calls first differ; None where they do not, and where
    no lists were compared.
    """

    score: float
    reason: str
    metrics: Mapping[str, MetricResult] = field(default_factory=dict)
    detail: str | None = None


def exact_tool_match_reward(
    messages: Any,
    ground_truth: Any = None,
    **_kwargs: Any,
) -> EvaluateResult:
    """Return 1.0 where the last message calls exactly what the ground truth does, else 0.0.

    ``ground_truth`` is a dict with ``tool_calls`` (missing, null or empty: no call is
    expected), that dict as JSON text, or None: then 1.0 where nothing is called. Order,
    names and arguments must be identical; arguments given as text are parsed once.
    Source: ``scoring.md`` section 5.

    >>> call = {"type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    >>> message = {"role": "assistant", "content": '<tool_call>{"name": "f", "arguments": {}}</tool_call>'}
    >>> result = exact_tool_match_reward([message], {"tool_calls": [call]})
    >>> result.score, result.reason, result.detail
    (0.0, 'Exact tool match evaluation score: 0.0', 'call 1, arguments.a: expected 1, got nothing')
    """  # noqa: E501 - a message stands on one line
    if not messages:
        return EvaluateResult(0.0, "No messages provided for evaluation.")
    message = messages[-1] if isinstance(messages, Sequence) else None
    if not _is_message(message):
        found = type(messages if message is None else message)
        return EvaluateResult(0.0, f"Unexpected type for generation message: {found}")
    generated = _generated_calls(message)
    if ground_truth is None:
        return EvaluateResult(0.0 if generated else 1.0, _NO_GROUND_TRUTH)
    try:
        truth = json.loads(ground_truth) if isinstance(ground_truth, str) else ground_truth
    except (ValueError, RecursionError) as error:
        reason = f"Ground truth was a string but failed to parse as JSON: {error}"
        return EvaluateResult(0.0, reason)
    if not isinstance(truth, Mapping):
        return EvaluateResult(0.0, f"{_NO_DICTIONARY}: {type(truth)}")
    difference = first_difference(_listed_calls(truth.get("tool_calls")), generated)
    score = 0.0 if difference else 1.0
    detail = str(difference) if difference else None
    return EvaluateResult(score, f"Exact tool match evaluation score: {score}", detail=detail)


def schema_jaccard_reward(
    messages: Any, ground_truth: Any = None, **_kwargs: Any
) -> EvaluateResult:
    """Return what ``exact_tool_match_reward`` returns; deprecated."""
    return _deprecated("schema_jaccard_reward", messages, ground_truth)


def llm_judge_reward(messages: Any, ground_truth: Any = None, **_kwargs: Any) -> EvaluateResult:
    """Return what ``exact_tool_match_reward`` returns; deprecated."""
    return _deprecated("llm_judge_reward", messages, ground_truth)


def composite_function_call_reward(
    messages: Any, ground_truth: Any = None, **_kwargs: Any
) -> EvaluateResult:
    """Return what ``exact_tool_match_reward`` returns; deprecated."""
    return _deprecated("composite_function_call_reward", messages, ground_truth)


def match_function_call(  # noqa: PLR0917 - the signature is the other system's
    messages: Any,  # noqa: ARG001 - likewise
    function_name: Any,
    parsed_arguments: Any,
    expected_call_schema: Any,
    argument_match_strictness: str = "exact",
) -> EvaluateResult:
    """Return the mean of name match and argument match of one call, each 0.0 or 1.0.

    ``expected_call_schema`` is ``{"name", "arguments": {key: {"type": …}}}``; a type is one
    of JSON Schema's or a list of them, anything else accepts every value. Strictness
    ``exact`` wants all arguments and no others, ``partial`` forgives missing ones unless all
    are, ``flexible`` and ``permissive`` forgive others. Arguments that are no object match
    nothing; None counts as no arguments. Source: ``scoring.md`` section 6.

    Raises:
        ValueError: the strictness is none of these.

    >>> schema = {"name": "f", "arguments": {"a": {"type": "number"}}}
    >>> print(match_function_call([], "f", {"a": "1"}, schema).reason)
    Function name matches: 'f'
    Type mismatch for a: expected number, got str
    """
    if argument_match_strictness not in _FORGIVEN:
        raise ValueError(f"Invalid argument_match_strictness: {argument_match_strictness}")
    schema = expected_call_schema if isinstance(expected_call_schema, Mapping) else {}
    wanted = schema.get("name")
    name_score, name_reason = 1.0, f"Function name matches: {quote(wanted)}"
    if not isinstance(wanted, str) or function_name != wanted:
        name_score = 0.0
        name_reason = (
            f"Function name mismatch: expected {quote(wanted)}, got {quote(function_name)}"
        )
    stated = schema.get("arguments")
    arguments_score, lines = _match_arguments(
        {} if parsed_arguments is None else parsed_arguments,
        stated if isinstance(stated, Mapping) else {},
        argument_match_strictness,
    )
    metrics = {
        "function_name_match": MetricResult(name_score, name_reason),
        "arguments_match": MetricResult(arguments_score, "\n".join(lines)),
    }
    return EvaluateResult(
        (name_score + arguments_score) / 2, "\n".join([name_reason, *lines]), metrics
    )


def _match_arguments(
    arguments: Any, stated: Mapping[str, Any], strictness: str
) -> tuple[float, list[str]]:
    if not isinstance(arguments, Mapping):
        return 0.0, [f"Arguments are no object, got {type(arguments).__name__}"]
    lines = [f"Missing argument: {key}" for key in stated if key not in arguments]
    nothing_given = strictness == "partial" and bool(stated) and not arguments
    for key, value in arguments.items():
        if key not in stated:
            lines.append(f"Unexpected argument: {key}")
        elif (types := _types(stated[key])) and not any(TYPES[name](value) for name in types):
            expected, got = " or ".join(types), type(value).__name__
            lines.append(f"Type mismatch for {key}: expected {expected}, got {got}")
    unforgiven = [line for line in lines if not line.startswith(_FORGIVEN[strictness])]
    return 0.0 if unforgiven or nothing_given else 1.0, lines


def _types(schema: Any) -> list[str]:
    """Return the names of the types that a schema allows; empty where it allows everything."""
    stated = schema.get("type") if isinstance(schema, Mapping) else None
    names = stated if isinstance(stated, list) else [stated]
    known = [name for name in names if isinstance(name, str) and name in TYPES]
    return known if len(known) == len(names) else []


def _is_message(message: Any) -> bool:
    return isinstance(message, Mapping) or any(hasattr(message, name) for name in _MESSAGE_FIELDS)


def _generated_calls(message: Any) -> list[_Call]:
    native = _field(message, "tool_calls")
    if isinstance(native, Sequence) and not isinstance(native, str) and native:
        return _listed_calls(native)
    content = _field(message, "content")
    return list(_calls_in_text(content)) if isinstance(content, str) else []


def _listed_calls(entries: Any) -> list[_Call]:
    """Return name and arguments of the entries in the ``function`` shape; others are dropped."""
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        return []
    calls = (_call(_field(entry, "function")) for entry in entries)
    return [call for call in calls if call is not None]


def _calls_in_text(text: str) -> Iterator[_Call]:
    for block in tool_call_blocks(text):
        is_flat = "name" in block and "arguments" in block
        call = _call(block if is_flat else block.get("function") if "type" in block else None)
        if call is not None:
            yield call


def _call(function: Any) -> _Call | None:
    name = _field(function, "name")
    return (name, _arguments(_field(function, "arguments"))) if isinstance(name, str) else None


def _arguments(sent: Any) -> Any:
    """Return arguments as they are compared: text parsed once, blank and null as ``{}``."""
    if isinstance(sent, str):
        try:
            sent = json.loads(sent) if sent.strip() else None
        except (ValueError, RecursionError):
            return sent
    return {} if sent is None else sent


def _field(source: Any, name: str) -> Any:
    return source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)


def _deprecated(name: str, messages: Any, ground_truth: Any) -> EvaluateResult:
    text = f"{name} is deprecated and delegates to exact_tool_match_reward; call that instead"
    warnings.warn(text, DeprecationWarning, stacklevel=3)
    return exact_tool_match_reward(messages, ground_truth)
