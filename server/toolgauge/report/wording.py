"""Numbers and verdicts in words, the same in every report, in ASCII."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from toolgauge.model.policy import Metric, Policy
from toolgauge.model.report import (
    CaseFinding,
    CaseSide,
    CaseStatus,
    Effect,
    Estimate,
    ExtraRepeats,
    Numbers,
    Verdict,
)

UNKNOWN = "-"
VERDICTS: Mapping[Verdict, str] = MappingProxyType(
    {
        "pass": "Pass",
        "warn": "Warning",
        "fail": "Fail",
        "no-baseline": "No baseline",
        "inconclusive": "Inconclusive",
        "error": "Error",
    }
)
STATUSES: Mapping[CaseStatus, str] = MappingProxyType(
    {
        "confirmed": "confirmed regression",
        "newly-failing": "newly failing",
        "suspect": "suspect",
        "improved": "improved",
        "flaky": "flaky",
    }
)
METRICS: Mapping[Metric, str] = MappingProxyType({"passed": "pass rate", "overall": "score"})
_EXTRA = {
    "second": "asked once more, pooled with the first batch",
    "confirm": "asked afresh to confirm, in no mean",
}


def verdict_sentence(verdict: Verdict, reason: str) -> str:
    """Return the verdict and its reason; a reason that begins with the verdict as it is."""
    word = VERDICTS[verdict]
    return reason if reason.startswith(word) else f"{word}: {reason}"


def moment(at: datetime) -> str:
    """Return a time to the minute, in UTC; one without a zone as it is."""
    in_utc = at.astimezone(UTC) if at.tzinfo else at
    return f"{in_utc:%Y-%m-%d %H:%M} UTC"


def percent(part: float | None) -> str:
    """Return a part of 1 as a percentage: ``87.3%``."""
    return UNKNOWN if part is None else f"{part:.1%}"


def points(difference: float | None) -> str:
    """Return a difference of parts of 1 in percentage points: ``-5.8``."""
    if difference is None:
        return UNKNOWN
    return f"{round(difference * 100, 1) + 0.0:+.1f}"  # + 0.0: no negative zero


def interval(estimate: Estimate) -> str:
    """Return a difference's 95 % interval in points: ``-9.4 to -2.1``."""
    if estimate.low is None or estimate.high is None:
        return UNKNOWN
    return f"{points(estimate.low)} to {points(estimate.high)}"


def p_value(p: float | None) -> str:
    """Return a p-value with its sign: ``= 0.004``."""
    if p is None:
        return UNKNOWN
    return "< 0.0001" if p < 0.0001 else f"= {p:.4f}".rstrip("0").rstrip(".")


def money(usd: float | None) -> str:
    """Return US dollars: ``$0.41``, ``$0.0054``; small suites cost parts of a cent."""
    if usd is None:
        return UNKNOWN
    return f"${usd:,.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.4f}"


def duration(ms: float | None) -> str:
    """Return milliseconds as ``320 ms`` or ``1.9 s``."""
    if ms is None:
        return UNKNOWN
    return f"{ms / 1000:.1f} s" if ms >= 1000 else f"{ms:.0f} ms"


def tokens(number: int | None) -> str:
    """Return a number of tokens: ``950``, ``182k``, ``1.2M``."""
    if number is None:
        return UNKNOWN
    if number >= 1_000_000:
        return f"{number / 1_000_000:.1f}M"
    return f"{number / 1000:.0f}k" if number >= 10_000 else f"{number:,}"


def change(head: float | None, baseline: float | None) -> str:
    """Return head over baseline as ``+8%``; unknown where one is, or the baseline is 0."""
    return UNKNOWN if head is None or not baseline else f"{head / baseline - 1:+.0%}"


def count(number: int, noun: str) -> str:
    """Return ``1 case``, ``2 cases``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def days(age: float | None) -> str:
    """Return how much older the baseline is: ``3 days older``."""
    if age is None:
        return "of unknown age"
    size = abs(age)
    shown = count(round(size), "day") if size >= 1 else count(round(size * 24), "hour")
    return f"{shown} {'newer' if age < 0 else 'older'}"


def passes(side: CaseSide | None) -> str:
    """Return ``3/5`` of a case's scored runs, and how many errored."""
    if side is None:
        return UNKNOWN
    errored = f" ({side.errored} errored)" if side.errored else ""
    return f"{side.passes}/{side.runs}{errored}"


def before_and_now(finding: CaseFinding) -> str:
    """Return what became of a case: ``15/15 -> 0/3, fresh 0/8``."""
    now = passes(finding.head)
    shown = now if finding.baseline is None else f"{passes(finding.baseline)} -> {now}"
    return f"{shown}, fresh {passes(finding.fresh)}" if finding.fresh else shown


def effect_of(numbers: Numbers, metric: Metric) -> Effect | None:
    """Return the effect that a policy with this metric looks at; None without a baseline."""
    return numbers.overall if metric == "overall" else numbers.passed


def chance(effect: Effect | None, *, adjusted: bool = True) -> str:
    """Return an effect's p, Holm's where it decides: ``= 0.004``."""
    if effect is None:
        return UNKNOWN
    has_adjusted = adjusted and effect.p_adjusted is not None
    return p_value(effect.p_adjusted if has_adjusted else effect.p)


def numbers_in_short(numbers: Numbers, metric: Metric) -> str:
    """Return the line of numbers of a gate, or of a suite, without p."""
    head, baseline = numbers.head, numbers.baseline
    if not head.runs:
        return "nothing was scored"
    effect = effect_of(numbers, metric)
    rate = percent(head.pass_rate.value if head.pass_rate else None)
    score = UNKNOWN if head.score is None else f"{head.score:.3f}"
    if baseline is None or effect is None:
        return f"{rate} passed, score {score}; {count(head.runs, 'trial')}"
    before = percent(baseline.pass_rate.value if baseline.pass_rate else None)
    was = UNKNOWN if baseline.score is None else f"{baseline.score:.3f}"
    delta = f"{METRICS[metric]} {points(effect.delta.value)} points"
    if effect.delta.low is not None:
        delta += f", 95% interval {interval(effect.delta)}"
    sizes = f"{count(numbers.cases, 'case')}, {head.runs:,} against {baseline.runs:,} trials"
    return f"{rate} passed, {before} before ({delta}); score {score}, {was} before; {sizes}"


def visible_drop(numbers: Numbers) -> str:
    """Return in a clause what this comparison could have seen at all."""
    if not numbers.cases:
        return "nothing was compared"
    of = f"{count(numbers.cases, 'case')} with these repeats"
    if numbers.smallest_drop is None:
        return f"{of} can see no drop"
    return f"{of} can only see drops of {numbers.smallest_drop * 100:.1f} points or more"


def policy_in_short(policy: Policy) -> str:
    """Return what a policy fails on, in a clause."""
    if policy.policy == "strict":
        clauses = ["any newly failing case"]
    else:
        drop = f"a drop of the {METRICS[policy.metric]} by {policy.max_drop * 100:g} points or more"
        drop += " that is not chance"
        case = "a confirmed regression of a case"
        only_critical = "a confirmed regression of a critical case"
        clauses = {
            "either": [drop, case],
            "suite": [drop, only_critical],
            "case": [case],
        }[policy.fail_on]
    if policy.min_score is not None:
        clauses.append(f"a {METRICS[policy.metric]} below {percent(policy.min_score)}")
    if policy.max_cost_ratio is not None:
        clauses.append(f"more than {policy.max_cost_ratio:g} times the cost")
    if policy.max_latency_ratio is not None:
        clauses.append(f"more than {policy.max_latency_ratio:g} times the latency")
    verb = "would fail on" if policy.policy == "report-only" else "fails on"
    return f"policy {policy.policy}: {verb} {', or '.join(clauses)}"


def extra_in_short(extra: ExtraRepeats) -> str:
    """Return what was bought beyond the first batch, in a clause."""
    cost = "" if extra.cost_usd is None else f", {money(extra.cost_usd)}"
    errored = f", {extra.errored} errored" if extra.errored else ""
    what = _EXTRA[extra.batch]
    return f"{count(extra.cases, 'case')} {what}: {count(extra.trials, 'trial')}{errored}{cost}"
