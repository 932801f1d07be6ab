"""The JSON form of a run, both ways: the one shape in which runs are shown and kept."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from toolgauge.model.run import CaseInfo, Run

_adapter = cache(TypeAdapter[Any])
"""Made when it is first needed: each takes some milliseconds."""


def to_json(run: Run, *, with_cases: bool = True) -> dict[str, Any]:
    """Return a run as JSON, without its trials."""
    without = None if with_cases else {"cases"}
    shown: dict[str, Any] = _adapter(Run).dump_python(run, mode="json", exclude=without)
    return shown


def from_json(shown: dict[str, Any], cases: tuple[CaseInfo, ...] | None = None) -> Run:
    """Return the run that ``to_json`` wrote; ``cases`` are its cases where it wrote none.

    Raises:
        pydantic.ValidationError: it is not such a run.
    """
    given = shown if cases is None else shown | {"cases": ()}
    run: Run = _adapter(Run).validate_python(given)
    return run if cases is None else replace(run, cases=cases)


def case_to_json(case: CaseInfo) -> dict[str, Any]:
    """Return what a run keeps of one case as JSON."""
    shown: dict[str, Any] = _adapter(CaseInfo).dump_python(case, mode="json")
    return shown


def cases_from_json(shown: Any) -> tuple[CaseInfo, ...]:
    """Return the cases that ``case_to_json`` wrote, given as a list.

    Raises:
        pydantic.ValidationError: they are no such cases.
    """
    cases: tuple[CaseInfo, ...] = _adapter(tuple[CaseInfo, ...]).validate_python(shown)
    return cases
