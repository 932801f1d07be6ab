"""What happens while a run goes on: one tagged union, rendered alike by every door.

Order: ``job_created``, ``job_started``, ``tool_eval_init``; per trial ``job_progress``,
``tool_eval_progress``, ``tool_eval_result``; ``tool_eval_summary`` per target;
``tool_eval_complete``; then one of ``job_completed``, ``job_failed``,
``job_cancelled``. A truncated run ends with ``job_completed``, status ``truncated``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolgauge.model.run import RunStatus, Summary
from toolgauge.model.trial import Trial


@dataclass(frozen=True, slots=True)
class JobCreated:
    job_id: str
    type: Literal["job_created"] = "job_created"


@dataclass(frozen=True, slots=True)
class JobStarted:
    job_id: str
    type: Literal["job_started"] = "job_started"


@dataclass(frozen=True, slots=True)
class ToolEvalInit:
    """``total_cases`` counts the trials that this run is about to ask, over all targets."""

    job_id: str
    suite: str
    targets: tuple[str, ...]
    total_cases: int
    type: Literal["tool_eval_init"] = "tool_eval_init"


@dataclass(frozen=True, slots=True)
class JobProgress:
    """``percent`` is 0..100."""

    job_id: str
    percent: float
    detail: str
    type: Literal["job_progress"] = "job_progress"


@dataclass(frozen=True, slots=True)
class ToolEvalProgress:
    job_id: str
    target: str
    current: int
    total: int
    type: Literal["tool_eval_progress"] = "tool_eval_progress"


@dataclass(frozen=True, slots=True)
class ToolEvalResult:
    job_id: str
    trial: Trial
    type: Literal["tool_eval_result"] = "tool_eval_result"


@dataclass(frozen=True, slots=True)
class ToolEvalSummary:
    job_id: str
    summary: Summary
    type: Literal["tool_eval_summary"] = "tool_eval_summary"


@dataclass(frozen=True, slots=True)
class ToolEvalComplete:
    """``delta`` is the score minus the experiment's baseline, None without one."""

    job_id: str
    eval_id: str
    delta: float | None = None
    type: Literal["tool_eval_complete"] = "tool_eval_complete"


@dataclass(frozen=True, slots=True)
class JobCompleted:
    job_id: str
    status: RunStatus
    type: Literal["job_completed"] = "job_completed"


@dataclass(frozen=True, slots=True)
class JobFailed:
    job_id: str
    message: str
    type: Literal["job_failed"] = "job_failed"


@dataclass(frozen=True, slots=True)
class JobCancelled:
    job_id: str
    type: Literal["job_cancelled"] = "job_cancelled"


Event = (
    JobCreated
    | JobStarted
    | ToolEvalInit
    | JobProgress
    | ToolEvalProgress
    | ToolEvalResult
    | ToolEvalSummary
    | ToolEvalComplete
    | JobCompleted
    | JobFailed
    | JobCancelled
)
