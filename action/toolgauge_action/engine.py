"""The gate as the engine runs it: the one place where the action reaches into the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from toolgauge.compare.pooling import pool_each
from toolgauge.errors import CannotMeasure
from toolgauge.formats.baseline_file import dump_baseline, read_baseline
from toolgauge.model.comparison import Measurement, Side
from toolgauge.model.events import Event, ToolEvalInit, ToolEvalSummary
from toolgauge.model.policy import Policy
from toolgauge.model.run import RunOptions
from toolgauge.service import gates, wiring
from toolgauge.service.runs import RunRequest
from toolgauge.settings import Settings
from toolgauge.store.database import Database
from toolgauge_action.gate import BaselineFile, GateOutcome, GateRequest
from toolgauge_action.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Engine:
    """Runs gates, with everything that it keeps in a folder of its own.

    ``workflow`` is told how far it is.
    """

    scratch: Path
    workflow: Workflow

    def __call__(self, request: GateRequest, environment: Mapping[str, str]) -> GateOutcome:
        """Return what the gate found."""
        return anyio.run(self._gate, request, Settings(environment))

    async def _gate(self, request: GateRequest, settings: Settings) -> GateOutcome:
        url = f"sqlite:///{self.scratch / 'runs.db'}"
        async with wiring.open_store(settings, url) as database:
            baselines = _measured(request.baselines)
            if request.base_folder is not None:
                baselines = await self._measure_base(request, settings, database)
            found = await gates.gate(
                gates.GateRequest(
                    run=_run_request(request, request.suites),
                    policy=request.policy,
                    baselines=baselines,
                    commit=request.commit,
                    how_to_accept=request.how_to_accept,
                ),
                settings,
                database,
                emit=self._tell,
            )
        return GateOutcome(found.report, _record(found.heads))

    async def _measure_base(
        self, request: GateRequest, settings: Settings, database: Database
    ) -> tuple[Measurement, ...]:
        """Return what the base's own suites measure now; the cache keeps what head asks alike."""
        found = await gates.gate(
            gates.GateRequest(
                # the base's tools are those that its own servers list
                run=replace(
                    _run_request(request, request.base_suites), programs_in=_base_place(request)
                ),
                policy=Policy(policy="report-only"),
                commit=request.base_commit,
            ),
            settings,
            database,
            emit=self._tell,
        )
        return found.heads

    async def _tell(self, event: Event) -> None:
        if isinstance(event, ToolEvalInit):
            self.workflow.say(f"{event.suite}: {event.total_cases} trials")
        elif isinstance(event, ToolEvalSummary):
            one = event.summary
            asked, errored = one.n_trials, one.n_errored
            self.workflow.say(f"  {one.target}: {one.n_passed} of {asked} passed, {errored} errors")


def _run_request(request: GateRequest, suites: Iterable[Path]) -> RunRequest:
    asks_both = request.base_folder is not None
    limit = request.max_cost_usd
    if limit is not None and asks_both:
        limit /= 2
    return RunRequest(
        suites=tuple(map(str, suites)),
        targets=request.targets,
        options=RunOptions(repeats=request.repeats, concurrency=request.concurrency),
        config=request.config,
        max_cost_usd=limit,
        cache="read-write" if asks_both else "off",
    )


def _base_place(request: GateRequest) -> Path | None:
    """Return the folder of the base's files that is to them what the project file's is to the head.

    None where there is no project file, or it lies elsewhere: then it names no program.
    """
    if request.base_folder is None or request.config is None:
        return None
    here = request.config.parent
    return request.base_folder / here if not here.is_absolute() else None


def _measured(files: Iterable[BaselineFile]) -> tuple[Measurement, ...]:
    """Return the baselines of record files, pooled; each knows where it came from."""
    runs = [
        replace(run, side=_placed(run, file)) for file in files for run in read_baseline(file.path)
    ]
    return tuple(pool_each(runs))


def _placed(run: Measurement, file: BaselineFile) -> Side:
    commit = file.commit or run.side.commit
    return replace(run.side, source=file.source, commit=commit, commits_behind=file.commits_behind)


def _record(heads: tuple[Measurement, ...]) -> str | None:
    try:
        return dump_baseline(heads)
    except CannotMeasure:
        return None
