"""The gate: run the head, compare it with a baseline, buy what the verdict needs, report.

The stages are pure (``compare.verdict``); this module measures what they ask for.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from toolgauge import __version__
from toolgauge.compare.gate_report import About, report_of
from toolgauge.compare.looks import Look, first_look, second_look
from toolgauge.compare.pairing import GatePart, pair_sides
from toolgauge.compare.pooling import pool_each
from toolgauge.compare.screening import CaseKey, Retest, Screened, confirm, screen
from toolgauge.compare.selftest import selftest
from toolgauge.engine.budget import Budget
from toolgauge.engine.plan import Emit
from toolgauge.errors import UsageError
from toolgauge.formats.baseline_file import write_baseline
from toolgauge.gateway.gateway import Gateway
from toolgauge.model.comparison import CaseTally, Measurement, Side
from toolgauge.model.policy import Policy
from toolgauge.model.report import Report
from toolgauge.model.selftest import SelfTest
from toolgauge.service import runs, wiring
from toolgauge.service.comparisons import measure
from toolgauge.service.evaluations import More, ask_more, run_job
from toolgauge.service.measurements import measure_run
from toolgauge.service.project import open_project
from toolgauge.settings import Settings
from toolgauge.store import trials
from toolgauge.store.database import Database
from toolgauge.store.trials import Batch

_DEFAULT_REPEATS = 3


@dataclass(frozen=True, slots=True)
class GateRequest:
    """What a door asks to be gated.

    ``baseline`` is a baseline or result file, the id of a run, or an experiment; None for
    none. ``commit`` is the head's, ``how_to_accept`` what the report tells a reader who
    wants the change.
    """

    run: runs.RunRequest
    policy: Policy = field(default_factory=Policy)
    baseline: str | None = None
    baselines: tuple[Measurement, ...] = ()
    commit: str | None = None
    how_to_accept: str = ""


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """The report, and the head's measurements (first and second batches), to keep as a baseline."""

    report: Report
    heads: tuple[Measurement, ...]
    run_ids: tuple[str, ...] = ()


async def gate(
    request: GateRequest, settings: Settings, database: Database, *, emit: Emit
) -> GateOutcome:
    """Return the verdict on the suites of a request, asked now.

    Raises:
        UsageError: a suite, a target, a setting or the baseline is wrong or missing.
    """
    repeats = request.run.options.repeats or _DEFAULT_REPEATS
    asked = replace(request.run, options=replace(request.run.options, repeats=repeats))
    prepared = await runs.prepare(asked, settings)
    runs.check_keys(prepared, settings)
    _check_names(prepared)
    baselines = request.baselines
    if request.baseline is not None:
        baselines = await measure(request.baseline, database)
    started = await runs.start_runs(database, prepared, experiment=asked.experiment)
    run_ids = tuple(one.id for one in started)
    targets = {target.model: target for one in prepared for target in one.targets}
    budget = await runs.budget_of(database, run_ids, asked.max_cost_usd)
    async with wiring.open_gateways(
        settings,
        targets.values(),
        api_base=asked.api_base,
        import_roots=open_project(asked.config).import_roots,
    ) as inner:
        gateway = wiring.behind_store(inner, database, asked.cache)
        asker = _Asker(database, gateway, emit, budget=budget, commit=request.commit)
        for one in started:
            await run_job(one, database=database, gateway=gateway, emit=emit, budget=budget)
        heads = [one for run_id in run_ids for one in await asker.measure(run_id)]
        parts, removed = pair_sides(heads, baselines)
        look = first_look(parts, request.policy, seeded=random.Random)
        look = await asker.second_batches(look)
        retests = await asker.confirmations(look)
    return GateOutcome(
        report=_report(look, retests, request.how_to_accept, removed),
        heads=tuple(standing.part.head for standing in look.standings),
        run_ids=run_ids,
    )


def _check_names(prepared: Sequence[runs.Prepared]) -> None:
    """Make sure that suites can be told apart, as a baseline knows them by name.

    Raises:
        UsageError: two files hold a suite of one name.
    """
    files: dict[str, str] = {}
    for one in prepared:
        other = files.setdefault(one.suite.name, one.file)
        if other != one.file:
            raise UsageError(
                f"{other} and {one.file} both hold a suite {one.suite.name!r}. Rename one: "
                "a gate compares suites by name"
            )


async def keep_baseline(
    database: Database, run_ids: Sequence[str], path: Path, *, commit: str | None = None
) -> tuple[Measurement, ...]:
    """Write stored runs as a baseline file, and return what stands in it.

    Raises:
        CannotMeasure: a run was stopped before its end, or errored too often.
        NotStored: there is no such run.
    """
    found = [
        one for run_id in run_ids for one in await measure_run(database, run_id, commit=commit)
    ]
    write_baseline(path, found)
    return tuple(found)


async def selftest_runs(
    database: Database,
    run_ids: Sequence[str],
    policy: Policy,
    *,
    repeats: int,
    gates: int,
    seed: int,
) -> tuple[tuple[Side, SelfTest], ...]:
    """Return, per suite and target, how the gate does on the recorded repeats of these runs.

    Raises:
        NotStored: there is no such run.
        UsageError: a run has no case with two scored trials.
    """
    measured = [one for run_id in run_ids for one in await measure_run(database, run_id)]
    found = []
    for one in pool_each(measured, window=len(measured)):
        rng = random.Random(seed)  # noqa: S311 - a simulation, seeded to be repeatable
        try:
            done = selftest(one, policy, rng, repeats=repeats, gates=gates)
        except ValueError as error:
            what = f"{one.side.suite} on {one.side.target}"
            raise UsageError(f"{what}: {error}. Run it with --repeats 4 or more") from error
        found.append((one.side, done))
    return tuple(found)


class _Asker:
    """Buys what the stages of a gate ask for, and measures it."""

    def __init__(
        self,
        database: Database,
        gateway: Gateway,
        emit: Emit,
        *,
        budget: Budget | None,
        commit: str | None,
    ) -> None:
        self._database = database
        self._gateway = gateway
        self._emit = emit
        self._budget = budget
        self._commit = commit

    async def measure(self, run_id: str) -> tuple[Measurement, ...]:
        return await measure_run(self._database, run_id, commit=self._commit)

    async def second_batches(self, look: Look) -> Look:
        """Return the second look, with every wanted second batch asked; the first without one."""
        wanted = set(look.wants_second_batch)
        batches = {}
        for standing in look.standings:
            if standing.key in wanted:
                batches[standing.key] = await self._second_batch(standing.part)
        return second_look(look, batches) if batches else look

    async def _second_batch(self, part: GatePart) -> Measurement:
        side = part.head.side
        repeats = side.repeats or 1
        again = dict.fromkeys(part.head.tallies, range(repeats, 2 * repeats))
        await self._ask(side, More(side.target, again, "second"))
        return await self._batch(side, "second")

    async def confirmations(self, look: Look) -> tuple[Retest, ...]:
        """Return the cases that look broken, each tested against fresh repeats of its own."""
        screened = screen(look)
        fresh: dict[CaseKey, CaseTally] = {}
        for standing in look.standings:
            cases = [one for one in screened if one.key == standing.key and one.repeats]
            if cases:
                fresh |= await self._fresh(standing.part.head.side, cases)
        return confirm(screened, fresh)

    async def _fresh(self, side: Side, cases: Sequence[Screened]) -> dict[CaseKey, CaseTally]:
        used = await self._next_repeat(side)
        repeats = {one.pair.id: range(used, used + one.repeats) for one in cases}
        await self._ask(side, More(side.target, repeats, "confirm"))
        tallies = (await self._batch(side, "confirm")).tallies
        return {one.case_key: tallies[one.pair.id] for one in cases}

    async def _batch(self, side: Side, batch: Batch) -> Measurement:
        measured = await measure_run(
            self._database, side.run_ids[0], batches=(batch,), commit=self._commit
        )
        return next(one for one in measured if one.side.target == side.target)

    async def _ask(self, side: Side, more: More) -> None:
        await ask_more(
            side.run_ids[0],
            more,
            database=self._database,
            gateway=self._gateway,
            emit=self._emit,
            budget=self._budget,
        )

    async def _next_repeat(self, side: Side) -> int:
        """Return the first repeat that no trial of a target has yet."""
        keys = await trials.finished_keys(self._database, side.run_ids[0])
        return 1 + max((key.repeat for key in keys if key.target == side.target), default=-1)


def _report(
    look: Look, retests: Sequence[Retest], how_to_accept: str, removed: tuple[Side, ...]
) -> Report:
    return report_of(look, retests, About(__version__, datetime.now(UTC), how_to_accept, removed))
