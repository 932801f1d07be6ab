"""What a dataset of another system is, as far as reading and writing it is concerned.

Everything here is plain data, as suites and transcripts write it, so that what was
written is kept to the letter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgauge.errors import Problem
from toolgauge.model.case import Case

RECORDED = "recorded"
"""The target of recorded outputs whose model is not known."""

Plain = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """A record as we hold it: a case, and the trial that was recorded of it, if any.

    A case that was carried
    is kept to the letter; one that was made states its tools, be they shared or not.
    """

    case: Plain
    trial: Plain | None = None
    was_carried: bool = False


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A case to be written: as it is asked, with its tools as they were written."""

    case: Case
    tools: list[Any]
    trial: Plain | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """How one system writes a case. ``head`` is what all of its suites have in common.

    Both functions raise ``BadRecord``; without ``record_of`` nothing can be exported.
    """

    entry_of: Callable[[Plain], Entry]
    record_of: Callable[[Outgoing], Plain] | None = None
    head: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A suite with the trials that were recorded of it, as plain data, and what is odd in it."""

    suite: Plain
    trials: tuple[Plain, ...] = ()
    warnings: tuple[Problem, ...] = ()


def own_id(record: Plain, *names: str) -> Plain:
    """Return ``{"id": …}`` of a record that has one under any of these names, else nothing."""
    found = next((record[name] for name in names if record.get(name) not in (None, "")), None)
    return {} if found is None else {"id": str(found)}
