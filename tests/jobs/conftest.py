"""What the tests of jobs share: both databases, as the tests of the store have them."""

from __future__ import annotations

from store.conftest import database, postgres, sqlite_url, url

__all__ = ["database", "postgres", "sqlite_url", "url"]
