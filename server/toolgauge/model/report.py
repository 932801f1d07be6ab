"""The report of a gate: everything that was decided and why, for renderers to show.

One frozen object, the same for every renderer, as JSON and as ``report.schema.json``.
Rates, scores and differences are parts of 1, never percent; times are milliseconds,
costs US dollars. None always means unknown or not applicable, never 0.

Sentences (``reason``, ``text``, ``note``) are written by toolgauge and hold nothing from
outside. Everything else that is text (names of suites, targets, cases and tools,
arguments, reasons of scores, sources, commits) may come from a model or a file and is
hostile: renderers escape it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from toolgauge.model.comparison import Side
from toolgauge.model.policy import Policy, Rule

SCHEMA_VERSION = 1

Verdict = Literal["pass", "warn", "fail", "no-baseline", "inconclusive", "error"]
EXIT_CODES: dict[Verdict, int] = {
    "pass": 0,
    "warn": 0,
    "no-baseline": 0,
    "fail": 1,
    "inconclusive": 3,
    "error": 3,
}

NoticeCode = Literal[
    "report-only",
    "model-changed",
    "parameters-changed",
    "cases-removed",
    "suites-removed",
    "became-strict",
    "no-baseline",
    "old-baseline",
    "second-batch-missing",
    "confirmation-missing",
    "settings-changed",
    "baseline-changed",
    "targets-left-out",
    "made-elsewhere",
]
CaseStatus = Literal["confirmed", "newly-failing", "suspect", "improved", "flaky", "steady"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval, in the unit of the number.

    ``low`` and ``high`` are None where no interval can be had (one case at one run).
    """

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """How one side did on the compared cases; on all its cases where nothing is compared.

    ``pass_rate`` is the mean over cases of each case's passes per run, with Wilson's
    interval of ``passes`` of ``runs``; ``score`` the mean over cases of ``overall``. Both
    None where nothing was scored. ``errored`` trials (of all cases) have no score.
    ``left_out`` counts scored trials of cases that are not compared.
    """

    pass_rate: Estimate | None
    score: float | None
    passes: int
    runs: int
    errored: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Effect:
    """Head minus baseline of one metric over the compared cases, and whether it is chance.

    ``delta`` is below 0 for a drop. ``p`` is the one-sided p-value of a drop, in (0, 1];
    ``p_adjusted`` the same after Holm's adjustment over the suites and targets that the
    test decides on, None where it decides nothing (another metric, rule or total).
    """

    delta: Estimate
    p: float
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """Both sides of one suite and target, or of all together.

    ``cases`` counts the compared cases; 0 where there is no baseline, and then
    ``baseline``, ``passed`` and ``overall`` are None. ``passed`` is the effect on the pass
    rate (exact permutation test), ``overall`` that on the score (sign-flip test).
    ``smallest_drop`` is the smallest drop of the pass rate that this comparison could
    have detected (one-sided 5 %, power 80 %); None where it could have detected none.
    """

    cases: int
    head: Rate
    baseline: Rate | None = None
    passed: Effect | None = None
    overall: Effect | None = None
    smallest_drop: float | None = None


@dataclass(frozen=True, slots=True)
class CaseSide:
    """One case on one side: ``passes`` of ``runs`` scored trials, mean ``score`` (None: no run).

    ``calls`` are those of one trial: the baseline's first passed one, the head's first
    failed one (for improved cases the other way round), else of any. An empty tuple:
    nothing was called; None: not kept. ``failure_kind`` and ``reason`` are of that trial.
    """

    passes: int
    runs: int
    errored: int = 0
    score: float | None = None
    calls: tuple[dict[str, Any], ...] | None = None
    failure_kind: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CaseFinding:
    """One case that a reader should look at.

    ``confirmed``: fresh repeats of this case confirmed the drop. ``newly-failing``: it
    fails under the rule ``strict``. ``suspect``: it looked so, but was not confirmed;
    ``note`` says why not. ``improved``: its pass rate rose by half or more, to 0.8 or
    more. ``flaky``: the head both passed and failed it. ``steady``: none of these.

    ``expected`` is the expectation in short: a call ``{"name", "arguments"}``, a list of
    calls, or a sentence (``no call``). ``baseline`` is None where the case has none (a
    new, flaky one). ``fresh`` are the repeats asked to confirm, which
    are in no mean; ``p`` their one-sided exact p-value against the baseline and
    ``p_adjusted`` Holm's over the screened cases; None where none were asked.
    ``repeats_needed`` is how many a confirmation takes, None where none was due.
    """

    case_id: str
    status: CaseStatus
    expected: Any
    baseline: CaseSide | None
    head: CaseSide
    critical: bool = False
    fresh: CaseSide | None = None
    p: float | None = None
    p_adjusted: float | None = None
    repeats_needed: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CaseLists:
    """What became of every case, as ids.

    ``request_changed`` are compared (an edited tool description is what a gate is for).
    Not compared are ``changed`` (another expectation), ``new``, ``removed`` and
    ``unmeasured`` (a side has no scored trial).
    """

    request_changed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often ``called`` was called where ``expected`` was expected, on both sides.

    Over the compared cases. ``expected`` joins alternatives by `` | `` and several
    expected calls by `` + ``; it is ``""`` where no call is expected, ``called`` is ``""``
    where nothing was called. ``is_right`` is whether ``called`` is among the expected.
    The trials are those of all cases with that expectation: calls per trial can be
    compared between the sides, counts only where the trials are equal.
    """

    expected: str
    called: str
    is_right: bool
    head_calls: int
    head_trials: int
    baseline_calls: int
    baseline_trials: int


@dataclass(frozen=True, slots=True)
class Spend:
    """What one side used over its scored trials of the compared cases, batches pooled.

    Totals of cost and tokens, None where that of any trial is unknown. The medians are
    over cases: of a case's cost per trial, and of its median latency; None where no case
    has it. Without compared cases: over all cases.
    """

    trials: int
    cost_usd: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_median_usd: float | None = None
    latency_median_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Resources:
    """Cost, tokens and latency of both sides; ``baseline`` None without one.

    The ratios are head over baseline of the medians over the cases where both are
    known; None where there is no such case or the baseline's median is 0.
    """

    head: Spend
    baseline: Spend | None = None
    cost_ratio: float | None = None
    latency_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class ExtraRepeats:
    """Head repeats bought beyond the first batch.

    ``second``: all ``cases`` of the suite once more, pooled with the first batch.
    ``confirm``: fresh repeats of the screened cases, in no mean. ``trials`` counts all,
    ``errored`` those of them without a score. ``cost_usd`` is None where unknown.
    """

    batch: Literal["second", "confirm"]
    cases: int
    trials: int
    errored: int = 0
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something for the first lines of a report.

    ``suite`` and ``target`` are None where it is about the gate. ``details`` are names or
    values from outside that the text speaks of (removed cases, say), all of them.
    """

    code: NoticeCode
    text: str
    suite: str | None = None
    target: str | None = None
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """One suite and target.

    ``verdict`` and ``reason`` are of this part alone. ``rule`` is what it was decided by,
    ``looks`` how often the suite-level test was made (0, 1 or 2; 0 where it does not
    decide), ``level`` what the adjusted p had to reach at the last look (None without one).

    ``gated_score`` is what ``min_score`` is held against: the policy's metric, averaged
    over all the head's measured cases, new and changed ones included; None where nothing
    was measured. ``baseline_age_days`` is from the baseline's measurement to the head's;
    None where either time is unknown.
    """

    verdict: Verdict
    reason: str
    rule: Rule
    looks: int
    level: float | None
    head: Side
    baseline: Side | None
    baseline_age_days: float | None
    gated_score: float | None
    numbers: Numbers
    cases: CaseLists
    regressions: tuple[CaseFinding, ...]
    suspects: tuple[CaseFinding, ...]
    improved: tuple[CaseFinding, ...]
    flaky: tuple[CaseFinding, ...]
    confusion: tuple[Confusion, ...]
    resources: Resources
    extra: tuple[ExtraRepeats, ...]
    steady: tuple[CaseFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one gate found, over all its suites and targets.

    ``reason`` is one sentence. ``totals`` pools the compared cases of all suites; its
    p-values decide nothing. With a single suite they are that suite's numbers.
    ``notices`` belong into the first lines. ``how_to_accept`` says what to do where a
    drop is wanted; empty where the door that asked has no way.
    """

    schema_version: int
    toolgauge: str
    created_at: datetime
    verdict: Verdict
    exit_code: int
    reason: str
    policy: Policy
    notices: tuple[Notice, ...]
    totals: Numbers
    resources: Resources
    suites: tuple[SuiteReport, ...]
    how_to_accept: str = ""
