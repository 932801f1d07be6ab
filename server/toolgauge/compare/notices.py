"""What belongs into the first lines of a report, since it changes how to read the rest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from toolgauge.compare.looks import Look, Standing
from toolgauge.compare.screening import Retest
from toolgauge.model.comparison import Side
from toolgauge.model.report import Notice, NoticeCode

OLD_AFTER_DAYS = 30.0


def notices_of(
    look: Look, retests: Sequence[Retest], removed_sides: Sequence[Side]
) -> tuple[Notice, ...]:
    """Return the notices of a gate: those about the gate first, then part by part."""
    found: list[Notice] = []
    if look.policy.policy == "report-only":
        found.append(Notice("report-only", "The policy is report-only: nothing fails."))
    if removed_sides:
        names = tuple(f"{side.suite} on {side.target}" for side in removed_sides)
        text = f"{_count(len(names), 'suite')} of the baseline did not run: not compared."
        found.append(Notice("suites-removed", text, details=names))
    for standing in look.standings:
        found += _of_part(standing, look)
    return (*found, *_unconfirmed(retests))


def age_days(standing: Standing) -> float | None:
    """Return the days from the baseline's measurement to the head's; None where unknown.

    Below 0 where the baseline was measured later (it was run again for this gate, say).
    """
    head, baseline = standing.part.head.side, standing.part.baseline
    if baseline is None or not baseline.side.measured_at or not head.measured_at:
        return None
    return (head.measured_at - baseline.side.measured_at).total_seconds() / 86400


def _of_part(standing: Standing, look: Look) -> Iterable[Notice]:
    removed = standing.pairing.removed
    if removed:
        text = f"{_count(len(removed), 'case')} of the baseline removed."
        yield _notice(standing, "cases-removed", text, removed)
    if standing.obstacle == "no-baseline":
        text = f"Not compared: {standing.why}."
        yield _notice(standing, "no-baseline", text)
    yield from _of_sides(standing)
    if standing.rule == "strict" and look.policy.policy != "strict" and standing.part.baseline:
        text = "Both sides always answer alike, so the policy is strict here: no chance, no tests."
        yield _notice(standing, "became-strict", text)
    if standing.key in look.wants_second_batch:
        text = "A second batch of repeats was due here and could not be had."
        yield _notice(standing, "second-batch-missing", text)


def _of_sides(standing: Standing) -> Iterable[Notice]:
    head, baseline = standing.part.head.side, standing.part.baseline
    if baseline is None:
        return
    before = baseline.side
    if _differ(before.model, head.model) or _differ(before.model_served, head.model_served):
        text = "The model is not the baseline's: the difference may be the model's."
        yield _notice(standing, "model-changed", text, (_model(before), _model(head)))
    if changed := _differing(before.parameters, head.parameters):
        text = "Parameters are not the baseline's: the difference may be theirs."
        yield _notice(standing, "parameters-changed", text, changed)
    age = age_days(standing)
    if age is not None and age > OLD_AFTER_DAYS and not head.deterministic:
        text = f"The baseline is {age:.0f} days older: the model behind its name may have changed."
        yield _notice(standing, "old-baseline", text)


def _unconfirmed(retests: Sequence[Retest]) -> Iterable[Notice]:
    missing = [one.screened.pair.id for one in retests if one.screened.repeats and one.p is None]
    if missing:
        text = f"Fresh repeats of {_count(len(missing), 'case')} were due and could not be had."
        yield Notice("confirmation-missing", text, details=tuple(missing))


def _differ(before: str | None, after: str | None) -> bool:
    """Return whether both are known and not the same."""
    return None not in (before, after) and before != after


def _model(side: Side) -> str:
    """Return the model as asked, and what answered where that is another name."""
    served = side.model_served
    return f"{side.model} ({served})" if served and served != side.model else str(side.model)


def _differing(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    """Return ``name: old -> new`` of every parameter that differs, ``unset`` where it was not."""
    return tuple(
        f"{name}: {_shown(before, name)} -> {_shown(after, name)}"
        for name in sorted({*before, *after})
        if _shown(before, name) != _shown(after, name)
    )


def _shown(parameters: dict[str, Any], name: str) -> str:
    if name not in parameters:
        return "unset"
    return json.dumps(parameters[name], ensure_ascii=False, sort_keys=True, default=str)


def _notice(
    standing: Standing, code: NoticeCode, text: str, details: tuple[str, ...] = ()
) -> Notice:
    side = standing.part.head.side
    return Notice(code, text, side.suite, side.target, details)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
