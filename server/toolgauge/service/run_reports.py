"""The gate's report on one stored run, as it was measured."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from toolgauge import __version__
from toolgauge.compare.gate_report import About, report_of
from toolgauge.compare.looks import first_look
from toolgauge.compare.pairing import pair_sides
from toolgauge.compare.screening import confirm, screen
from toolgauge.model.experiment import baseline
from toolgauge.model.policy import Policy
from toolgauge.model.report import Report
from toolgauge.service.comparisons import compare_measured
from toolgauge.service.measurements import measure_run
from toolgauge.service.owned import baseline_run_id, owned_run
from toolgauge.store import experiments
from toolgauge.store.database import Database
from toolgauge.store.runs import StoredRun


async def compare_stored(database: Database, before: str, candidate: str, owner: str) -> Report:
    """Return how a run compares with another, or with an experiment's baseline.

    Raises:
        NotStored: the owner has no such run or experiment.
        UsageError: they have no suite and target in common.
    """
    head = await owned_run(database, candidate, owner)
    other = await baseline_run_id(database, before, owner)
    heads = await measure_run(database, head.run.id)
    return compare_measured(heads, await measure_run(database, other)).report


async def report_on(database: Database, run_id: str, owner: str) -> Report:
    """Return the report on a run, against its experiment's baseline where there is another run.

    Raises:
        NotStored: the owner has no such run.
    """
    stored = await owned_run(database, run_id, owner)
    heads = await measure_run(database, run_id)
    before = await _baseline_of(database, stored)
    if before is not None:
        return compare_measured(heads, await measure_run(database, before)).report
    parts, _ = pair_sides(heads, (), can_repeat=False)
    look = first_look(parts, Policy(policy="report-only"), seeded=random.Random)
    about = About(__version__, datetime.now(UTC))
    return report_of(look, confirm(screen(look), {}), about)


async def _baseline_of(database: Database, stored: StoredRun) -> str | None:
    if stored.experiment_id is None:
        return None
    experiment = await experiments.get(database, stored.experiment_id)
    found = baseline(experiment, await experiments.linked_runs(database, experiment.id))
    if found is None or found.id == stored.run.id:
        return None
    names = {target.name for target in found.targets}
    shared = names & {target.name for target in stored.run.targets}
    return found.id if shared or len(names) == len(stored.run.targets) == 1 else None
