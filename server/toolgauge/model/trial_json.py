"""The JSON form of a trial, both ways: the one shape in which trials are shown and kept."""

from __future__ import annotations

from typing import Any

from toolgauge.model.tools import ToolCall
from toolgauge.model.trial import STANDARD_SCORES, Score, Scored, Trial, TrialError, TrialKey, Usage


def to_json(trial: Trial, *, with_messages: bool = False) -> dict[str, Any]:
    """Return the scored trial as it is shown everywhere (``formats.md``, "Scored trial").

    ``fractions`` holds ``[numerator, denominator]`` of the scores that have a micro
    average; ``messages`` (the transcript) is there only when asked for.
    """
    scored = trial.scored
    scores = scored.scores if scored else {}
    shown: dict[str, Any] = {
        "case_id": trial.key.case_id,
        "target": trial.key.target,
        "repeat": trial.key.repeat,
        "passed": trial.passed,
        "scores": {name: score.value for name, score in scores.items()}
        if scored
        else dict.fromkeys(STANDARD_SCORES),
        "reasons": {name: score.reason for name, score in scores.items() if score.reason},
        "fractions": {
            name: [score.numerator, score.denominator]
            for name, score in scores.items()
            if score.denominator is not None
        },
        "calls": [call.as_json() for call in trial.calls],
        "extra_calls": scored.extra_calls if scored else 0,
        "failure_kind": scored.failure_kind if scored else None,
        "format": trial.format,
        "schema_valid": scored.schema_valid if scored else None,
        "tool_choice_used": trial.tool_choice_used,
        "error": _error_json(trial.error),
        "latency_ms": trial.latency_ms,
        "usage": {
            "input_tokens": trial.usage.input_tokens,
            "output_tokens": trial.usage.output_tokens,
            "cost_usd": trial.usage.cost_usd,
        },
        "cached": trial.cached,
        "attempts": trial.attempts,
    }
    return shown | ({"messages": list(trial.messages)} if with_messages else {})


def from_json(shown: dict[str, Any]) -> Trial:
    """Return the trial that ``to_json`` wrote; without ``messages`` it has none.

    Raises:
        KeyError, TypeError: the object is not such a trial.
    """
    error = shown["error"]
    return Trial(
        key=TrialKey(shown["case_id"], shown["target"], shown["repeat"]),
        scored=None if error else _scored(shown),
        calls=tuple(ToolCall(call["name"], call["arguments"]) for call in shown["calls"]),
        format=shown["format"],
        tool_choice_used=shown["tool_choice_used"],
        error=TrialError(error["kind"], error["message"], error["code"], error["status"])
        if error
        else None,
        latency_ms=shown["latency_ms"],
        usage=Usage(**shown["usage"]),
        cached=shown["cached"],
        attempts=shown["attempts"],
        messages=tuple(shown.get("messages", ())),
    )


def _scored(shown: dict[str, Any]) -> Scored:
    fractions = shown["fractions"]
    scores = {
        name: Score(value, shown["reasons"].get(name, ""), *fractions.get(name, (None, None)))
        for name, value in shown["scores"].items()
    }
    return Scored(
        scores=scores,
        passed=shown["passed"],
        failure_kind=shown["failure_kind"],
        schema_valid=shown["schema_valid"],
        extra_calls=shown["extra_calls"],
    )


def _error_json(error: TrialError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {
        "kind": error.kind,
        "code": error.code,
        "status": error.status,
        "message": error.message,
    }
