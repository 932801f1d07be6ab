"""Trials to tallies: the numbers of each case that a comparison needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from math import fsum
from statistics import median

from toolgauge.model.comparison import CaseTally, Sample
from toolgauge.model.run import CaseInfo
from toolgauge.model.trial import Trial, Usage


def tally_cases(cases: Iterable[CaseInfo], trials: Iterable[Trial]) -> dict[str, CaseTally]:
    """Return a tally per case id, in the order of ``cases``.

    ``trials`` are those of one target; trials of cases that are not listed are left out.
    A case without trials has a tally of zeros.
    """
    listed = tuple(cases)
    by_case: dict[str, list[Trial]] = {case.id: [] for case in listed}
    for trial in trials:
        if trial.key.case_id in by_case:
            by_case[trial.key.case_id].append(trial)
    return {case.id: _tally(case, by_case[case.id]) for case in listed}


def _tally(case: CaseInfo, trials: list[Trial]) -> CaseTally:
    scored = sorted((trial for trial in trials if trial.scored), key=_repeat)
    scores = [value for trial in scored if (value := trial.value("overall")) is not None]
    latencies = [trial.latency_ms for trial in scored if trial.latency_ms is not None]
    called = Counter(name for trial in scored for name in ([c.name for c in trial.calls] or [""]))
    usage = reduce(Usage.plus, (trial.usage for trial in scored), Usage(0, 0, 0.0))
    return CaseTally(
        case=case,
        passes=sum(bool(trial.passed) for trial in scored),
        runs=len(scored),
        errored=len(trials) - len(scored),
        score_sum=fsum(scores),
        score_sq_sum=fsum(score * score for score in scores),
        latency_median_ms=median(latencies) if latencies else None,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        called_tools=dict(called),
        passing=next((_sample(trial) for trial in scored if trial.passed), None),
        failing=next((_sample(trial) for trial in scored if not trial.passed), None),
    )


def _repeat(trial: Trial) -> int:
    return trial.key.repeat


def _sample(trial: Trial) -> Sample:
    return Sample(
        calls=tuple(call.as_json() for call in trial.calls),
        failure_kind=trial.scored.failure_kind if trial.scored else None,
        reason=trial.scored.main_reason if trial.scored else "",
    )
