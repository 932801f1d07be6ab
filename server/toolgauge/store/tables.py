"""The tables: columns that are searched, beside the frozen document as JSON.

These classes never leave this package. Documents are ASCII text, so that both databases
keep whatever a model wrote, NUL and lone surrogates included.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import DateTime, Dialect, Index, PrimaryKeyConstraint, String, Text, text
from sqlalchemy.orm import registry
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel


class Moment(TypeDecorator[datetime]):
    """A point in time, in UTC; SQLite forgets the zone and gets it back here."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Return the moment in UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Return the moment with its zone."""
        if value is None or value.tzinfo is not None:
            return value
        return value.replace(tzinfo=UTC)


_encoder = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class JsonText:
    """JSON that is stored as it is."""

    text: str


def json_text(value: Any) -> str:
    """Return a value as the JSON that is stored of it: ASCII, keys in their order."""
    return _encoder.encode(value)


class Json(TypeDecorator[Any]):
    """Any JSON value as ASCII text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: Dialect) -> str:
        """Return the value's JSON."""
        return value.text if isinstance(value, JsonText) else json_text(value)

    def process_result_value(self, value: str | None, _dialect: Dialect) -> Any:
        """Return the value of the JSON."""
        return None if value is None else json.loads(value)


# ordered by code point in both databases
Key = String().with_variant(String(collation="C"), "postgresql")


class Row(SQLModel, registry=registry()):
    """Base of the tables, with metadata of its own."""


class ContentRow(Row, table=True):
    """A suite, or the cases of a run, once however many rows refer to it."""

    __tablename__: ClassVar[str] = "content"

    hash: str = Field(primary_key=True)
    body: Any = Field(sa_type=Json)


class SuiteRow(Row, table=True):
    """One saved version of a suite."""

    __tablename__: ClassVar[str] = "suite"
    __table_args__ = (
        Index("suite_version", "owner", "name", "version", unique=True),
        Index("suite_newest", "is_latest", "saved_at", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    owner: str
    name: str
    version: int
    is_latest: bool
    n_cases: int
    content_hash: str = Field(foreign_key="content.hash", index=True)
    saved_at: datetime = Field(sa_type=Moment)


class ExperimentRow(Row, table=True):
    __tablename__: ClassVar[str] = "experiment"
    __table_args__ = (Index("experiment_newest", "created_at", "id"),)

    id: str = Field(primary_key=True)
    owner: str
    name: str
    suite_name: str
    description: str
    baseline_run_id: str | None = Field(index=True)
    created_at: datetime = Field(sa_type=Moment)


class RunRow(Row, table=True):
    """One run; its document holds everything but the cases, which are content."""

    __tablename__: ClassVar[str] = "run"
    __table_args__ = (
        Index("run_newest", "started_at", "id"),
        Index("run_newest_of_owner", "owner", "started_at", "id"),
        Index("run_newest_of_suite", "suite_name", "started_at", "id"),
        Index("run_newest_of_status", "status", "started_at", "id"),
        Index("run_newest_of_experiment", "experiment_id", "started_at", "id"),
    )

    id: str = Field(primary_key=True)
    owner: str
    kind: str
    suite_name: str
    suite_hash: str | None = Field(foreign_key="content.hash", index=True)
    cases_hash: str = Field(foreign_key="content.hash", index=True)
    status: str
    experiment_id: str | None = Field(foreign_key="experiment.id", ondelete="SET NULL")
    source_run_id: str | None
    started_at: datetime = Field(sa_type=Moment)
    n_passed: int
    n_failed: int
    n_errored: int
    document: Any = Field(sa_type=Json)


class TrialRow(Row, table=True):
    """One trial; every index ends in the order of the pages: target, case, repeat."""

    __tablename__: ClassVar[str] = "trial"
    __table_args__ = (
        PrimaryKeyConstraint("run_id", "target", "case_id", "repeat"),
        Index("trial_of_case", "run_id", "case_id", "target", "repeat"),
        Index("trial_of_outcome", "run_id", "outcome", "target", "case_id", "repeat"),
        Index("trial_of_repeat", "run_id", "repeat", "target", "case_id"),
        Index(
            "trial_of_failure_kind",
            *("run_id", "failure_kind", "target", "case_id", "repeat"),
            # on PostgreSQL too, as the migration has it; to say so here would import its dialect
            sqlite_where=text("failure_kind IS NOT NULL"),
        ),
    )

    run_id: str = Field(foreign_key="run.id", ondelete="CASCADE")
    target: str = Field(sa_type=Key)
    case_id: str = Field(sa_type=Key)
    repeat: int
    batch: str
    outcome: str
    failure_kind: str | None
    document: Any = Field(sa_type=Json)


class JobRow(Row, table=True):
    __tablename__: ClassVar[str] = "job"
    __table_args__ = (
        Index("job_newest", "created_at", "id"),
        Index("job_newest_of_owner", "owner", "created_at", "id"),
        Index("job_newest_of_state", "state", "created_at", "id"),
    )

    id: str = Field(primary_key=True)
    kind: str
    owner: str
    state: str
    is_submitted: bool
    priority: int
    total: int
    done: int
    failed: int
    attempts: int
    error: str | None
    executor: str | None
    cancel_requested: bool
    result_ref: str | None
    created_at: datetime = Field(sa_type=Moment)
    started_at: datetime | None = Field(sa_type=Moment)
    finished_at: datetime | None = Field(sa_type=Moment)
    spec: Any = Field(sa_type=Json)


class CacheRow(Row, table=True):
    """One reply; what was asked is in parts, so that two requests can be told apart."""

    __tablename__: ClassVar[str] = "cache_entry"
    __table_args__ = (
        Index("cache_entry_of_case", "case_id", "stored_at"),
        Index("cache_entry_of_messages", "messages_hash", "stored_at"),
    )

    key: str = Field(primary_key=True)
    case_id: str
    model: str
    repeat: int
    tool_choice: str
    parameters_hash: str
    messages_hash: str
    tools_hash: str
    stored_at: datetime = Field(sa_type=Moment)
    reply: Any = Field(sa_type=Json)


class CachePartRow(Row, table=True):
    """A part of requests, once however many requests had it."""

    __tablename__: ClassVar[str] = "cache_part"

    hash: str = Field(primary_key=True)
    body: Any = Field(sa_type=Json)


class RateRow(Row, table=True):
    """The theoretical arrival time of the next call under one limit, in seconds."""

    __tablename__: ClassVar[str] = "rate_state"

    name: str = Field(primary_key=True)
    tat: float
