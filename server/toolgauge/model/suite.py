"""Suites: as a file states them (``SuiteDocument``) and as a run asks them (``Suite``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from toolgauge.model.case import (
    Case,
    CaseDefaults,
    CaseDocument,
    ExpectedCall,
    Expects,
    Match,
    ParamMode,
    ParamRule,
    ScoringConfig,
    UnitInterval,
    Weights,
)
from toolgauge.model.tools import Document, McpTools, Message, ToolSpec
from toolgauge.model.trial import ToolChoice

_SLUG_LENGTH = 48


class WeightsDocument(Document):
    """``weights`` of a suite: both shares, each 0..1, with a sum of 1."""

    tool: UnitInterval
    params: UnitInterval


class SuiteDefaults(CaseDefaults):
    """``defaults`` of a suite: what is sent, how often, and case fields for all cases."""

    temperature: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    max_tokens: int = Field(default=1024, ge=1)
    repeats: int = Field(default=1, ge=1)


class SuiteDocument(Document):
    """A suite as it is written in a file; the JSON Schema is made from this class."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True)

    schema_url: str | None = Field(default=None, alias="$schema")
    name: str = Field(min_length=1)
    description: str = ""
    tags: list[str] = Field(default_factory=list)
    system_prompt: str | None = None
    tools: list[ToolSpec | McpTools] = Field(default_factory=list)
    test_cases: Annotated[list[CaseDocument], Field(min_length=1)]
    targets: list[str] = Field(default_factory=list)
    embedding_model: str | None = None
    defaults: SuiteDefaults = Field(default_factory=SuiteDefaults)
    weights: WeightsDocument | None = None
    pass_threshold: UnitInterval = 1.0
    match: Match | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """Tool definitions and resolved cases, ready to be asked."""

    name: str
    cases: tuple[Case, ...]
    description: str = ""
    tags: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    embedding_model: str | None = None
    temperature: float = 0.0
    max_tokens: int = 1024
    repeats: int = 1

    @property
    def needs_embeddings(self) -> bool:
        """Whether some case compares texts by meaning."""
        return any(
            "semantic" in (rule.mode, rule.by)
            for case in self.cases
            for call in case.expected
            for rule in (call.rule, *call.rules.values())
        )


def resolve(
    document: SuiteDocument,
    *,
    mcp_tools: Mapping[str, tuple[ToolSpec, ...]] | None = None,
    tool_choice: ToolChoice | None = None,
) -> Suite:
    """Return the suite as it is asked: defaults, ids and MCP tools filled in.

    ``mcp_tools`` maps each server that the document names to its tools.
    ``tool_choice`` is the run's, in place of the suite's default; a case's own stays.

    Raises:
        KeyError: a server that the document names is missing in ``mcp_tools``.
    """
    servers = mcp_tools or {}
    shared = _Tools.resolved(document.tools, servers)
    cases = tuple(
        _resolve_case(
            document,
            case,
            case_id=case_id,
            tools=shared if case.tools is None else _Tools.resolved(case.tools, servers),
            tool_choice=tool_choice,
        )
        for case, case_id in zip(document.test_cases, case_ids(document.test_cases), strict=True)
    )
    return Suite(
        name=document.name,
        cases=cases,
        description=document.description,
        tags=tuple(document.tags),
        targets=tuple(document.targets),
        embedding_model=document.embedding_model,
        temperature=document.defaults.temperature,
        max_tokens=document.defaults.max_tokens,
        repeats=document.defaults.repeats,
    )


def case_ids(cases: list[CaseDocument]) -> Iterator[str]:
    """Yield each case's id: its own, else a slug of its prompt, made unique by a number."""
    taken = {case.id for case in cases if case.id is not None}
    counts: dict[str, int] = {}
    for case in cases:
        if case.id is not None:
            yield case.id
            continue
        slug = _slug(case)
        candidate = slug
        while candidate in taken:
            counts[slug] = counts.get(slug, 1) + 1
            candidate = f"{slug}-{counts[slug]}"
        taken.add(candidate)
        yield candidate


def _slug(case: CaseDocument) -> str:
    text = case.prompt
    if text is None:
        turns = [m.get("content") for m in case.messages or () if m.get("role") == "user"]
        text = next((turn for turn in reversed(turns) if isinstance(turn, str)), "")
    words = re.sub(r"[\W_]+", "-", text.casefold()).strip("-")
    return words[:_SLUG_LENGTH].rstrip("-") or "case"


@dataclass(frozen=True, slots=True)
class _Tools:
    """Tools of a suite or case, as they were defined and as they are sent."""

    specs: tuple[ToolSpec, ...]
    offered: tuple[dict[str, Any], ...]

    @classmethod
    def resolved(
        cls, tools: list[ToolSpec | McpTools], servers: Mapping[str, tuple[ToolSpec, ...]]
    ) -> _Tools:
        specs: list[ToolSpec] = []
        for tool in tools:
            specs.extend(servers[tool.mcp] if isinstance(tool, McpTools) else (tool,))
        return cls(tuple(specs), tuple(spec.as_sent() for spec in specs))


def _resolve_case(
    document: SuiteDocument,
    case: CaseDocument,
    *,
    case_id: str,
    tools: _Tools,
    tool_choice: ToolChoice | None,
) -> Case:
    own = case.model_fields_set

    def stated(name: str) -> Any:
        return getattr(case if name in own else document.defaults, name)

    expects = _expects(case)
    resolved = Case(
        id=case_id,
        prompt=case.prompt,
        messages=_messages(case),
        tools=tools.specs,
        offered=tools.offered,
        expects=expects,
        expected=_expected(case, stated("param_scoring"), stated("scoring_config")),
        system_prompt=stated("system_prompt"),
        suite_system_prompt=document.system_prompt,
        order=stated("order"),
        forbidden_tools=tuple(stated("forbidden_tools")),
        match=stated("match") or document.match,
        multi_turn=stated("multi_turn"),
        max_rounds=stated("max_rounds"),
        optimal_hops=stated("optimal_hops"),
        valid_prerequisites=tuple(stated("valid_prerequisites")),
        mock_responses=stated("mock_responses"),
        argument_source=stated("argument_source"),
        weights=_weights(document),
        pass_threshold=_pass_threshold(document, case),
        category=stated("category"),
        tags=tuple(stated("tags")),
        critical=stated("critical"),
    )
    shared = tool_choice or document.defaults.tool_choice
    return _with_tool_choice(resolved, case.tool_choice, shared)


def _weights(document: SuiteDocument) -> Weights:
    stated = document.weights
    return Weights(stated.tool, stated.params) if stated else Weights()


def _with_tool_choice(case: Case, own: ToolChoice | None, shared: ToolChoice | None) -> Case:
    """Apply ``formats.md``: what the case states holds throughout, else ``auto`` where due."""
    expects_nothing = case.expects == "no_call" or (case.expects == "calls" and not case.expected)
    first = own or ("auto" if expects_nothing else shared or "required")
    later = own or ("auto" if case.runs_a_conversation else first)
    return replace(case, tool_choice=first, later_tool_choice=later)


def _pass_threshold(document: SuiteDocument, case: CaseDocument) -> float:
    for source in (case, document, document.defaults):
        if "pass_threshold" in source.model_fields_set:
            return float(source.pass_threshold)
    return 1.0


def _messages(case: CaseDocument) -> tuple[Message, ...]:
    if case.messages is not None:
        return tuple(case.messages)
    return ({"role": "user", "content": case.prompt},)


def _expects(case: CaseDocument) -> Expects:
    if case.expected_calls is not None:
        return "calls"
    if case.expect_any_call:
        return "any_call"
    return "tool" if case.expected_tool is not None else "no_call"


def _expected(
    case: CaseDocument, scoring: ParamMode | None, config: ScoringConfig | None
) -> tuple[ExpectedCall, ...]:
    if case.expect_any_call:
        return ()
    if case.expected_calls is not None:
        return tuple(
            _expected_call(
                call.tool,
                call.params,
                call.param_scoring or scoring,
                call.scoring_config or config,
                optional=call.optional,
            )
            for call in case.expected_calls
        )
    return (_expected_call(case.expected_tool, case.expected_params, scoring, config),)


def _expected_call(
    tool: str | list[str] | None,
    params: dict[str, Any] | None,
    scoring: ParamMode | None,
    config: ScoringConfig | None,
    *,
    optional: bool = False,
) -> ExpectedCall:
    tools = () if tool is None else (tool,) if isinstance(tool, str) else tuple(tool)
    if config is None:
        return ExpectedCall(tools, params, _plain_rule(scoring or "exact"), optional=optional)
    mode = config.mode or scoring or "exact"
    rule = ParamRule(**config.model_dump(exclude={"params", "mode"}), mode=mode)
    return ExpectedCall(tools, params, rule, config.params, optional)


@cache
def _plain_rule(mode: ParamMode) -> ParamRule:
    """Return the rule of a mode without options; one object for all cases of a suite."""
    return ParamRule(mode=mode)
