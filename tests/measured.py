"""Builders of measured numbers: tallies, sides, and the parts of a gate."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from toolgauge.compare.gate_report import About, report_of
from toolgauge.compare.looks import Look, first_look
from toolgauge.compare.pairing import GatePart
from toolgauge.compare.screening import confirm, screen
from toolgauge.model.comparison import CasePair, CaseTally, Measurement, Side
from toolgauge.model.fingerprint import Fingerprint
from toolgauge.model.policy import Policy
from toolgauge.model.report import Report
from toolgauge.model.run import CaseInfo

Counts = tuple[int, int]
NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
CASE_FIELDS = {"expected", "critical", "prompt"}


def info(case_id: str, *, request: str = "r", expectation: str = "e", **fields: Any) -> CaseInfo:
    return CaseInfo(case_id, Fingerprint(request, expectation), **fields)


def tally(
    case_id: str,
    passes: int,
    runs: int,
    *,
    errored: int = 0,
    score: float | None = None,
    **more: Any,
) -> CaseTally:
    """Return a tally whose mean score is ``score``, by default the pass rate."""
    of_case = {
        key: more.pop(key) for key in [*more] if key in {*CASE_FIELDS, "request", "expectation"}
    }
    mean = score if score is not None else passes / runs if runs else 0.0
    return CaseTally(
        info(case_id, **of_case), passes, runs, errored, mean * runs, mean * mean * runs, **more
    )


def measured(*tallies: CaseTally, **side: Any) -> Measurement:
    named = {"suite": "weather", "target": "gpt", "source": "head.json"} | side
    return Measurement(Side(**named), {one.case.id: one for one in tallies})


def counted(counts: Mapping[str, Counts] | list[Counts], **side: Any) -> Measurement:
    """Return a measurement of passes and runs per case; a list names cases c0, c1, ..."""
    named = counts if isinstance(counts, Mapping) else {f"c{n}": c for n, c in enumerate(counts)}
    return measured(*(tally(case_id, *of) for case_id, of in named.items()), **side)


def part(head: list[Counts], baseline: list[Counts] | None, **side: Any) -> GatePart:
    before = None if baseline is None else counted(baseline, **{"source": "base.json"} | side)
    return GatePart(counted(head, **side), before)


def look_at(*parts: GatePart, **policy: Any) -> Look:
    return first_look(parts, Policy(**policy), seeded=random.Random)


def pair(baseline: CaseTally, head: CaseTally) -> CasePair:
    return CasePair(baseline, head)


def reported(look: Look, fresh: Mapping[Any, CaseTally] | None = None, **about: Any) -> Report:
    """Return the report of a look, with the fresh repeats that were bought."""
    retests = confirm(screen(look), fresh or {})
    return report_of(look, retests, About("0.1.0", NOW, **about))
