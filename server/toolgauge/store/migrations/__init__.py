"""The schema's history. Revisions are numbered, so that a newer one is known by its number."""

HEAD = "0001"
"""The revision that this code reads and writes."""

VERSION_TABLE = "toolgauge_version"
"""Of our own name: other programs may keep an ``alembic_version`` in the same database."""
