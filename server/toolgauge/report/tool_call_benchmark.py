"""Trials as the dashboard of the Tool Call Benchmark reads them (``formats.md``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgauge.model.case import Case
from toolgauge.model.run import Mean, Run
from toolgauge.model.trial import Trial

_PERFECT = {"tsa": 1.0, "ahr": 0.0, "tp": 1.0}
_MICRO = ("tsa", "ahr")


@dataclass(frozen=True, slots=True)
class BenchmarkTrial:
    """A trial with the question that was asked and the calls that were expected, in order."""

    case: Case
    trial: Trial
    expected: Sequence[tuple[str, dict[str, Any] | None]]


def benchmark_report(
    run: Run, trials: Iterable[BenchmarkTrial], means: Mapping[str, Mean]
) -> dict[str, Any]:
    """Return ``{"benchmark_name", "run_id", "results", "results_micro", "samples"}``.

    ``results`` holds the mean of each of ``tsa``, ``ahr`` and ``tp`` over the trials that
    define it (macro), ``results_micro`` the sums of numerators over the sums of
    denominators; null over nothing. ``samples`` are the trials that are not perfect; one
    that errored has no scores and says why under ``error``.
    """
    return {
        "benchmark_name": run.suite_name,
        "run_id": run.id,
        "results": {name: means[name].macro for name in _PERFECT},
        "results_micro": {name: means[name].micro for name in _MICRO},
        "samples": [_sample(one) for one in trials if not _is_perfect(one.trial)],
    }


def report_name(report: dict[str, Any]) -> str:
    """Return the file name ``<benchmark_name>_<run_id>.json``, without what a name cannot hold.

    >>> report_name({"benchmark_name": "Tool Call Benchmark", "run_id": "7f3a"})
    'Tool Call Benchmark_7f3a.json'
    """
    name = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]', "_", report["benchmark_name"]).lstrip(".")
    return f"{name[:50] or 'benchmark'}_{report['run_id']}.json"


def _is_perfect(trial: Trial) -> bool:
    return trial.error is None and all(
        trial.value(name) in (None, perfect) for name, perfect in _PERFECT.items()
    )


def _sample(one: BenchmarkTrial) -> dict[str, Any]:
    case, trial = one.case, one.trial
    sample: dict[str, Any] = {
        "input": case.prompt if case.prompt is not None else list(case.messages),
        "expected_tool_calls": [
            {"name": name, "args": params or {}} for name, params in one.expected
        ],
        "actual_tool_calls": [{"name": call.name, "args": call.arguments} for call in trial.calls],
    }
    sample |= {name: trial.value(name) for name in _PERFECT}
    return sample | ({"error": trial.error.message} if trial.error else {})
