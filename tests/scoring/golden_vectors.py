"""The golden vectors of a suite with transcripts, as cases and trajectories."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from toolgauge.gateway.extract import trajectory
from toolgauge.model.case import Case
from toolgauge.model.suite import SuiteDocument, resolve
from toolgauge.model.tools import Trajectory

GOLDEN = Path(__file__).parent.parent / "golden"


class Vector(NamedTuple):
    """One line of a golden file: what was asked, what came back, what is expected of it."""

    case: Case
    trajectory: Trajectory
    expected: dict[str, Any]


def document(name: str) -> dict[str, Any]:
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


def vectors(name: str) -> Iterator[Vector]:
    """Yield the vectors of one file; lines that record a provider's failure are left out."""
    golden = document(name)
    cases = {case.id: case for case in resolve(SuiteDocument.model_validate(golden["suite"])).cases}
    recorded = {_key(line): line for line in golden["transcripts"]}
    for expected in golden["expected"]:
        line = recorded[_key(expected)]
        if line.get("error") is None:
            case = cases[expected["case_id"]]
            names = [tool.name for tool in case.tools]
            yield Vector(case, trajectory(line["messages"], names), expected)


def _key(line: dict[str, Any]) -> tuple[str, str, int]:
    return line["case_id"], line["target"], line["repeat"]
