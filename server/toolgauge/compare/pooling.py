"""Several batches or runs as one: the sums of what was counted in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from math import fsum
from operator import add
from statistics import median
from typing import TypeVar

from toolgauge.model.comparison import CaseTally, Measurement, Side

WINDOW = 5
"""How many runs a pooled baseline holds at most."""

MOST_ERRORED = 0.05
"""The part of all trials above which errors make a run unfit to be decided on."""

_Number = TypeVar("_Number", int, float)


def pool_tallies(tallies: Sequence[CaseTally]) -> CaseTally:
    """Return one case's tallies as one; the first gives what is known of the case.

    Counts and sums are added, unknown plus anything is unknown. The latency is the median
    of the tallies' medians, since medians cannot be added. Samples are the first known.

    Raises:
        ValueError: there is none.
    """
    if not tallies:
        raise ValueError("no tally to pool")
    if len(tallies) == 1:
        return tallies[0]
    latencies = [t.latency_median_ms for t in tallies if t.latency_median_ms is not None]
    called: dict[str, int] = {}
    for tally in tallies:
        for name, count in tally.called_tools.items():
            called[name] = called.get(name, 0) + count
    return CaseTally(
        case=tallies[0].case,
        passes=sum(tally.passes for tally in tallies),
        runs=sum(tally.runs for tally in tallies),
        errored=sum(tally.errored for tally in tallies),
        score_sum=fsum(tally.score_sum for tally in tallies),
        score_sq_sum=fsum(tally.score_sq_sum for tally in tallies),
        latency_median_ms=median(latencies) if latencies else None,
        input_tokens=known_sum([tally.input_tokens for tally in tallies]),
        output_tokens=known_sum([tally.output_tokens for tally in tallies]),
        cost_usd=known_sum([tally.cost_usd for tally in tallies]),
        called_tools=called,
        passing=next((tally.passing for tally in tallies if tally.passing), None),
        failing=next((tally.failing for tally in tallies if tally.failing), None),
    )


def pool_batches(first: Measurement, second: Measurement) -> Measurement:
    """Return a head's two batches as one: the cases of the first, all their trials.

    Truncated where either batch is.
    """
    side = replace(
        first.side,
        truncated=first.side.truncated or second.side.truncated,
        repeats=known_sum([first.side.repeats, second.side.repeats]),
    )
    return Measurement(side, _pooled_cases([first, second]))


def pool_baselines(newest_first: Sequence[Measurement], *, window: int = WINDOW) -> Measurement:
    """Return runs of one suite and target as one baseline, as the newest run defines it.

    At most ``window`` runs. An older run joins where it asked the same model with the same
    parameters and is fit (``why_unfit``), and of it only the cases whose request and
    expectation are the newest's. An unfit newest run is passed over while there is a fit
    one. Of a deterministic target, asking again says nothing: the newest fit run alone.

    Raises:
        ValueError: there is none.
    """
    if not newest_first:
        raise ValueError("no run to pool")
    fit = [run for run in newest_first if why_unfit(run) is None]
    newest = fit[0] if fit else newest_first[0]
    if newest.side.deterministic or not fit:
        return newest
    pooled = [run for run in fit if _asks_alike(run.side, newest.side)][:window]
    side = replace(
        newest.side,
        repeats=known_sum([run.side.repeats for run in pooled]),
        run_ids=tuple(run_id for run in pooled for run_id in run.side.run_ids),
    )
    return Measurement(side, _pooled_cases(pooled))


def pool_each(newest_first: Sequence[Measurement], *, window: int = WINDOW) -> list[Measurement]:
    """Return one baseline per suite and target (``pool_baselines``), in order of appearance."""
    by_key: dict[tuple[str, str], list[Measurement]] = {}
    for run in newest_first:
        by_key.setdefault(run.side.key, []).append(run)
    return [pool_baselines(runs, window=window) for runs in by_key.values()]


def why_unfit(run: Measurement) -> str | None:
    """Return why a run can be no baseline; None where it can.

    It was truncated, nothing was asked, or more than 5 % of its trials errored.
    """
    errored, trials = run.n_errored, run.n_errored + run.n_scored
    if run.side.truncated:
        return "the run was stopped before its end"
    if not trials:
        return "nothing was asked"
    if errored > MOST_ERRORED * trials:
        return f"{errored} of {trials} trials errored, more than 5 %"
    return None


def known_sum(values: Sequence[_Number | None]) -> _Number | None:
    """Return the sum, None where any value is unknown (or there is none)."""
    known = [value for value in values if value is not None]
    return reduce(add, known) if known and len(known) == len(values) else None


def _pooled_cases(runs: Sequence[Measurement]) -> dict[str, CaseTally]:
    return {
        case_id: pool_tallies(
            [
                tally
                for run in runs
                if (tally := run.tallies.get(case_id))
                and tally.case.fingerprint == of_newest.case.fingerprint
            ]
        )
        for case_id, of_newest in runs[0].tallies.items()
    }


def _asks_alike(one: Side, other: Side) -> bool:
    served = {one.model_served, other.model_served} - {None}
    return (one.model, one.parameters) == (other.model, other.parameters) and len(served) < 2
