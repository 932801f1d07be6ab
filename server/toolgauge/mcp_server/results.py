"""What tools return: one class per result, its JSON Schema published with the tool."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Outcome = Literal["passed", "failed", "errored"]
Status = Literal["running", "completed", "failed", "cancelled", "truncated"]


class Part(BaseModel):
    """Base of what results are made of."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Result(Part):
    """Base of all results; ``clipped`` says what was shortened, ``resource`` where all of it is."""

    clipped: list[str] = Field(default_factory=list)
    resource: str | None = None


class Page(Result):
    """Base of lists: pass ``next_cursor`` on as it is; ``total`` is null where not counted."""

    next_cursor: str | None = None
    total: int | None = None


class ProblemItem(Part):
    where: str
    message: str
    line: int | None = None


class ToolItem(Part):
    name: str
    description: str
    parameters: dict[str, Any] | None = None


class CaseItem(Part):
    case_id: str
    prompt: str | None
    expected: Any
    document: dict[str, Any] | None = None


class SuiteItem(Part):
    suite_id: str
    version: int
    n_cases: int
    saved_at: datetime


class SuitePage(Page):
    items: list[SuiteItem]


class SuiteView(Page):
    """A saved suite; ``cases`` is a page of its cases, ``settings`` whatever else it states."""

    suite_id: str
    version: int
    saved_at: datetime
    tools: list[ToolItem]
    cases: list[CaseItem]
    settings: dict[str, Any]


class SuiteChecked(Result):
    valid: bool
    n_cases: int | None
    errors: list[ProblemItem]
    warnings: list[ProblemItem]


class Difference(Part):
    added: list[str] = Field(default_factory=list)
    removed: list[str] = Field(default_factory=list)
    changed: list[str] = Field(default_factory=list)


class SuiteSaved(Result):
    """The saved version, and how it differs from the one before."""

    suite_id: str
    version: int
    is_new_version: bool
    n_cases: int
    cases: Difference
    tools: Difference
    warnings: list[ProblemItem]


class Deleted(Result):
    deleted: str


class ToolsImported(Result):
    """The tools of a live server; ``saved`` is the suite that has them now, if one was named."""

    server: str
    total: int
    tools: list[ToolItem]
    warnings: list[str]
    saved: SuiteItem | None = None


class TargetItem(Part):
    target: str
    trials: int
    passed: int
    errored: int
    pass_rate: float | None
    score: float | None
    cost_usd: float
    latency_median_ms: float | None
    scores: dict[str, float | None] | None = None


class FailingItem(Part):
    case_id: str
    target: str
    why: str
    failed: int
    runs: int
    expected: str
    got: str
    reason: str


class RunItem(Part):
    run_id: str
    suite_id: str
    status: Status
    started_at: datetime
    finished_at: datetime | None
    targets: list[str]
    passed: int
    failed: int
    errored: int
    score: float | None
    experiment_id: str | None = None


class RunPage(Page):
    items: list[RunItem]


class RunView(Result):
    run: RunItem
    planned_trials: int | None
    summaries: list[TargetItem]
    failing: list[FailingItem]
    next_step: str


class TrialItem(Part):
    case_id: str
    target: str
    repeat: int
    outcome: Outcome
    failure_kind: str | None
    score: float | None
    got: str
    error: str | None
    reasons: dict[str, str] | None = None


class TrialPage(Page):
    items: list[TrialItem]


class TrialView(Result):
    """One trial: ``difference`` has ``-`` lines (expected only) and ``+`` lines (got only)."""

    trial: TrialItem
    prompt: str | None
    expected: Any
    calls: list[Any]
    difference: list[str]
    scores: dict[str, float | None]
    latency_ms: float | None
    cost_usd: float | None
    messages: list[Any] | None = None


class EstimateItem(Part):
    target: str
    trials: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class RunStarted(Result):
    """``run_id`` and ``job_id`` are null for a dry run, which asks nothing and stores nothing.

    ``summaries`` are there where the call waited for the run as a task.
    """

    run_id: str | None
    job_id: str | None
    status: Status | None
    estimates: list[EstimateItem]
    warnings: list[str]
    next_step: str
    summaries: list[TargetItem] = Field(default_factory=list)


class ComparedItem(Part):
    suite: str
    target: str
    verdict: str
    reason: str
    cases: int
    score: float | None
    baseline_score: float | None
    pass_rate: float | None
    baseline_pass_rate: float | None
    delta: float | None
    low: float | None
    high: float | None
    p: float | None


class FindingItem(Part):
    case_id: str
    status: str
    expected: str
    before: str
    now: str
    p: float | None
    note: str


class Compared(Result):
    """The gate's verdict; deltas are of the pass rate, with their 95 % interval."""

    verdict: str
    reason: str
    in_short: str
    parts: list[ComparedItem]
    findings: list[FindingItem]
    notices: list[str]
    markdown: str | None = None


class ExperimentItem(Part):
    experiment_id: str
    name: str
    suite_id: str
    description: str
    created_at: datetime
    baseline_run_id: str | None


class ExperimentShown(Result):
    experiment: ExperimentItem


class ExperimentPage(Page):
    items: list[ExperimentItem]


class TimelineItem(Part):
    run_id: str
    status: Status
    at: datetime
    score: float | None
    delta: float | None
    is_baseline: bool
    is_comparable: bool
    configuration: str


class BestItem(Part):
    run_id: str
    score: float
    target: str
    configuration: str


class ExperimentView(Page):
    """An experiment; ``timeline`` is a page of its runs, the newest first."""

    experiment: ExperimentItem
    timeline: list[TimelineItem]
    best: BestItem | None


class CallsScored(Result):
    passed: bool | None
    failure_kind: str | None
    scores: dict[str, float | None]
    reasons: dict[str, str]
    calls: list[Any]
    error: str | None


class ModelItem(Part):
    name: str
    model: str
    can_run: bool
    why_not: str | None


class ModelList(Result):
    items: list[ModelItem]
