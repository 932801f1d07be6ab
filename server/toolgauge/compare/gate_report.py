"""The last stage of a gate: everything that was decided, as one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from toolgauge.compare.case_findings import find_cases
from toolgauge.compare.confusion import confusion_of
from toolgauge.compare.figures import numbers_of, totals_of
from toolgauge.compare.looks import Look, Standing, chance_of
from toolgauge.compare.notices import age_days, notices_of
from toolgauge.compare.pooling import known_sum
from toolgauge.compare.resources import resources_of
from toolgauge.compare.screening import Retest
from toolgauge.compare.verdict import Ruling, gated_score, rule_on, rule_on_all
from toolgauge.model.comparison import CasePair, CaseTally, Side
from toolgauge.model.report import (
    EXIT_CODES,
    SCHEMA_VERSION,
    CaseLists,
    ExtraRepeats,
    Numbers,
    Report,
    Resources,
    SuiteReport,
)


@dataclass(frozen=True, slots=True)
class About:
    """What a report says of its making: who wrote it and when, and how to accept a drop.

    ``removed_sides`` are suites and targets that only the baseline has.
    """

    toolgauge: str
    created_at: datetime
    how_to_accept: str = ""
    removed_sides: tuple[Side, ...] = ()


def report_of(look: Look, retests: Sequence[Retest], about: About) -> Report:
    """Return the report of a gate after its last look, with its screened cases tested."""
    parts = [
        (standing, [one for one in retests if one.screened.key == standing.key])
        for standing in look.standings
    ]
    rulings = [rule_on(standing, own, look.policy) for standing, own in parts]
    whole = rule_on_all(rulings)
    suites = tuple(
        _suite_report(standing, own, ruling, look)
        for (standing, own), ruling in zip(parts, rulings, strict=True)
    )
    return Report(
        schema_version=SCHEMA_VERSION,
        toolgauge=about.toolgauge,
        created_at=about.created_at,
        verdict=whole.verdict,
        exit_code=EXIT_CODES[whole.verdict],
        reason=whole.reason,
        policy=look.policy,
        notices=notices_of(look, retests, about.removed_sides),
        totals=_totals(look, [suite.numbers for suite in suites]),
        resources=_all_resources(look),
        suites=suites,
        how_to_accept=about.how_to_accept,
    )


def _suite_report(
    standing: Standing, retests: Sequence[Retest], ruling: Ruling, look: Look
) -> SuiteReport:
    part, pairing = standing.part, standing.pairing
    cases = find_cases(standing, retests)
    rng = chance_of(part, look.seeded)
    return SuiteReport(
        verdict=ruling.verdict,
        reason=ruling.reason,
        rule=standing.rule,
        looks=standing.looks,
        level=standing.level,
        head=part.head.side,
        baseline=part.baseline.side if part.baseline else None,
        baseline_age_days=age_days(standing),
        gated_score=gated_score(standing, look.policy.metric),
        numbers=numbers_of(standing, look.policy.metric, rng),
        cases=_case_lists(standing),
        regressions=cases.regressions,
        suspects=cases.suspects,
        improved=cases.improved,
        flaky=cases.flaky,
        steady=cases.steady,
        confusion=confusion_of(pairing.compared),
        resources=resources_of(pairing.compared, part.head.tallies.values()),
        extra=_extra(standing, retests),
    )


def _case_lists(standing: Standing) -> CaseLists:
    pairing = standing.pairing
    return CaseLists(
        request_changed=tuple(pair.id for pair in pairing.compared if _request_changed(pair)),
        changed=pairing.changed,
        new=pairing.new,
        removed=pairing.removed,
        unmeasured=tuple(pair.id for pair in pairing.unmeasured),
    )


def _request_changed(pair: CasePair) -> bool:
    return pair.head.case.fingerprint.request != pair.baseline.case.fingerprint.request


def _extra(standing: Standing, retests: Sequence[Retest]) -> tuple[ExtraRepeats, ...]:
    found = []
    if standing.second:
        found.append(_bought("second", list(standing.second.tallies.values())))
    if fresh := [one.fresh for one in retests if one.fresh]:
        found.append(_bought("confirm", fresh))
    return tuple(found)


def _bought(batch: Literal["second", "confirm"], tallies: Sequence[CaseTally]) -> ExtraRepeats:
    errored = sum(tally.errored for tally in tallies)
    return ExtraRepeats(
        batch=batch,
        cases=len(tallies),
        trials=sum(tally.runs for tally in tallies) + errored,
        errored=errored,
        cost_usd=known_sum([tally.cost_usd for tally in tallies]),
    )


def _totals(look: Look, each: Sequence[Numbers]) -> Numbers:
    seed = "\n".join(run for one in look.standings for run in one.part.head.side.run_ids)
    return totals_of(look.standings, each, look.seeded(seed))


def _all_resources(look: Look) -> Resources:
    pairs = [pair for standing in look.standings for pair in standing.pairing.compared]
    heads = [t for standing in look.standings for t in standing.part.head.tallies.values()]
    return resources_of(pairs, heads)
