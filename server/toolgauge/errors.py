"""The one error tree. Each error carries data and says what to do next.

::

    ToolgaugeError
    ├── UsageError              what was asked cannot be done as asked (exit code 2)
    │   ├── InvalidFile         a file has problems; lists every one
    │   ├── UnknownTarget       no such target, or not runnable here
    │   ├── MissingSetting      a key, a model or another setting is needed
    │   ├── NotStored           the store has no such suite, run, experiment or job
    │   ├── CannotDelete        something else holds on to it
    │   └── CannotMove          a job is not in a state from which it could go on like this
    ├── CannotStore             the database cannot be read or written
    ├── Superseded              another process owns this run or job now
    ├── CannotMeasure           it was asked well, but nothing could be measured (exit code 3)
    ├── GatewayError            one request to a model failed
    └── CannotScore             a scorer could not finish on one trial

A wrong answer of a model is no error: it is a Score. Doors translate these
errors once: the command line into exit codes, servers into their error shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GatewayFault = Literal[
    "connection",
    "timeout",
    "rate_limit",
    "quota",
    "bad_json",
    "context_window",
    "content_filter",
    "auth",
    "not_found",
    "unsupported_param",
    "tool_choice_rejected",
    "tools_unsupported",
    "bad_request",
    "server",
    "setup",
    "other",
]
RETRYABLE_FAULTS: frozenset[GatewayFault] = frozenset(
    {"connection", "timeout", "rate_limit", "bad_json", "server"}
)

StoreFault = Literal["full", "read_only", "busy", "unreachable", "too_new", "damaged"]


class ToolgaugeError(Exception):
    """Base of every error that toolgauge raises on purpose."""


class UsageError(ToolgaugeError):
    """What was asked cannot be done as asked; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a file: where it is and what to do about it.

    ``path`` joins keys by ``.`` and list positions as ``[0]``; it is empty for
    the document itself. ``line`` counts from 1 and is None where unknown.
    """

    path: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        field = f"{self.path}: " if self.path else ""
        return f"{where}{field}{self.message}"


class InvalidFile(UsageError):
    """A file has problems. All of them are in ``problems``, in file order."""

    def __init__(self, file: str, problems: tuple[Problem, ...]) -> None:
        self.file = file
        self.problems = problems
        super().__init__("\n".join(f"{file}: {problem}" for problem in problems))


class UnknownTarget(UsageError):
    """A target is not known, or cannot be run here."""


class MissingSetting(UsageError):
    """A key, a model or another setting is needed and not given."""


class NotStored(UsageError):
    """The store has no such thing; ``known`` are ids or names that it has, newest first."""

    def __init__(self, kind: str, wanted: str, known: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.wanted = wanted
        self.known = known
        has = f"Known: {', '.join(known)}." if known else f"There is no {kind} yet."
        super().__init__(f"No {kind} {wanted!r}. {has}")


class CannotDelete(UsageError):
    """Something else holds on to what was to be deleted; ``held_by`` names it."""

    def __init__(self, what: str, held_by: tuple[str, ...], next_step: str) -> None:
        self.held_by = held_by
        super().__init__(f"{what} is held by {', '.join(held_by)}. {next_step}")


class CannotMove(UsageError):
    """A job cannot go from its state to the wanted one."""

    def __init__(self, job_id: str, state: str, wanted: str) -> None:
        self.state = state
        self.wanted = wanted
        super().__init__(f"job {job_id!r} is {state}, so it cannot become {wanted}")


class CannotStore(ToolgaugeError):
    """The database cannot be read or written; what was committed before is kept.

    ``fault``: ``full`` (the disk, or a limit on the file), ``read_only``, ``busy`` (locked
    by another process), ``unreachable``, ``too_new`` (written by a newer toolgauge),
    ``damaged`` (no database of ours). The message never holds a password.
    """

    def __init__(self, fault: StoreFault, message: str) -> None:
        self.fault = fault
        super().__init__(message)

    @property
    def may_pass(self) -> bool:
        """Whether waiting may be enough."""
        return self.fault in ("busy", "unreachable")


class Superseded(ToolgaugeError):
    """Another process owns the run or job now; this one stops and pays for nothing more."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"{what} is owned by another process now; this one stops")


class CannotMeasure(ToolgaugeError):
    """The request was fine, but nothing could be measured (a dead server, say)."""


class GatewayError(ToolgaugeError):
    """One request to a model failed.

    ``fault`` is the class of failure, ``status`` the HTTP status where there was
    one, ``retry_after_s`` what the provider asked for (seconds, None if nothing).
    The message never holds a key.
    """

    def __init__(
        self,
        fault: GatewayFault,
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        self.fault = fault
        self.status = status
        self.retry_after_s = retry_after_s
        super().__init__(message)

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed when sent again."""
        return self.fault in RETRYABLE_FAULTS


class CannotScore(ToolgaugeError):
    """A scorer could not finish on one trial; the trial is an error, not a 0."""

    def __init__(self, case_id: str, key: str, why: str) -> None:
        self.case_id = case_id
        self.key = key
        super().__init__(f"case {case_id!r}, {key}: {why}")
