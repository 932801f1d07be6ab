"""Single cases: which look broken, and which of them fresh repeats confirm.

Among many cases some always look worse by chance, and the repeats that made them look so
cannot testify again. So a case is screened by what is there, and confirmed, or not, by
fresh head repeats of its own, tested against the baseline. Holm's adjustment over the
screened cases of the whole gate keeps the probability of any false confirmation at 5 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolgauge.compare import exact_test, holm, power
from toolgauge.compare.looks import ONLY_LEVEL, ROUNDING, Key, Look, Standing
from toolgauge.model.comparison import CasePair, CaseTally

LEAST_BASELINE_RATE = 0.8
LEAST_DROP = 0.5

CaseKey = tuple[str, str, str]
"""Suite and target of the head, and the case's id."""


@dataclass(frozen=True, slots=True)
class Screened:
    """A case that looks broken: it passed before (0.8 or more) and dropped by half or more.

    ``needed`` fresh repeats can confirm it. ``repeats`` is how many to ask for, 0 where
    none are asked, and then ``why_not`` says why.
    """

    key: Key
    pair: CasePair
    needed: int
    repeats: int
    why_not: str = ""

    @property
    def case_key(self) -> CaseKey:
        return (*self.key, self.pair.id)


@dataclass(frozen=True, slots=True)
class Retest:
    """A screened case after its fresh repeats.

    ``p`` is the one-sided exact p-value of ``fresh`` against the baseline, ``p_adjusted``
    Holm's over all screened cases; None where there are no fresh repeats. ``why_not``
    says why it is not confirmed, and is empty where it is.
    """

    screened: Screened
    fresh: CaseTally | None = None
    p: float | None = None
    p_adjusted: float | None = None
    why_not: str = ""

    @property
    def is_confirmed(self) -> bool:
        return not self.why_not


def screen(look: Look) -> tuple[Screened, ...]:
    """Return the cases of a gate that look broken, in order, with the repeats to ask for.

    Only where the rule is ``statistical``: under ``strict`` a case needs no confirmation.
    Nothing is asked where the target cannot be asked again, where a confirmation takes
    more than 20 repeats, or where the gate can no longer pass or fail.
    """
    found = [
        (standing, pair)
        for standing in look.standings
        if standing.rule == "statistical" and standing.obstacle is None
        for pair in standing.pairing.compared
        if _looks_broken(pair)
    ]
    return tuple(_screened(one, pair, len(found), look) for one, pair in found)


def confirm(
    screened: tuple[Screened, ...], fresh: Mapping[CaseKey, CaseTally]
) -> tuple[Retest, ...]:
    """Return which of all screened cases of a gate the fresh repeats confirm.

    ``fresh`` holds the trials of batch ``confirm`` alone. A case without any stays
    unconfirmed and counts in Holm's adjustment with a p of 1: what was asked for was
    planned for all screened cases.
    """
    asked = {one.case_key for one in screened if one.repeats}
    had = {key: tally for key, tally in fresh.items() if key in asked and tally.runs}
    p_values = [
        exact_test.p_value([had[one.case_key].counts], [one.pair.baseline.counts])
        if one.case_key in had
        else 1.0
        for one in screened
    ]
    return tuple(
        _retest(one, fresh.get(one.case_key), p, p_adjusted)
        for one, p, p_adjusted in zip(screened, p_values, holm.adjust(p_values), strict=True)
    )


def _looks_broken(pair: CasePair) -> bool:
    before, after = pair.baseline.pass_rate or 0.0, pair.head.pass_rate or 0.0
    return before >= LEAST_BASELINE_RATE - ROUNDING and before - after >= LEAST_DROP - ROUNDING


def _screened(standing: Standing, pair: CasePair, cases: int, look: Look) -> Screened:
    needed = power.fresh_repeats_needed(pair.baseline.runs, cases)
    if look.is_blocked:
        why_not = "nothing more was asked, since the gate could not be decided"
    elif not standing.part.may_repeat:
        why_not = "the target could not be asked again"
    elif needed > power.MOST_FRESH_REPEATS:
        why_not = (
            f"confirming it against {_runs(pair.baseline.runs)} takes {needed} fresh repeats, "
            f"more than {power.MOST_FRESH_REPEATS}"
        )
    else:
        return Screened(standing.key, pair, needed, needed)
    return Screened(standing.key, pair, needed, 0, why_not)


def _retest(screened: Screened, fresh: CaseTally | None, p: float, p_adjusted: float) -> Retest:
    if not screened.repeats:
        return Retest(screened, why_not=screened.why_not)
    if fresh is None or not fresh.runs:
        return Retest(screened, fresh, why_not="its fresh repeats could not be had")
    passed = f"it passed {fresh.passes} of {fresh.runs} fresh repeats"
    why_not = "" if p_adjusted <= ONLY_LEVEL + ROUNDING else f"{passed}: this can be chance"
    return Retest(screened, fresh, p, p_adjusted, why_not)


def _runs(count: int) -> str:
    return "1 baseline run" if count == 1 else f"{count} baseline runs"
