"""The policy of a gate: what makes it fail, as a project file or a door states it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from toolgauge.model.tools import Document

PolicyName = Literal["statistical", "strict", "report-only"]
Rule = Literal["statistical", "strict"]
Metric = Literal["passed", "overall"]
FailOn = Literal["either", "suite", "case"]


class Policy(Document):
    """What makes a gate fail. Rates, scores and drops are parts of 1 (0.02: two points).

    ``policy``: ``statistical`` fails on drops that are not chance, ``strict`` on any newly
    failing case; ``report-only`` decides as ``statistical``, but where that says fail it
    warns. ``metric`` is what the suite-level test and ``min_score`` look at: the pass rate
    (``passed``) or the mean of ``overall``. ``fail_on`` says whether the drop of a suite,
    the confirmed regression of a case, or either fails. ``second_batch`` lets the gate buy
    head repeats where the first look is unclear. The ratios are head over baseline: 1.5
    fails where the median case costs, or takes, more than half as much again. None: no
    such limit.

    Whatever ``fail_on`` says, a confirmed regression of a critical case fails, and so do
    ``min_score`` and the ratios.
    """

    policy: PolicyName = "statistical"
    metric: Metric = "passed"
    max_drop: float = Field(default=0.02, ge=0, le=1)
    min_score: float | None = Field(default=None, ge=0, le=1)
    fail_on: FailOn = "either"
    second_batch: bool = True
    max_cost_ratio: float | None = Field(default=None, gt=0)
    max_latency_ratio: float | None = Field(default=None, gt=0)
    on_missing_baseline: Literal["pass", "fail"] = "pass"
