"""Scoring calls that somebody made against one expectation; no model is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgauge.engine.rescoring import rescore
from toolgauge.errors import NotStored, UsageError
from toolgauge.formats.suite_file import parse_suite
from toolgauge.model.case import Case
from toolgauge.model.suite import Suite, SuiteDocument, resolve
from toolgauge.model.tools import McpTools, Message
from toolgauge.model.trial import Trial, TrialKey

_NAMED_IN_ERRORS = 10


@dataclass(frozen=True, slots=True)
class Made:
    """What was made: single calls, or the messages of a whole conversation."""

    calls: Sequence[Mapping[str, Any]] = ()
    messages: Sequence[Message] = ()


async def score_against(case: Case, made: Made) -> Trial:
    """Return the trial that these calls amount to, scored against a case.

    Raises:
        UsageError: the case compares by meaning, which takes a model.
    """
    if Suite("", (case,)).needs_embeddings:
        raise UsageError("the case compares texts by meaning, which takes a model; run it instead")
    messages = tuple(made.messages) or (_message(made.calls),)
    trial = Trial(TrialKey(case.id, "given", 0), None, attempts=0, messages=messages)
    return await rescore(case, trial)


def stated_case(expectation: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]) -> Case:
    """Return the case that an expectation states, as in a suite file.

    Raises:
        InvalidFile: with everything that is wrong in it.
    """
    case = {"prompt": "(given)"} if not expectation.keys() & {"prompt", "messages"} else {}
    document = {
        "name": "given",
        "tools": [dict(tool) for tool in tools],
        "test_cases": [case | dict(expectation)],
    }
    return resolve(parse_suite(document, file="the expectation").document).cases[0]


def cases_of(document: SuiteDocument) -> tuple[Case, ...]:
    """Return the cases of a suite as they are asked; tools of MCP servers are not asked for."""
    elements = (*document.tools, *(t for c in document.test_cases for t in c.tools or ()))
    servers = {tool.mcp: () for tool in elements if isinstance(tool, McpTools)}
    return resolve(document, mcp_tools=servers).cases


def case_of(document: SuiteDocument, case_id: str) -> Case:
    """Return one case of a suite.

    Raises:
        NotStored: the suite has no such case.
    """
    cases = cases_of(document)
    found = next((case for case in cases if case.id == case_id), None)
    if found is None:
        raise NotStored("case", case_id, tuple(case.id for case in cases[:_NAMED_IN_ERRORS]))
    return found


def _message(calls: Sequence[Mapping[str, Any]]) -> Message:
    if not calls:
        return {"role": "assistant", "content": ""}
    called = []
    for number, call in enumerate(calls):
        if not isinstance(call.get("name"), str):
            raise UsageError(f"calls[{number}]: must be {{name, arguments}}")
        given = call.get("arguments", {})
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        function = {"name": call["name"], "arguments": text}
        called.append({"id": f"call_{number}", "type": "function", "function": function})
    return {"role": "assistant", "content": None, "tool_calls": called}
