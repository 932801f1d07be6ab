"""Running suites: what is asked is prepared, stored, asked, and summed up."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO

from toolgauge.engine.budget import Budget
from toolgauge.engine.plan import Emit
from toolgauge.errors import (
    CannotMeasure,
    MissingSetting,
    Problem,
    ToolgaugeError,
    UsageError,
)
from toolgauge.formats.results_file import dump_results, whole_file
from toolgauge.gateway.caching import CacheMode
from toolgauge.gateway.prices import PriceTable
from toolgauge.model import trial_json
from toolgauge.model.run import Run, RunOptions
from toolgauge.model.suite import Suite, resolve
from toolgauge.model.target import Target
from toolgauge.model.trial import Usage
from toolgauge.scoring import Scorer
from toolgauge.service import experiments, wiring
from toolgauge.service.beginnings import new_run
from toolgauge.service.evaluations import Evaluated, RunToAsk, run_job
from toolgauge.service.project import open_project
from toolgauge.service.server_tools import with_server_tools
from toolgauge.service.suites import find_suites, load_suites
from toolgauge.service.targets import LEXICAL, resolve_targets, why_not
from toolgauge.settings import Settings
from toolgauge.store import runs, trials
from toolgauge.store.contents import Content
from toolgauge.store.database import Database
from toolgauge.store.runs import StoredRun
from toolgauge.store.suites import suite_content

# failures that the person who starts the run can mend, as opposed to a server's
_MENDABLE = frozenset({"setup", "auth", "not_found", "tools_unsupported", "unsupported_param"})


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a door asks to be run. Empty ``suites`` or ``targets``: the project's, the suite's.

    ``experiment`` is an id or a name; an experiment of that name is made where there is none.
    ``programs_in`` is where MCP servers start in place of the project file's folder.
    """

    suites: tuple[str, ...]
    targets: tuple[str, ...]
    options: RunOptions
    api_base: str | None = None
    config: Path | None = None
    experiment: str | None = None
    max_cost_usd: float | None = None
    cache: CacheMode = "off"
    programs_in: Path | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """One suite that is ready to be asked, and what was odd in its file.

    ``content`` holds the tools that are asked with, those of MCP servers too.
    """

    file: str
    content: Content
    suite: Suite
    targets: tuple[Target, ...]
    options: RunOptions
    warnings: tuple[Problem, ...] = ()


async def prepare(request: RunRequest, settings: Settings) -> tuple[Prepared, ...]:
    """Return everything that is to be run; what is wrong shows here, before anything is paid.

    Raises:
        UsageError: a suite, a target, the project file or a setting is wrong or missing.
        CannotMeasure: an MCP server whose tools a suite asks for is dead.
    """
    project = open_project(request.config)
    if request.programs_in is not None:
        project = replace(project, folder=request.programs_in)
    places = request.suites or project.suites
    if not places:
        raise UsageError(
            "no suite is named: toolgauge run SUITE... (a file, a folder or a glob), "
            "or suites: [...] in .toolgauge.yml"
        )
    fallback = project.embedding_model or settings.embedding_model
    prepared = []
    suites = load_suites(find_suites(places))
    for loaded in await with_server_tools(suites, project, settings):
        suite = resolve(loaded.document, tool_choice=request.options.tool_choice)
        targets = resolve_targets(
            request.targets or suite.targets or _no_targets(loaded.file),
            named=project.targets,
            settings=settings,
            api_base=request.api_base,
        )
        model = request.options.embedding_model or suite.embedding_model or fallback
        check_embeddings(suite, model)
        check_prices(targets, request.max_cost_usd)
        options = replace(request.options, embedding_model=model)
        prepared.append(
            Prepared(
                loaded.file,
                suite_content(loaded.document),
                suite,
                targets,
                options,
                loaded.warnings,
            )
        )
    return tuple(prepared)


async def start_runs(
    database: Database, prepared: Sequence[Prepared], *, experiment: str | None = None
) -> tuple[RunToAsk, ...]:
    """Return new stored runs, one per suite, with nothing asked yet.

    Raises:
        UsageError: the experiment is of another suite.
    """
    started = []
    for one in prepared:
        run = new_run(one.suite, one.targets, one.options)
        found = (
            await experiments.find_or_create(database, experiment, one.suite.name)
            if experiment
            else None
        )
        stored = StoredRun(run, experiment_id=found.id if found else None)
        stored = await runs.create(database, stored, suite=one.content)
        started.append(RunToAsk(stored, one.suite))
    return tuple(started)


@dataclass(frozen=True, slots=True)
class Asking:
    """How stored runs are asked: what it may cost, what the cache does, scorers of one's own."""

    max_cost_usd: float | None = None
    cache: CacheMode = "off"
    api_base: str | None = None
    scorers: Mapping[str, Scorer] = field(default_factory=dict)
    import_roots: tuple[Path, ...] = ()


async def ask_runs(
    database: Database,
    asked: Sequence[RunToAsk],
    settings: Settings,
    *,
    emit: Emit,
    asking: Asking,
) -> tuple[Evaluated, ...]:
    """Return stored runs, asked to their end one after another over the same connections."""
    targets = {target.model: target for one in asked for target in one.stored.run.targets}
    budget = await budget_of(database, [one.id for one in asked], asking.max_cost_usd)
    async with wiring.open_gateways(
        settings,
        targets.values(),
        api_base=asking.api_base,
        import_roots=asking.import_roots,
    ) as inner:
        gateway = wiring.behind_store(inner, database, asking.cache)
        return tuple(
            [
                await run_job(
                    one,
                    database=database,
                    gateway=gateway,
                    emit=emit,
                    budget=budget,
                    scorers=asking.scorers,
                )
                for one in asked
            ]
        )


async def budget_of(
    database: Database, run_ids: Sequence[str], max_cost_usd: float | None
) -> Budget | None:
    """Return one budget for all these runs, with what they have cost already; None for none."""
    if max_cost_usd is None:
        return None
    spent_usd = 0.0
    for run_id in run_ids:
        async for stored in trials.stream(database, run_id):
            spent_usd += stored.trial.usage.cost_usd or 0.0
    return Budget(max_cost_usd, spent_usd=spent_usd)


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


def check_keys(prepared: Iterable[Prepared], settings: Settings) -> None:
    """Make sure that no target lacks its key, as far as that can be known without asking.

    Raises:
        MissingSetting: one does; the message names the environment variable to set.
    """
    for one in prepared:
        for target in one.targets:
            if lacking := why_not(target, settings):
                raise MissingSetting(lacking)


def check_prices(targets: Iterable[Target], max_cost_usd: float | None) -> None:
    """Make sure that a limit on money can be kept.

    Raises:
        MissingSetting: there is a limit, and the price of a target is not known.
    """
    table = PriceTable()
    for target in targets:
        if max_cost_usd is not None and table.cost_usd(target, Usage(1, 1)) is None:
            raise MissingSetting(
                f"the price of {target.name} is not known, so --max-cost cannot be kept. Set its "
                "prices (input_per_million, output_per_million) in .toolgauge.yml"
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


async def write_results(path: Path, database: Database, run_ids: Iterable[str]) -> None:
    """Write stored runs with all their trials to a result file, whole or not at all.

    Raises:
        UsageError: the file cannot be written.
    """
    with whole_file(path) as file:
        await dump(database, run_ids, file)


async def dump(database: Database, run_ids: Iterable[str], file: TextIO) -> None:
    """Write stored runs with all their trials as one JSON document, one trial at a time."""
    found: list[tuple[Run, AsyncIterator[str]]] = [
        ((await runs.get(database, run_id)).run, _lines(database, run_id)) for run_id in run_ids
    ]
    await dump_results(found, file)


async def _lines(database: Database, run_id: str) -> AsyncIterator[str]:
    async for stored in trials.stream(database, run_id, batches=("first", "second")):
        yield json.dumps(trial_json.to_json(stored.trial, with_messages=True), ensure_ascii=False)


def _no_targets(file: str) -> tuple[str, ...]:
    raise UsageError(
        f"{file} names no targets. Name one: -m provider/model, or -m {LEXICAL} without a key"
    )
