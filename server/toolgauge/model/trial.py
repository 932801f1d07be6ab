"""Scores and trials: what one attempt was worth, or why it could not be had."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeVar

from toolgauge.model.tools import CallFormat, Message, ToolCall

FailureKind = Literal[
    "no_call",
    "unexpected_call",
    "incomplete_trajectory",
    "wrong_order",
    "unknown_tool",
    "wrong_tool",
    "schema_violation",
    "wrong_params",
    "inefficient",
]
ErrorKind = Literal["provider", "timeout", "setup", "scoring"]
ToolChoice = Literal["required", "auto", "none"]


STANDARD_SCORES = ("tool", "params", "overall", "exact_match", "tsa", "ahr", "tp")
"""The scores that every trial shows, null where they are not defined."""


@dataclass(frozen=True, slots=True)
class Score:
    """A value in [0, 1], or None where the case does not define this score.

    ``reason`` is a sentence from which a person can recompute the value; it may be
    empty where the value says all. ``numerator`` and ``denominator`` are given by
    scores whose run-level figure is also a ratio of sums (micro average).
    """

    value: float | None
    reason: str = ""
    numerator: int | None = None
    denominator: int | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """Everything that scoring says of one trajectory. ``scores`` keeps the registry's order."""

    scores: dict[str, Score]
    passed: bool
    failure_kind: FailureKind | None
    schema_valid: bool | None
    extra_calls: int

    @property
    def main_reason(self) -> str:
        """Why ``overall`` is what it is: of tool, params and overall the first that is below 1.

        Empty where all are 1 or undefined.
        """
        for name in ("tool", "params", "overall"):
            score = self.scores.get(name)
            if score and score.value is not None and score.value < 1:
                return score.reason
        return ""


@dataclass(frozen=True, slots=True)
class TrialError:
    """Why a trial has no scores. ``code`` is the gateway's fault where there was one."""

    kind: ErrorKind
    message: str
    code: str | None = None
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of one trial; None means unknown, never 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None

    def plus(self, other: Usage) -> Usage:
        """Return the sum; unknown plus anything is unknown."""
        return Usage(
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.cost_usd, other.cost_usd),
        )


@dataclass(frozen=True, slots=True)
class TrialKey:
    """What makes a trial unique within a run."""

    case_id: str
    target: str
    repeat: int


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt of ``target`` at a case.

    Either ``error`` is set, and then ``scores`` is empty and ``passed`` and
    ``failure_kind`` are None, or the trial is scored. ``latency_ms`` is the time of
    the model's answers alone (waiting for a limiter is not in it), None if unknown.
    ``attempts`` counts requests sent, retries included. ``messages`` is what was
    produced after the prompt: assistant and tool messages.
    """

    key: TrialKey
    scored: Scored | None
    calls: tuple[ToolCall, ...] = ()
    format: CallFormat | None = None
    tool_choice_used: ToolChoice | None = None
    error: TrialError | None = None
    latency_ms: float | None = None
    usage: Usage = field(default_factory=Usage)
    cached: bool = False
    attempts: int = 1
    messages: tuple[Message, ...] = ()

    @property
    def passed(self) -> bool | None:
        return self.scored.passed if self.scored else None

    def value(self, score: str) -> float | None:
        """Return the value of one score; None where it is not defined or the trial errored."""
        found = self.scored.scores.get(score) if self.scored else None
        return found.value if found else None


_Number = TypeVar("_Number", int, float)


def _sum(left: _Number | None, right: _Number | None) -> _Number | None:
    return None if left is None or right is None else left + right
