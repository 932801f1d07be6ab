"""Runs: one suite asked of some targets, and what their trials amount to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from toolgauge.model.case import Case
from toolgauge.model.fingerprint import Fingerprint, fingerprints
from toolgauge.model.target import Target
from toolgauge.model.trial import ToolChoice

GLOBAL_PROMPT = "_global"
RunStatus = Literal["running", "completed", "failed", "cancelled", "truncated"]


@dataclass(frozen=True, slots=True)
class Mean:
    """One score over many trials.

    ``macro`` is the mean over the ``n`` trials where the score is defined; None when n
    is 0. ``n_unscored`` trials were scored but do not define it, ``n_errored`` have no
    scores at all. ``micro`` is the sum of numerators over the sum of denominators, for
    the scores that are fractions; None where the denominator is 0.
    """

    macro: float | None
    n: int
    n_unscored: int
    n_errored: int
    micro: float | None = None
    numerator: int | None = None
    denominator: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return ``{"macro", "n", "n_unscored", "n_errored"}``, with the micro figures if any."""
        shown = {
            "macro": self.macro,
            "n": self.n,
            "n_unscored": self.n_unscored,
            "n_errored": self.n_errored,
        }
        if self.denominator is None:
            return shown
        micro = {
            "micro": self.micro,
            "numerator": self.numerator,
            "denominator": self.denominator,
        }
        return shown | micro


@dataclass(frozen=True, slots=True)
class Summary:
    """What the trials of one target in one run amount to.

    ``pass_rate`` is passes over scored trials (0..1), None where all errored.
    ``cost_usd`` and the token counts are sums over the trials where they are known;
    ``n_cost_unknown`` trials are not in it. Latencies are in milliseconds, over the
    ``n_latency`` trials that have one.
    """

    target: str
    n_trials: int
    n_errored: int
    n_passed: int
    pass_rate: float | None
    scores: dict[str, Mean]
    failure_kinds: dict[str, int]
    error_codes: dict[str, int]
    input_tokens: int
    output_tokens: int
    cost_usd: float
    n_cost_unknown: int
    n_cached: int
    latency_median_ms: float | None
    latency_p95_ms: float | None
    n_latency: int

    @property
    def score(self) -> float | None:
        """The mean of ``overall``, the one number of a target; None where nothing was scored."""
        overall = self.scores.get("overall")
        return overall.macro if overall else None


@dataclass(frozen=True, slots=True)
class CaseInfo:
    """What a run keeps of each case, so that runs can be compared without the suite."""

    id: str
    fingerprint: Fingerprint
    prompt: str | None = None
    expected: Any = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    critical: bool = False


def case_infos(cases: Sequence[Case]) -> tuple[CaseInfo, ...]:
    """Return what a run keeps of each case."""
    return tuple(
        CaseInfo(
            id=case.id,
            fingerprint=found,
            prompt=case.prompt,
            expected=expected_in_short(case),
            category=case.category,
            tags=case.tags,
            critical=case.critical,
        )
        for case, found in zip(cases, fingerprints(cases), strict=True)
    )


def expected_in_short(case: Case) -> Any:
    """Return the expectation of a case as JSON: a call, several, or words for any or none."""
    if case.expects == "any_call":
        return "any call"
    if case.expects == "no_call":
        return "no call"
    calls = [{"name": " | ".join(call.tools), "arguments": call.params} for call in case.expected]
    return calls[0] if case.expects == "tool" else calls


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the person who starts a run may set; None leaves it to the suite.

    ``system_prompts`` maps a target's ``provider/model`` (or ``_global``) to a prompt.
    ``concurrency`` is per provider. Times are in seconds.
    """

    repeats: int | None = None
    tool_choice: ToolChoice | None = None
    temperature: float | None = None
    system_prompts: dict[str, str] = field(default_factory=dict)
    embedding_model: str | None = None
    concurrency: int = 8
    attempts: int = 5
    attempt_timeout_s: float = 60.0
    trial_timeout_s: float = 300.0

    def system_prompt(self, target: Target) -> str | None:
        """Return the prompt that these options give a target: its own, else the one for all."""
        names = (target.name, target.model, target.model.replace("/", "::", 1), GLOBAL_PROMPT)
        prompts = self.system_prompts
        return next((prompts[name] for name in names if name in prompts), None)


@dataclass(frozen=True, slots=True)
class Run:
    """One suite, asked of some targets. ``summaries`` has one entry per target, in order."""

    id: str
    suite_name: str
    status: RunStatus
    targets: tuple[Target, ...]
    options: RunOptions
    cases: tuple[CaseInfo, ...]
    started_at: datetime
    finished_at: datetime | None = None
    summaries: tuple[Summary, ...] = ()
