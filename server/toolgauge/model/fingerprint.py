"""Fingerprints: whether two cases ask the same, and are scored by the same rules."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from toolgauge.model.case import Case, ExpectedCall
from toolgauge.model.tools import ToolSpec

# made once: ``json.dumps`` makes one for each call that is not plain
_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """``request``: what the model sees. ``expectation``: how it is scored. Both SHA-256, hex."""

    request: str
    expectation: str


def canonical_json(value: Any) -> str:
    """Return the one text of a JSON value: sorted keys, no spaces, not ASCII-escaped.

    >>> canonical_json({"b": 1, "a": [1.0, "é"]})
    '{"a":[1.0,"é"],"b":1}'
    """
    return _encoder.encode(value)


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, in hex."""
    return _sha256(canonical_json(value))


def fingerprint(case: Case) -> Fingerprint:
    """Return both fingerprints of a resolved case.

    Names, descriptions and tags of the suite, and a target's parameters and prompt are
    outside of them. Source: ``formats.md``, "Case".
    """
    return next(fingerprints([case]))


def fingerprints(cases: Iterable[Case]) -> Iterator[Fingerprint]:
    """Yield the fingerprints of each case; tools that neighbours share are written once."""
    tools: tuple[ToolSpec, ...] | None = None
    tools_json = ""
    for case in cases:
        if case.tools is not tools:
            tools = case.tools
            tools_json = canonical_json([tool.as_sent() for tool in tools])
        # "tools" is the last of the keys
        request = f'{canonical_json(_request(case))[:-1]},"tools":{tools_json}}}'
        yield Fingerprint(_sha256(request), digest(_expectation(case)))


def _request(case: Case) -> dict[str, Any]:
    """Return what the model sees, but for the tools."""
    system_prompt = case.system_prompt
    if system_prompt is None:
        system_prompt = case.suite_system_prompt
    conversation = (
        {"max_rounds": case.max_rounds, "mock_responses": case.mock_responses}
        if case.runs_a_conversation
        else None
    )
    return {
        "messages": case.messages,
        "system_prompt": system_prompt,
        "tool_choice": [case.tool_choice, case.later_tool_choice],
        "conversation": conversation,
    }


def _expectation(case: Case) -> dict[str, Any]:
    return {
        "expects": case.expects,
        "expected": [_expected(call) for call in case.expected],
        "order": case.order,
        "forbidden_tools": case.forbidden_tools,
        "match": case.match,
        "multi_turn": case.multi_turn,
        "optimal_hops": case.optimal_hops if case.multi_turn else None,
        "valid_prerequisites": case.valid_prerequisites if case.multi_turn else None,
        "argument_source": case.argument_source,
        "weights": [case.weights.tool, case.weights.params],
        "pass_threshold": case.pass_threshold,
    }


def _expected(call: ExpectedCall) -> dict[str, Any]:
    stated = {f.name: getattr(call, f.name) for f in dataclasses.fields(call)}
    return stated | {
        "rule": call.rule.model_dump(),
        "rules": {key: rule.model_dump() for key, rule in call.rules.items()},
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
