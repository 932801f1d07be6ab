"""Suites in the store: saved with their versions, and written out as files again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from toolgauge.formats.results_file import whole_file
from toolgauge.formats.suite_file import LoadedSuite
from toolgauge.model.suite import SuiteDocument
from toolgauge.store import suites
from toolgauge.store.database import Database
from toolgauge.store.suites import SavedSuite, suite_json


async def save_suites(
    database: Database, loaded: Iterable[LoadedSuite], *, owner: str = "local"
) -> tuple[SavedSuite, ...]:
    """Return the saved versions of these suites; one that has not changed keeps its version."""
    now = datetime.now(UTC)
    return tuple(
        [await suites.save(database, one.document, now=now, owner=owner) for one in loaded]
    )


def write_suite(document: SuiteDocument, path: Path) -> None:
    """Write a suite as JSON, whole or not at all.

    Raises:
        UsageError: the file cannot be written.
    """
    with whole_file(path) as file:
        json.dump(suite_json(document), file, ensure_ascii=False, indent=2)
        file.write("\n")
