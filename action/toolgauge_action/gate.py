"""What the action asks of the engine: one gate over a repository's suites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from toolgauge.model.policy import Policy
from toolgauge.model.report import Report


@dataclass(frozen=True, slots=True)
class BaselineFile:
    """A baseline record on disk. ``source`` names where it came from, for the report.

    ``commits_behind`` counts first parents from the base commit back to ``commit``; both
    None where a committed file says nothing of it.
    """

    path: Path
    source: str
    commit: str | None = None
    commits_behind: int | None = None


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What is to be gated.

    ``targets`` empty: each suite's own, and ``builtin/lexical`` where it names none.
    ``baselines`` are runs to pool, newest first. ``base_folder`` holds the base's files,
    to be asked beside the head's; then ``baselines`` is empty. ``config`` is the project
    file that holds, None for none at all: it must not be looked for. ``repeats`` None
    leaves the number to the project file.
    """

    suites: tuple[Path, ...]
    targets: tuple[str, ...]
    policy: Policy
    repeats: int | None
    commit: str
    baselines: tuple[BaselineFile, ...] = ()
    base_folder: Path | None = None
    base_suites: tuple[Path, ...] = ()
    base_commit: str | None = None
    config: Path | None = None
    max_cost_usd: float | None = None
    concurrency: int = 8
    how_to_accept: str = ""


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """What a gate found. ``baseline_document`` is the text of a record; None: unfit for one."""

    report: Report
    baseline_document: str | None


class GateService(Protocol):
    """Runs a gate, to its end.

    Raises:
        UsageError: a suite, a target or a setting is wrong.
        CannotMeasure: nothing could be measured.
    """

    def __call__(self, request: GateRequest, environment: Mapping[str, str]) -> GateOutcome:
        """Return what the gate found; ``environment`` holds the providers' keys."""
