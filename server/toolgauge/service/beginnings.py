"""New runs: an id, a time, and what is about to be asked."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from toolgauge.model.run import Run, RunOptions, case_infos
from toolgauge.model.suite import Suite
from toolgauge.model.target import Target


def new_id() -> str:
    """Return an id that nothing else has: twelve hexadecimal digits."""
    return uuid.uuid4().hex[:12]


def new_run(suite: Suite, targets: tuple[Target, ...], options: RunOptions) -> Run:
    """Return a run of these targets that begins now."""
    return Run(
        id=new_id(),
        suite_name=suite.name,
        status="running",
        targets=targets,
        options=options,
        cases=case_infos(suite.cases),
        started_at=datetime.now(UTC),
    )
