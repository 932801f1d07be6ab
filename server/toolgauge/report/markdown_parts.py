"""The parts of a report in Markdown, each a pure function to the text of one block.

Whatever is from outside stands in a code span or a fence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from toolgauge.model.policy import Metric
from toolgauge.model.report import (
    CaseFinding,
    Confusion,
    Estimate,
    ExtraRepeats,
    Notice,
    Report,
    Resources,
    Spend,
    SuiteReport,
    Verdict,
)
from toolgauge.report import wording
from toolgauge.report.calls import calls_diff, calls_line, expectation_line
from toolgauge.report.case_rows import telling_side
from toolgauge.report.escape import cell_code, code_span, fenced, prose

MARKS: Mapping[Verdict, str] = MappingProxyType(
    {
        "pass": "✅",
        "warn": "⚠️",
        "fail": "❌",
        "no-baseline": "⚪",
        "inconclusive": "❔",
        "error": "💥",
    }
)
_WORST_FIRST: tuple[Verdict, ...] = (
    "error",
    "inconclusive",
    "fail",
    "warn",
    "no-baseline",
    "pass",
)
_MOST_NAMES = 5
_MOST_CONFUSIONS = 20
_CALLS_IN_A_LIST = 100


def worst_first(suites: Iterable[SuiteReport]) -> list[SuiteReport]:
    """Return suites by verdict, then by the size of their drop."""
    return sorted(suites, key=lambda s: (_WORST_FIRST.index(s.verdict), _drop(s)))


def notice_line(notice: Notice) -> str:
    """Return a notice with the suite and the names that it speaks of."""
    where = f" ({_where(notice.suite, notice.target)})" if notice.suite is not None else ""
    names = f" {_names(notice.details, _MOST_NAMES)}" if notice.details else ""
    return f"⚠️ {prose(notice.text)}{names}{where}"


def suite_table(suites: Sequence[SuiteReport], metric: Metric) -> str:
    """Return one row per suite and target, and a line for each that did not pass."""
    header = (
        f"| Suite | Target | Cases | Pass rate | Score | Δ {wording.METRICS[metric]} "
        "| 95% interval | p | Verdict |"
    )
    rows = [_suite_row(suite, metric) for suite in suites]
    table = "\n".join([header, "|---|---|--:|:-:|:-:|--:|:-:|:-:|---|", *rows])
    reasons = [
        f"- {_where(suite.head.suite, suite.head.target)}: {prose(suite.reason)}"
        for suite in suites
        if suite.verdict != "pass"
    ]
    return "\n\n".join([table, "\n".join(reasons)]) if reasons and len(suites) > 1 else table


def regression(suite: SuiteReport, finding: CaseFinding) -> str:
    """Return one regression: its numbers, why it failed, and expected against got calls."""
    side = telling_side(finding)
    facts = [
        f"**{code_span(finding.case_id)}** in {_where(suite.head.suite, suite.head.target)}",
        *(["critical"] if finding.critical else []),
        *([wording.STATUSES[finding.status]] if finding.status != "confirmed" else []),
        wording.before_and_now(finding),
        *([f"p {wording.p_value(finding.p_adjusted)}"] if finding.p_adjusted is not None else []),
        *([code_span(side.failure_kind, 40)] if side.failure_kind else []),
    ]
    why = f"\n\n{code_span(side.reason, 200)}" if side.reason else ""
    diff = fenced(calls_diff(finding.expected, side.calls)[:20], "diff", most=160)
    return f"{' · '.join(facts)}{why}\n\n{diff}"


def findings_list(found: Sequence[tuple[SuiteReport, CaseFinding]], most: int) -> str:
    """Return findings as a list: their numbers, and what was called in place of what."""
    lines = [_finding_line(suite, finding) for suite, finding in found[:most]]
    rest = len(found) - len(lines)
    return "\n".join([*lines, *([f"- and {rest:,} more"] if rest else [])])


def changed_cases(suites: Sequence[SuiteReport], most: int) -> str:
    """Return what cases changed, came, went or could not be measured; empty where none did."""
    lines = [
        f"- {_where(suite.head.suite, suite.head.target)}: {len(ids):,} {what}: {_names(ids, most)}"
        for suite in suites
        for what, ids in (
            ("removed", suite.cases.removed),
            ("new", suite.cases.new if suite.baseline else ()),
            ("with another expectation, not compared", suite.cases.changed),
            ("with another request, compared", suite.cases.request_changed),
            ("without a scored trial on one side", suite.cases.unmeasured),
        )
        if ids
    ]
    rest = len(lines) - most
    return "\n".join([*lines[:most], *([f"- and {rest:,} more lists"] if rest > 0 else [])])


def confusion_pairs(suites: Sequence[SuiteReport], most: int) -> str:
    """Return the wrong tools that were called most, by suite; empty where there are none."""
    pairs = [(suite, pair) for suite in suites for pair in suite.confusion if not pair.is_right]
    if not pairs:
        return ""
    shown = min(most, _MOST_CONFUSIONS)
    rows = [_confusion_row(suite, pair) for suite, pair in pairs[:shown]]
    rest = [f"\nAnd {len(pairs) - shown:,} more."] if len(pairs) > shown else []
    header = "| Suite | Target | Expected | Called | Calls per trial | Before |"
    return "\n".join([header, "|---|---|---|---|--:|--:|", *rows, *rest])


def resources_table(resources: Resources) -> str:
    """Return cost, latency and tokens of both sides."""
    head, base = resources.head, resources.baseline or Spend(0)
    cost, cost_before = head.cost_median_usd, base.cost_median_usd
    rows = [
        ("Median cost of a trial", *map(_money, (cost, cost_before)), _ratio(resources.cost_ratio)),
        (
            "Median latency",
            wording.duration(head.latency_median_ms),
            wording.duration(base.latency_median_ms),
            _ratio(resources.latency_ratio),
        ),
        ("Total cost", _money(head.cost_usd), _money(base.cost_usd), ""),
        ("Input tokens", wording.tokens(head.input_tokens), wording.tokens(base.input_tokens), ""),
        (
            "Output tokens",
            wording.tokens(head.output_tokens),
            wording.tokens(base.output_tokens),
            "",
        ),
        ("Scored trials", f"{head.trials:,}", f"{base.trials:,}" if base.trials else "-", ""),
    ]
    table = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(["| | Head | Baseline | Change |", "|---|--:|--:|--:|", *table])


def footer_lines(report: Report) -> list[str]:
    """Return what a reader must know to trust the rest, each a clause."""
    lines = list(dict.fromkeys(_baseline(suite) for suite in report.suites))
    rest = len(lines) - _MOST_NAMES
    lines = [*lines[:_MOST_NAMES], *([f"{rest:,} more baselines"] if rest > 0 else [])]
    bought = [wording.extra_in_short(one) for one in _extra_of_all(report.suites)]
    lines += [line.replace("$", "<span>$</span>") for line in bought]
    lines += [wording.policy_in_short(report.policy), wording.visible_drop(report.totals)]
    if report.how_to_accept:
        lines.append(prose(report.how_to_accept))
    return [
        *lines,
        f"toolgauge {code_span(report.toolgauge, 30)}, {wording.moment(report.created_at)}",
    ]


def _suite_row(suite: SuiteReport, metric: Metric) -> str:
    numbers = suite.numbers
    head, base = numbers.head, numbers.baseline
    effect = wording.effect_of(numbers, metric)
    cells = [
        cell_code(suite.head.suite, 60),
        cell_code(suite.head.target, 60),
        f"{numbers.cases or '-'}",
        _arrow(_percent(base.pass_rate if base else None), _percent(head.pass_rate)),
        _arrow(_score(base.score if base else None), _score(head.score)),
        wording.points(effect.delta.value if effect else None),
        wording.interval(effect.delta) if effect else wording.UNKNOWN,
        wording.chance(effect).removeprefix("= ").replace("<", "&lt;"),
        f"{MARKS[suite.verdict]} {wording.VERDICTS[suite.verdict]}",
    ]
    return f"| {' | '.join(cells)} |"


def _finding_line(suite: SuiteReport, finding: CaseFinding) -> str:
    where = _where(suite.head.suite, suite.head.target)
    line = f"- {code_span(finding.case_id)} in {where}: {wording.before_and_now(finding)}"
    if finding.note:
        line += f"; {prose(finding.note)}"
    if finding.status == "improved" or finding.head.calls is None:
        return line
    wanted = code_span(expectation_line(finding.expected), _CALLS_IN_A_LIST)
    return f"{line}; expected {wanted}, got {_calls(finding)}"


def _calls(finding: CaseFinding) -> str:
    return code_span(calls_line(finding.head.calls), _CALLS_IN_A_LIST)


def _confusion_row(suite: SuiteReport, pair: Confusion) -> str:
    cells = [
        cell_code(suite.head.suite, 40),
        cell_code(suite.head.target, 40),
        cell_code(pair.expected, 60) if pair.expected else "no call",
        cell_code(pair.called, 60) if pair.called else "nothing",
        f"{pair.head_calls:,}/{pair.head_trials:,}",
        f"{pair.baseline_calls:,}/{pair.baseline_trials:,}",
    ]
    return f"| {' | '.join(cells)} |"


def _extra_of_all(suites: Sequence[SuiteReport]) -> list[ExtraRepeats]:
    """Return what was bought over all suites, one per batch; an unknown cost stays unknown."""
    batches: dict[str, ExtraRepeats] = {}
    for one in (extra for suite in suites for extra in suite.extra):
        total = batches.get(one.batch, ExtraRepeats(one.batch, 0, 0, cost_usd=0.0))
        is_known = total.cost_usd is not None and one.cost_usd is not None
        batches[one.batch] = ExtraRepeats(
            one.batch,
            total.cases + one.cases,
            total.trials + one.trials,
            total.errored + one.errored,
            (total.cost_usd or 0.0) + (one.cost_usd or 0.0) if is_known else None,
        )
    return list(batches.values())


def _baseline(suite: SuiteReport) -> str:
    side = suite.baseline
    if side is None:
        return "no baseline"
    commit = f"baseline {code_span(side.commit[:12])}" if side.commit else "baseline"
    source = "" if side.commit else f" {code_span(side.source, 60)}"
    behind = side.commits_behind
    late = f", {wording.count(behind, 'commit')} behind" if behind else ""
    return f"{commit}{source}, {wording.days(suite.baseline_age_days)}{late}"


def _where(suite: str | None, target: str | None) -> str:
    named = code_span(suite or "", 60)
    return f"{named} on {code_span(target, 60)}" if target is not None else named


def _names(names: Sequence[str], most: int) -> str:
    shown = ", ".join(code_span(name, 60) for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def _drop(suite: SuiteReport) -> float:
    return suite.numbers.passed.delta.value if suite.numbers.passed else 0.0


def _arrow(before: str, now: str) -> str:
    return now if before == wording.UNKNOWN else f"{before} → {now}"


def _percent(rate: Estimate | None) -> str:
    return wording.percent(rate.value if rate else None)


def _score(score: float | None) -> str:
    return wording.UNKNOWN if score is None else f"{score:.3f}"


def _ratio(ratio: float | None) -> str:
    return wording.change(ratio, 1.0)


def _money(usd: float | None) -> str:
    """Return money whose sign begins no formula."""
    return wording.money(usd).replace("$", "<span>$</span>")
