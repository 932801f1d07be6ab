"""Measurements: what a gate compares, from stored runs, result files and baseline files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path

from toolgauge import __version__
from toolgauge.compare.pooling import pool_each
from toolgauge.compare.tally import tally_cases
from toolgauge.errors import InvalidFile, NotStored, Problem, UsageError
from toolgauge.formats.baseline_file import read_baseline
from toolgauge.formats.results_file import RunResults, read_results
from toolgauge.model.comparison import CaseTally, Measurement, Side
from toolgauge.model.experiment import baseline as baseline_run
from toolgauge.model.fingerprint import digest
from toolgauge.model.run import Run
from toolgauge.model.suite import SuiteDocument
from toolgauge.model.target import Target
from toolgauge.model.trial import Trial
from toolgauge.service.experiments import find
from toolgauge.store import experiments, runs, trials
from toolgauge.store.database import Database
from toolgauge.store.trials import Batch

_UNFINISHED = frozenset({"running", "cancelled", "truncated"})
_COUNTED: tuple[Batch, ...] = ("first", "second")


async def measure_run(
    database: Database,
    run_id: str,
    *,
    batches: Collection[Batch] = _COUNTED,
    commit: str | None = None,
) -> tuple[Measurement, ...]:
    """Return a measurement per target of a stored run, over the trials of these batches.

    Raises:
        NotStored: there is no such run.
    """
    run = (await runs.get(database, run_id)).run
    document = await runs.suite_of(database, run_id)
    tallies = await _tallies(database, run, batches)
    return tuple(
        Measurement(
            side_of(run, target, source=run.id, document=document, commit=commit),
            tallies.get(target.name) or tally_cases(run.cases, ()),
        )
        for target in run.targets
    )


def measure_results(results: RunResults, *, source: str) -> tuple[Measurement, ...]:
    """Return a measurement per target of one run of a result file."""
    run = results.run
    return tuple(
        Measurement(
            side_of(run, target, source=source),
            tally_cases(run.cases, results.trials_of(target.name)),
        )
        for target in run.targets
    )


def measure_file(path: Path) -> tuple[Measurement, ...]:
    """Return what a file measured: a baseline file or a result file.

    Raises:
        InvalidFile: it is neither.
    """
    kind = _kind_of(path)
    if kind == "suites":
        return tuple(pool_each(read_baseline(path)))
    if kind == "runs":
        return tuple(
            measurement
            for results in read_results(path)
            for measurement in measure_results(results, source=path.name)
        )
    raise InvalidFile(
        str(path),
        (Problem("", "is no result file (run --out) and no baseline file (baseline write)"),),
    )


async def measure_stored(database: Database, id_or_name: str) -> tuple[Measurement, ...]:
    """Return what a run (by id) or an experiment's baseline (by id or name) measured.

    Raises:
        NotStored: there is neither.
        UsageError: the experiment has no completed run yet.
    """
    try:
        return await measure_run(database, id_or_name)
    except NotStored:
        experiment = await find(database, id_or_name)
    linked = await experiments.linked_runs(database, experiment.id)
    found = baseline_run(experiment, linked)
    if found is None:
        raise UsageError(f"experiment {experiment.name!r} has no completed run yet")
    return await measure_run(database, found.id)


def side_of(
    run: Run,
    target: Target,
    *,
    source: str,
    document: SuiteDocument | None = None,
    commit: str | None = None,
) -> Side:
    """Return how one target of a run was asked."""
    repeats = run.options.repeats or (document.defaults.repeats if document else 1)
    temperature = run.options.temperature
    stated = {} if temperature is None else {"temperature": temperature}
    return Side(
        suite=run.suite_name,
        target=target.name,
        source=source,
        model=target.model,
        parameters=stated | target.parameters,
        deterministic=target.is_deterministic,
        truncated=run.status in _UNFINISHED,
        engine_version=__version__,
        suite_hash=digest([[case.id, case.fingerprint.request] for case in run.cases]),
        tools_hash=None
        if document is None
        else digest([tool.model_dump(mode="json") for tool in document.tools]),
        commit=commit,
        measured_at=run.finished_at or run.started_at,
        repeats=1 if target.is_deterministic else repeats,
        run_ids=(run.id,),
    )


async def _tallies(
    database: Database, run: Run, batches: Collection[Batch]
) -> dict[str, dict[str, CaseTally]]:
    """Return tallies by target and case, one case's trials in memory at a time."""
    infos = {case.id: case for case in run.cases}
    empty = tally_cases(run.cases, ())
    found: dict[str, dict[str, CaseTally]] = {}
    async for (target, case_id), group in _grouped(database, run.id, batches):
        if case_id in infos:
            of_target = found.setdefault(target, dict(empty))
            of_target[case_id] = tally_cases([infos[case_id]], group)[case_id]
    return found


async def _grouped(
    database: Database, run_id: str, batches: Collection[Batch]
) -> AsyncIterator[tuple[tuple[str, str], Sequence[Trial]]]:
    key: tuple[str, str] | None = None
    group: list[Trial] = []
    async for stored in trials.stream(database, run_id, batches=batches):
        here = (stored.trial.key.target, stored.trial.key.case_id)
        if key is not None and here != key:
            yield key, group
            group = []
        key = here
        group.append(stored.trial)
    if key is not None:
        yield key, group


def _kind_of(path: Path) -> str | None:
    """Return the key under which a file holds its measurements; None where it holds none.

    Both kinds write their version first, so the beginning of the file tells them apart.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            head = file.read(4096)
    except OSError:
        return None
    places = {key: head.find(f'"{key}":') for key in ("suites", "runs")}
    found = [key for key, place in places.items() if place >= 0]
    return min(found, key=lambda key: places[key]) if '"schema_version"' in head and found else None
