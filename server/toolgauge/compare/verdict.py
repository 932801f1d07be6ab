"""What the gate says, of each suite and of all: pass or fail, and why, in a sentence.

The stages of a gate, each a pure function of the one before and of what was bought::

    look = first_look(parts, policy, seeded=random.Random)
    look = second_look(look, batches)      # of the parts in look.wants_second_batch
    screened = screen(look)
    retests = confirm(screened, fresh)      # as many repeats as each screened case asks for
    report = report_of(look, retests, about)

They stand in ``looks``, ``screening`` and ``gate_report``; this module says what follows
from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolgauge.compare.looks import ROUNDING, Standing
from toolgauge.compare.resources import ratios
from toolgauge.compare.screening import Retest
from toolgauge.model.comparison import CasePair, CaseTally
from toolgauge.model.policy import Metric, Policy
from toolgauge.model.report import Verdict

WORST_FIRST: tuple[Verdict, ...] = ("error", "inconclusive", "fail", "warn")
METRIC_NAMES: dict[Metric, str] = {"passed": "pass rate", "overall": "score"}


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict on one suite and target, or on a gate, and its reason."""

    verdict: Verdict
    reason: str


def rule_on(standing: Standing, retests: Sequence[Retest], policy: Policy) -> Ruling:
    """Return the verdict on one suite and target.

    ``retests`` are its own screened cases. ``report-only`` turns ``fail`` into ``warn``;
    what could not be measured stays so. Source: ``gate.md`` section 3.
    """
    if standing.obstacle in ("error", "inconclusive"):
        return Ruling(standing.obstacle, _sentence([standing.why]))
    failures = _failures(standing, retests, policy)
    if failures and policy.policy == "report-only":
        return Ruling("warn", _sentence(["without report-only this fails", *failures]))
    if failures:
        return Ruling("fail", _sentence(failures))
    if standing.obstacle:
        return Ruling("no-baseline", _sentence([standing.why]))
    if doubts := _doubts(standing, retests, policy):
        return Ruling("warn", _sentence(doubts))
    return Ruling("pass", _sentence([_all_is_well(standing, retests, policy)]))


def rule_on_all(rulings: Sequence[Ruling]) -> Ruling:
    """Return the gate's verdict: the worst of its parts'.

    Error before inconclusive before fail before warn; then pass where anything was
    compared, else no-baseline. Without any part: error.
    """
    if not rulings:
        return Ruling("error", "Nothing was measured.")
    verdicts = [ruling.verdict for ruling in rulings]
    fallback: Verdict = "pass" if "pass" in verdicts else "no-baseline"
    worst = next((verdict for verdict in WORST_FIRST if verdict in verdicts), fallback)
    alike = [ruling for ruling in rulings if ruling.verdict == worst]
    if len(rulings) == 1:
        return alike[0]
    if worst == "pass":
        return Ruling(worst, f"No drop beyond chance in {_of(len(alike), len(rulings))}.")
    label = "no baseline" if worst == "no-baseline" else worst
    first = alike[0].reason
    lead = f"{label} in {_of(len(alike), len(rulings))}"
    if len(alike) > 1:
        lead += ", the first because"
    return Ruling(worst, f"{lead[0].upper()}{lead[1:]}: {first[0].lower()}{first[1:]}")


def gated_score(standing: Standing, metric: Metric) -> float | None:
    """Return what ``min_score`` is held against, in [0, 1]; None where nothing was measured.

    The mean of the metric over all measured cases of the head, new and changed ones
    included.
    """
    tallies = standing.part.head.tallies.values()
    values = [value for tally in tallies if (value := _value(tally, metric)) is not None]
    return sum(values) / len(values) if values else None


def newly_failing(standing: Standing) -> tuple[CasePair, ...]:
    """Return the cases that fail under the rule ``strict``; none under another.

    A case is newly failing that failed no baseline run and failed one now, or that passed
    most baseline runs and failed half or more now. At one run each: passed, and now fails.
    """
    if standing.rule != "strict":
        return ()
    return tuple(pair for pair in standing.pairing.compared if _fails_newly(pair))


def _failures(standing: Standing, retests: Sequence[Retest], policy: Policy) -> list[str]:
    confirmed = [one.screened.pair for one in retests if one.is_confirmed]
    gating = [pair for pair in confirmed if policy.fail_on != "suite" or pair.head.case.critical]
    found = []
    if standing.obstacle == "no-baseline" and policy.on_missing_baseline == "fail":
        found.append(standing.why)
    if standing.dropped and policy.fail_on != "case":
        found.append(_drop(standing, policy))
    if gating:
        found.append(_count(len(gating), "confirmed regression"))
    if failing := newly_failing(standing):
        found.append(_count(len(failing), "newly failing case"))
    return found + _floors(standing, policy)


def _floors(standing: Standing, policy: Policy) -> list[str]:
    """Return which stated limits are passed; they hold without a baseline, too."""
    found = []
    score = gated_score(standing, policy.metric)
    if policy.min_score is not None and score is not None and score < policy.min_score - ROUNDING:
        name = METRIC_NAMES[policy.metric]
        found.append(f"the {name} {score:.1%} is below the least allowed {policy.min_score:.1%}")
    cost_ratio, latency_ratio = ratios(standing.pairing.compared)
    for what, ratio, most in (
        ("cost", cost_ratio, policy.max_cost_ratio),
        ("latency", latency_ratio, policy.max_latency_ratio),
    ):
        if ratio is not None and most is not None and ratio > most + ROUNDING:
            found.append(f"the median {what} is {ratio:.2f} times the baseline's, above {most:g}")
    return found


def _doubts(standing: Standing, retests: Sequence[Retest], policy: Policy) -> list[str]:
    """Return what does not fail, but is no clean pass either."""
    found = []
    if standing.dropped:
        found.append(f"{_drop(standing, policy)}, which this policy does not fail")
    elif standing.drop_is_seen:
        found.append(f"{_drop(standing, policy)}, which can be chance")
    if confirmed := [one for one in retests if one.is_confirmed]:
        regressions = _count(len(confirmed), "confirmed regression")
        found.append(f"{regressions}, which this policy does not fail")
    return found


def _all_is_well(standing: Standing, retests: Sequence[Retest], policy: Policy) -> str:
    if standing.rule == "strict":
        return "no case fails that did not fail before"
    name = METRIC_NAMES[policy.metric]
    delta = standing.delta or 0.0
    said = f"the {name} changed by {delta * 100:+.1f} points, no drop beyond the allowed"
    suspects = sum(not one.is_confirmed for one in retests)
    return said + (f"; {_count(suspects, 'suspect case')} not confirmed" if suspects else "")


def _drop(standing: Standing, policy: Policy) -> str:
    points = -(standing.delta or 0.0) * 100
    p = standing.p_adjusted if standing.p_adjusted is not None else 1.0
    shown = "< 0.0001" if p < 0.0001 else f"= {p:.4f}"
    return f"the {METRIC_NAMES[policy.metric]} dropped by {points:.1f} points (p {shown})"


def _fails_newly(pair: CasePair) -> bool:
    before, after = pair.baseline.pass_rate or 0.0, pair.head.pass_rate or 0.0
    return (before == 1.0 and after < 1.0) or (before > 0.5 >= after)


def _value(tally: CaseTally, metric: Metric) -> float | None:
    return tally.score if metric == "overall" else tally.pass_rate


def _sentence(clauses: list[str]) -> str:
    joined = "; ".join(clauses)
    return f"{joined[0].upper()}{joined[1:]}."


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _of(some: int, total: int) -> str:
    return f"{some} of {total} suites"
