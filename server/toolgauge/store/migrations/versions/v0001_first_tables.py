"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_TEXT = sa.String()
_KEY = sa.String().with_variant(sa.String(collation="C"), "postgresql")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make every table."""
    _make_contents()
    _make_suites()
    _make_experiments()
    _make_runs()
    _make_trials()
    _make_jobs()
    _make_cache()


def _make_contents() -> None:
    op.create_table(
        "content",
        sa.Column("hash", _TEXT, primary_key=True),
        sa.Column("body", sa.Text(), nullable=False),
    )


def _make_suites() -> None:
    op.create_table(
        "suite",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("owner", _TEXT, nullable=False),
        sa.Column("name", _TEXT, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("is_latest", sa.Boolean(), nullable=False),
        sa.Column("n_cases", sa.Integer(), nullable=False),
        sa.Column("content_hash", _TEXT, sa.ForeignKey("content.hash"), nullable=False),
        sa.Column("saved_at", _MOMENT, nullable=False),
    )
    op.create_index("suite_version", "suite", ["owner", "name", "version"], unique=True)
    op.create_index("suite_newest", "suite", ["is_latest", "saved_at", "id"])
    op.create_index("ix_suite_content_hash", "suite", ["content_hash"])


def _make_experiments() -> None:
    op.create_table(
        "experiment",
        sa.Column("id", _TEXT, primary_key=True),
        sa.Column("owner", _TEXT, nullable=False),
        sa.Column("name", _TEXT, nullable=False),
        sa.Column("suite_name", _TEXT, nullable=False),
        sa.Column("description", _TEXT, nullable=False),
        sa.Column("baseline_run_id", _TEXT),
        sa.Column("created_at", _MOMENT, nullable=False),
    )
    op.create_index("experiment_newest", "experiment", ["created_at", "id"])
    op.create_index("ix_experiment_baseline_run_id", "experiment", ["baseline_run_id"])


def _make_runs() -> None:
    op.create_table(
        "run",
        sa.Column("id", _TEXT, primary_key=True),
        sa.Column("owner", _TEXT, nullable=False),
        sa.Column("kind", _TEXT, nullable=False),
        sa.Column("suite_name", _TEXT, nullable=False),
        sa.Column("suite_hash", _TEXT, sa.ForeignKey("content.hash")),
        sa.Column("cases_hash", _TEXT, sa.ForeignKey("content.hash"), nullable=False),
        sa.Column("status", _TEXT, nullable=False),
        sa.Column("experiment_id", _TEXT, sa.ForeignKey("experiment.id", ondelete="SET NULL")),
        sa.Column("source_run_id", _TEXT),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("n_passed", sa.Integer(), nullable=False),
        sa.Column("n_failed", sa.Integer(), nullable=False),
        sa.Column("n_errored", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
    )
    op.create_index("run_newest", "run", ["started_at", "id"])
    op.create_index("run_newest_of_owner", "run", ["owner", "started_at", "id"])
    op.create_index("run_newest_of_suite", "run", ["suite_name", "started_at", "id"])
    op.create_index("run_newest_of_status", "run", ["status", "started_at", "id"])
    op.create_index("run_newest_of_experiment", "run", ["experiment_id", "started_at", "id"])
    op.create_index("ix_run_suite_hash", "run", ["suite_hash"])
    op.create_index("ix_run_cases_hash", "run", ["cases_hash"])


def _make_trials() -> None:
    op.create_table(
        "trial",
        sa.Column("run_id", _TEXT, sa.ForeignKey("run.id", ondelete="CASCADE"), nullable=False),
        sa.Column("target", _KEY, nullable=False),
        sa.Column("case_id", _KEY, nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("batch", _TEXT, nullable=False),
        sa.Column("outcome", _TEXT, nullable=False),
        sa.Column("failure_kind", _TEXT),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "target", "case_id", "repeat"),
    )
    order = ["target", "case_id", "repeat"]
    op.create_index("trial_of_case", "trial", ["run_id", "case_id", "target", "repeat"])
    op.create_index("trial_of_outcome", "trial", ["run_id", "outcome", *order])
    op.create_index("trial_of_repeat", "trial", ["run_id", "repeat", "target", "case_id"])
    op.create_index(
        "trial_of_failure_kind",
        "trial",
        ["run_id", "failure_kind", *order],
        sqlite_where=sa.text("failure_kind IS NOT NULL"),
        postgresql_where=sa.text("failure_kind IS NOT NULL"),
    )


def _make_jobs() -> None:
    op.create_table(
        "job",
        sa.Column("id", _TEXT, primary_key=True),
        sa.Column("kind", _TEXT, nullable=False),
        sa.Column("owner", _TEXT, nullable=False),
        sa.Column("state", _TEXT, nullable=False),
        sa.Column("is_submitted", sa.Boolean(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", _TEXT),
        sa.Column("executor", _TEXT),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("result_ref", _TEXT),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("started_at", _MOMENT),
        sa.Column("finished_at", _MOMENT),
        sa.Column("spec", sa.Text(), nullable=False),
    )
    op.create_index("job_newest", "job", ["created_at", "id"])
    op.create_index("job_newest_of_owner", "job", ["owner", "created_at", "id"])
    op.create_index("job_newest_of_state", "job", ["state", "created_at", "id"])
    op.create_table(
        "rate_state",
        sa.Column("name", _TEXT, primary_key=True),
        sa.Column("tat", sa.Float(), nullable=False),
    )


def _make_cache() -> None:
    op.create_table(
        "cache_entry",
        sa.Column("key", _TEXT, primary_key=True),
        sa.Column("case_id", _TEXT, nullable=False),
        sa.Column("model", _TEXT, nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("tool_choice", _TEXT, nullable=False),
        sa.Column("parameters_hash", _TEXT, nullable=False),
        sa.Column("messages_hash", _TEXT, nullable=False),
        sa.Column("tools_hash", _TEXT, nullable=False),
        sa.Column("stored_at", _MOMENT, nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
    )
    op.create_index("cache_entry_of_case", "cache_entry", ["case_id", "stored_at"])
    op.create_index("cache_entry_of_messages", "cache_entry", ["messages_hash", "stored_at"])
    op.create_table(
        "cache_part",
        sa.Column("hash", _TEXT, primary_key=True),
        sa.Column("body", sa.Text(), nullable=False),
    )
