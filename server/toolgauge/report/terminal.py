"""Tables for a terminal: what a run came to, which cases failed, what changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from toolgauge.model.comparison import Comparison
from toolgauge.model.run import Mean, Run, Summary
from toolgauge.model.target import Target
from toolgauge.report.escape import clip, one_line
from toolgauge.report.failures import FailingCase

NONE = "-"


def run_table(run: Run, *, delta: float | None = None) -> Table:
    """Return one row per target: trials, passes, means with their n, errors, time and cost.

    ``delta`` is the run's score against its experiment's baseline.
    """
    title = Text(f"{one_line(run.suite_name)} · {len(run.cases)} cases · run {run.id}")
    if delta is not None:
        title.append(f" · {delta:+.3f} against the baseline")
    shown = table(
        title, "Target", "Passed", "Overall", "Tool", "Params", "n", "Errors", "ms", "Cost"
    )
    for column in shown.columns[1:]:
        column.justify = "right"
    for summary in run.summaries:
        shown.add_row(
            Text(one_line(summary.target), style="bold"),
            _passed(summary),
            _mean(summary.scores.get("overall")),
            _mean(summary.scores.get("tool")),
            _mean(summary.scores.get("params")),
            str(summary.n_trials - summary.n_errored),
            Text(str(summary.n_errored), style="red" if summary.n_errored else "dim"),
            NONE if summary.latency_median_ms is None else f"{summary.latency_median_ms:.0f}",
            cost(summary),
        )
    return shown


def failure_table(failures: Sequence[FailingCase], *, most: int) -> Table:
    """Return the failing cases with what was expected against what was called."""
    shown = table(Text("Failing cases"), "Case", "Target", "Why", "Expected", "Got")
    for failure in failures[:most]:
        times = "" if failure.runs == 1 else f" ({failure.failed} of {failure.runs})"
        shown.add_row(
            Text(one_line(failure.case_id, 48), style="bold"),
            Text(one_line(failure.target, 40), style="dim"),
            Text(failure.kind + times, style="red"),
            Text(calls_in_short(failure.expected)),
            Text(calls_in_short(failure.got)),
        )
    if len(failures) > most:
        shown.caption = f"{len(failures) - most} more; --failures {len(failures)} shows all"
    return shown


def comparison_table(comparison: Comparison) -> Table:
    """Return the cases whose score differs, each with both scores and both answers."""
    baseline, head = comparison.baseline, comparison.head
    title = Text(f"{one_line(head.suite)} · {one_line(head.target)}: changed cases")
    shown = table(title, "Case", baseline.source, head.source, "Delta", "Was", "Is")
    for pair in comparison.changed_cases:
        delta = pair.delta or 0.0
        shown.add_row(
            Text(one_line(pair.id, 48), style="bold"),
            number(pair.baseline.score),
            number(pair.head.score),
            signed(delta),
            Text(calls_in_short(pair.baseline.sample_calls)),
            Text(calls_in_short(pair.head.sample_calls)),
        )
    return shown


def comparison_lines(comparison: Comparison) -> list[str]:
    """Return the means in one line, then what could not be compared, a line each."""
    pairing = comparison.pairing
    means = f"{number(comparison.baseline_mean)} -> {number(comparison.head_mean)}"
    counts = f"{len(pairing.compared)} compared cases, {len(comparison.changed_cases)} changed"
    lines = [f"overall {means} ({signed(comparison.delta)}) over {counts}"]
    left_out = {
        "expectation changed, not compared": pairing.changed,
        "not measured on one side": tuple(pair.id for pair in pairing.unmeasured),
        "new": pairing.new,
        "removed": pairing.removed,
    }
    return lines + [
        f"{len(ids)} {what}: {one_line(', '.join(ids), 500)}"
        for what, ids in left_out.items()
        if ids
    ]


def target_table(targets: Iterable[tuple[Target, str | None]]) -> Table:
    """Return one row per target: its name and model, and what it lacks, if anything."""
    shown = table(Text("Targets"), "Target", "Model", "Ready")
    for target, why_not in targets:
        ready = Text("yes", style="green") if why_not is None else Text(one_line(why_not))
        shown.add_row(Text(one_line(target.name)), Text(one_line(target.model)), ready)
    return shown


def calls_in_short(calls: Any, most: int = 120) -> str:
    """Return calls as ``name({...}); name({...})``, clipped, safe for a terminal.

    ``calls`` is a call, a list of calls, or a word (``no call``); no calls: ``nothing``.
    """
    if isinstance(calls, str):
        return one_line(calls, most)
    listed = [calls] if isinstance(calls, dict) else list(calls or ())
    shown = "; ".join(f"{call['name']}({_arguments(call['arguments'])})" for call in listed)
    return one_line(shown, most) or "nothing"


def number(value: float | None) -> str:
    """Return a score with three decimals; a dash where there is none."""
    return NONE if value is None else f"{value:.3f}"


def cost(summary: Summary) -> str:
    """Return what a target cost; unknown stays unknown."""
    unknown = summary.n_cost_unknown
    if unknown and unknown == summary.n_trials:
        return "unknown"
    return f"${summary.cost_usd:.4f}" + (f" + {unknown} unknown" if unknown else "")


def _arguments(arguments: Any) -> str:
    if arguments is None:
        return "any"
    return clip(json.dumps(arguments, ensure_ascii=False), 400)


def signed(delta: float | None) -> Text:
    """Return a difference with its sign, red where it is a loss; a dash where there is none."""
    if delta is None:
        return Text(NONE)
    return Text(f"{delta:+.3f}", style="red" if delta < 0 else "green")


def _passed(summary: Summary) -> Text:
    if summary.pass_rate is None:
        return Text(NONE)
    scored = summary.n_trials - summary.n_errored
    return Text(f"{summary.n_passed}/{scored} {summary.pass_rate:.0%}")


def _mean(mean: Mean | None) -> str:
    if mean is None or mean.macro is None:
        return NONE
    return f"{mean.macro:.3f}" + (f" (n={mean.n})" if mean.n_unscored else "")


def table(title: Text, *columns: str) -> Table:
    """Return an empty table in the one style that all of ours have."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(Text(one_line(column, 60)), overflow="fold")
    return table
