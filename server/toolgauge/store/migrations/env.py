"""Alembic's entry: runs migrations on the connection that ``store.migrate`` hands over."""

from __future__ import annotations

from alembic import context

from toolgauge.store.migrations import VERSION_TABLE
from toolgauge.store.tables import Row

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Row.metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
