"""Running suites: one function asks one suite of some targets and returns the run."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import TextIO

import anyio

from toolgauge.engine.plan import Emit, Plan
from toolgauge.engine.runner import Outcome, run_plan
from toolgauge.errors import CannotMeasure, MissingSetting, Problem, ToolgaugeError, UsageError
from toolgauge.formats.results_file import dump_results, whole_file
from toolgauge.gateway.gateway import Gateway
from toolgauge.model import events, trial_json
from toolgauge.model.run import Run, RunOptions, case_info
from toolgauge.model.suite import Suite
from toolgauge.model.target import Target
from toolgauge.model.trial import Trial, TrialError
from toolgauge.service import wiring
from toolgauge.service.project import open_project
from toolgauge.service.suites import find_suites, load_suites, resolve_suite
from toolgauge.service.targets import LEXICAL, resolve_targets
from toolgauge.settings import Settings

# failures that the person who starts the run can mend, as opposed to a server's
_MENDABLE = frozenset({"setup", "auth", "not_found", "tools_unsupported", "unsupported_param"})


class TrialSpool:
    """Finished trials of one run as lines of JSON in a file, not in memory."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    async def keep(self, trial: Trial) -> None:
        """Write one trial; usable as the engine's sink."""
        shown = trial_json.to_json(trial, with_messages=True)
        self._file.write(json.dumps(shown, ensure_ascii=False) + "\n")

    def trials(self) -> Iterator[Trial]:
        """Yield every trial, ordered as they finished; one in memory at a time."""
        return (trial_json.from_json(json.loads(line)) for line in self.lines())

    def lines(self) -> Iterator[str]:
        """Yield every trial as JSON, ordered as they finished."""
        self._file.flush()
        self._file.seek(0)
        yield from self._file


@contextmanager
def open_spool() -> Iterator[TrialSpool]:
    """Give an empty spool; its file is gone afterwards."""
    with TemporaryFile("w+", encoding="utf-8", errors="surrogatepass") as file:
        yield TrialSpool(file)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a door asks to be run. Empty ``suites`` or ``targets``: the project's, the suite's."""

    suites: tuple[str, ...]
    targets: tuple[str, ...]
    options: RunOptions
    api_base: str | None = None
    config: Path | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """One suite that is ready to be asked, and what was odd in its file."""

    file: str
    suite: Suite
    targets: tuple[Target, ...]
    options: RunOptions
    warnings: tuple[Problem, ...]


def prepare(request: RunRequest, settings: Settings) -> tuple[Prepared, ...]:
    """Return everything that is to be run; what is wrong shows here, before anything is paid.

    Raises:
        UsageError: a suite, a target, the project file or a setting is wrong or missing.
    """
    project = open_project(request.config)
    fallback = project.embedding_model or settings.embedding_model
    prepared = []
    for loaded in load_suites(find_suites(request.suites or project.suites)):
        suite = resolve_suite(loaded, request.options.tool_choice)
        targets = resolve_targets(
            request.targets or suite.targets or _no_targets(loaded.file),
            named=project.targets,
            settings=settings,
            api_base=request.api_base,
        )
        model = request.options.embedding_model or suite.embedding_model or fallback
        check_embeddings(suite, model)
        options = replace(request.options, embedding_model=model)
        prepared.append(Prepared(loaded.file, suite, targets, options, loaded.warnings))
    return tuple(prepared)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A finished run, and which of its targets were given up, and why."""

    run: Run
    given_up: dict[str, TrialError]


async def evaluate(
    prepared: Prepared, *, gateway: Gateway, spool: TrialSpool, emit: Emit
) -> Evaluated:
    """Return the run of one prepared suite, its trials kept in ``spool``."""
    suite = prepared.suite
    run = Run(
        id=uuid.uuid4().hex[:12],
        suite_name=suite.name,
        status="running",
        targets=prepared.targets,
        options=prepared.options,
        cases=tuple(case_info(case) for case in suite.cases),
        started_at=datetime.now(UTC),
    )
    await emit(events.JobCreated(run.id))
    await emit(events.JobStarted(run.id))
    try:
        outcome = await run_plan(
            Plan(suite, prepared.targets, prepared.options),
            wiring.parts(gateway, sink=spool.keep, emit=emit),
            job_id=run.id,
        )
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            await emit(events.JobCancelled(run.id))
        raise
    except Exception as error:
        await emit(events.JobFailed(run.id, str(error)))
        raise
    return await _finished(run, outcome, emit)


async def evaluate_all(
    prepared: Sequence[Prepared],
    settings: Settings,
    *,
    spools: Sequence[TrialSpool],
    emit: Emit,
    api_base: str | None = None,
) -> tuple[Evaluated, ...]:
    """Return the run of every prepared suite, one after another over the same connections."""
    targets = {target.name: target for one in prepared for target in one.targets}
    async with wiring.open_gateways(settings, targets.values(), api_base=api_base) as gateway:
        return tuple(
            [
                await evaluate(one, gateway=gateway, spool=spool, emit=emit)
                for one, spool in zip(prepared, spools, strict=True)
            ]
        )


async def _finished(run: Run, outcome: Outcome, emit: Emit) -> Evaluated:
    run = replace(
        run,
        status="failed" if outcome.given_up else "completed",
        finished_at=datetime.now(UTC),
        summaries=outcome.summaries,
    )
    if outcome.given_up:
        await emit(events.JobFailed(run.id, _why(outcome.given_up)))
    else:
        await emit(events.ToolEvalComplete(run.id, run.id))
        await emit(events.JobCompleted(run.id, run.status))
    return Evaluated(run, outcome.given_up)


def check_embeddings(suite: Suite, embedding_model: str | None) -> None:
    """Make sure that a suite which compares by meaning has a model for it.

    Raises:
        MissingSetting: it has not; the message says which setting to set.
    """
    if suite.needs_embeddings and not embedding_model:
        raise MissingSetting(
            f"suite {suite.name!r} uses the mode 'semantic', which needs an embedding model. "
            "Set embedding_model in the suite or in .toolgauge.yml, pass --embedding-model, "
            "or set TOOLGAUGE_EMBEDDING_MODEL (openai/text-embedding-3-small, say)."
        )


def unmeasured(evaluated: Iterable[Evaluated]) -> ToolgaugeError | None:
    """Return why some target has no score at all, as one error; None if all were measured.

    It is a ``UsageError`` where a setting is at fault (a key, a model's name), else a
    ``CannotMeasure`` (the server, the network).
    """
    for one in evaluated:
        for summary in one.run.summaries:
            if summary.n_trials and summary.n_errored == summary.n_trials:
                error = one.given_up.get(summary.target)
                code = error.code if error else max(summary.error_codes, default="other")
                why = error.message if error else f"every trial ended in an error ({code})"
                kind = UsageError if code in _MENDABLE else CannotMeasure
                return kind(f"{summary.target} could not be measured: {why}")
    return None


def write_results(path: Path, runs: Iterable[tuple[Run, TrialSpool]]) -> None:
    """Write runs with all their trials to a result file, whole or not at all.

    Raises:
        UsageError: the file cannot be written.
    """
    with whole_file(path) as file:
        dump(runs, file)


def dump(runs: Iterable[tuple[Run, TrialSpool]], file: TextIO) -> None:
    """Write runs with all their trials as one JSON document."""
    dump_results(((run, spool.lines()) for run, spool in runs), file)


def _no_targets(file: str) -> tuple[str, ...]:
    raise UsageError(
        f"{file} names no targets. Name one: -m provider/model, or -m {LEXICAL} without a key"
    )


def _why(given_up: dict[str, TrialError]) -> str:
    return "; ".join(f"{target}: {error.message}" for target, error in given_up.items())
