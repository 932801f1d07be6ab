"""Cases: as a file states them (``CaseDocument``) and as the engine asks them (``Case``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from toolgauge.model.tools import Document, McpTools, Message, ToolSpec
from toolgauge.model.trial import ToolChoice

ParamMode = Literal[
    "exact",
    "case_insensitive",
    "contains",
    "numeric_tolerance",
    "regex",
    "fuzzy",
    "semantic",
    "one_of",
    "any",
]
JsonType = Literal["string", "number", "integer", "boolean", "object", "array", "null"]
Match = Literal["bfcl"]
Expects = Literal["tool", "no_call", "any_call", "calls"]

UnitInterval = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
Names = Annotated[list[str], Field(min_length=1)]


class ParamRule(Document):
    """How one expected value is compared with the actual one (``scoring.md`` section 2)."""

    mode: ParamMode | None = None
    epsilon: float = Field(default=0.01, ge=0, strict=True, allow_inf_nan=False)
    relative: bool = False
    threshold: UnitInterval | None = None
    values: Annotated[list[Any], Field(min_length=1)] | None = None
    by: ParamMode | None = None
    type: JsonType | None = None


class ScoringConfig(ParamRule):
    """The rule of a whole case, and rules of their own for single parameters."""

    params: dict[str, ParamRule] = Field(default_factory=dict)


class ExpectedCallDocument(Document):
    """One entry of ``expected_calls``."""

    tool: str | Names
    params: dict[str, Any] | None = None
    param_scoring: ParamMode | None = None
    scoring_config: ScoringConfig | None = None
    optional: bool = False


class CaseDefaults(Document):
    """The case fields that a suite may also state once for all cases."""

    tool_choice: ToolChoice | None = None
    system_prompt: str | None = None
    param_scoring: ParamMode | None = None
    scoring_config: ScoringConfig | None = None
    multi_turn: bool = False
    max_rounds: int = Field(default=5, ge=1, le=100)
    optimal_hops: int = Field(default=2, ge=1)
    valid_prerequisites: list[str] = Field(default_factory=list)
    mock_responses: dict[str, Any] = Field(default_factory=dict)
    order: Literal["strict", "any"] = "strict"
    forbidden_tools: list[str] = Field(default_factory=list)
    match: Match | None = None
    pass_threshold: UnitInterval = 1.0
    argument_source: dict[str, str] = Field(default_factory=dict)
    category: str | None = None
    tags: list[str] = Field(default_factory=list)
    critical: bool = False


class CaseDocument(CaseDefaults):
    """One entry of ``test_cases``, as it is written in a suite file."""

    id: str | None = Field(default=None, min_length=1)
    prompt: str | None = None
    messages: Annotated[list[Message], Field(min_length=1)] | None = None
    tools: list[ToolSpec | McpTools] | None = None
    expected_tool: str | Names | None = None
    expected_params: dict[str, Any] | None = None
    expected_calls: list[ExpectedCallDocument] | None = None
    expect_no_call: bool = False
    expect_any_call: bool = False
    should_call_tool: bool | None = None


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call that a case expects: any of ``tools`` (none: nothing may be called).

    ``params`` None means that arguments are not scored. ``rule`` holds for every
    parameter that has none of its own in ``rules``.
    """

    tools: tuple[str, ...]
    params: dict[str, Any] | None = None
    rule: ParamRule = field(default_factory=ParamRule)
    rules: dict[str, ParamRule] = field(default_factory=dict)
    optional: bool = False

    def rule_for(self, key: str) -> ParamRule:
        """Return the rule for one parameter; a rule without a mode takes the case's mode."""
        rule = self.rules.get(key, self.rule)
        return rule if rule.mode else rule.model_copy(update={"mode": self.rule.mode or "exact"})


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares of tool selection and parameters in ``overall``; they sum to 1."""

    tool: float = 0.6
    params: float = 0.4


@dataclass(frozen=True, slots=True)
class Case:
    """One question with what is expected of the answer; defaults and tools resolved.

    ``expected`` holds one call for ``expects == "tool"``, one without tools for
    ``"no_call"``, none for ``"any_call"``, any number for ``"calls"``. ``tool_choice``
    goes with the first request, ``later_tool_choice`` with those after it. ``offered`` are
    the tools as they are sent: one object for all cases that share them.
    """

    id: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    expects: Expects
    expected: tuple[ExpectedCall, ...]
    offered: tuple[dict[str, Any], ...] = ()
    prompt: str | None = None
    system_prompt: str | None = None
    suite_system_prompt: str | None = None
    tool_choice: ToolChoice = "required"
    later_tool_choice: ToolChoice = "auto"
    order: Literal["strict", "any"] = "strict"
    forbidden_tools: tuple[str, ...] = ()
    match: Match | None = None
    multi_turn: bool = False
    max_rounds: int = 5
    optimal_hops: int = 2
    valid_prerequisites: tuple[str, ...] = ()
    mock_responses: dict[str, Any] = field(default_factory=dict)
    argument_source: dict[str, str] = field(default_factory=dict)
    weights: Weights = field(default_factory=Weights)
    pass_threshold: float = 1.0
    category: str | None = None
    tags: tuple[str, ...] = ()
    critical: bool = False

    @property
    def goal(self) -> ExpectedCall | None:
        """The single expected call of a case by ``expected_tool``; None for the other kinds."""
        return self.expected[0] if self.expects in ("tool", "no_call") else None

    @property
    def runs_a_conversation(self) -> bool:
        """Whether tool calls are answered with mocks until the model is done.

        The leaderboard's rules judge one reply, so ``match: bfcl`` alone asks once.
        """
        return self.multi_turn or (
            bool(self.expected) and self.expects == "calls" and not self.match
        )
