"""Starting runs of saved suites, for servers: prepared, estimated, stored, handed over."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from toolgauge.engine.plan import Plan
from toolgauge.errors import NotStored, UsageError
from toolgauge.formats.suite_file import LoadedSuite
from toolgauge.model.experiment import Experiment
from toolgauge.model.run import Run, RunOptions
from toolgauge.model.suite import Suite, resolve
from toolgauge.model.target import Target
from toolgauge.service import experiments
from toolgauge.service.beginnings import new_run
from toolgauge.service.executors import RunExecutor
from toolgauge.service.owned import owned_experiment
from toolgauge.service.permissions import Permissions
from toolgauge.service.project import open_project
from toolgauge.service.runs import Asking, Prepared, check_embeddings, check_prices
from toolgauge.service.server_tools import with_server_tools
from toolgauge.service.targets import LEXICAL, resolve_targets
from toolgauge.settings import Settings
from toolgauge.store import runs, suites
from toolgauge.store.database import Database
from toolgauge.store.runs import StoredRun


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What is to be run. No ``targets``: the suite's own.

    Of two requests of one owner with the same ``idempotency_key`` only the first starts a run.
    """

    suite: str
    owner: str
    version: int | None = None
    targets: tuple[str, ...] = ()
    options: RunOptions = field(default_factory=RunOptions)
    experiment: str | None = None
    max_cost_usd: float | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Launched:
    """A run that was started, or that the same key had started before."""

    run_id: str
    job_id: str
    is_new: bool


async def prepare_saved(
    database: Database, request: LaunchRequest, settings: Settings, permissions: Permissions
) -> Prepared:
    """Return a saved suite, ready to be asked; what is wrong shows before anything is paid.

    Raises:
        NotStored: there is no such suite.
        UsageError: a target or a setting is wrong, missing or not allowed.
    """
    _, document = await suites.get(
        database, request.suite, version=request.version, owner=request.owner
    )
    project = open_project(None)
    names = request.targets or tuple(document.targets)
    if not names:
        raise UsageError(
            f"suite {request.suite!r} names no targets. Name some, as list_models shows them; "
            f"{LEXICAL} needs no key"
        )
    permissions.check_targets(names, project.targets)
    targets = resolve_targets(names, named=project.targets, settings=settings)
    # the tools as they are now are stored with the run, so that it can be resumed and compared
    saved = LoadedSuite(document, (), f"suite {request.suite!r}")
    (loaded,) = await with_server_tools([saved], project, settings)
    suite = resolve(loaded.document, tool_choice=request.options.tool_choice)
    model = suite.embedding_model or project.embedding_model or settings.embedding_model
    check_embeddings(suite, model)
    check_prices(targets, request.max_cost_usd)
    options = replace(request.options, embedding_model=model)
    content = suites.suite_content(loaded.document)
    return Prepared(request.suite, content, suite, targets, options, warnings=loaded.warnings)


async def launch(
    database: Database, prepared: Prepared, request: LaunchRequest, executor: RunExecutor
) -> Launched:
    """Return at once: the run is stored and handed over, or was before under the same key."""
    run = new_run(prepared.suite, prepared.targets, prepared.options)
    if request.idempotency_key:
        run = replace(run, id=_id_of(request.owner, request.idempotency_key))
        if await _is_stored(database, run.id):
            return Launched(run.id, run.id, is_new=False)
    found = None
    if request.experiment:
        found = await _own_experiment(
            database, request.experiment, prepared.suite.name, request.owner
        )
    stored = StoredRun(run, owner=request.owner, experiment_id=found.id if found else None)
    await runs.create(database, stored, suite=prepared.content)
    return await _hand_over(run.id, request.owner, executor, max_cost_usd=request.max_cost_usd)


async def launch_best(
    database: Database, experiment_id: str, owner: str, executor: RunExecutor
) -> Launched:
    """Start the best configuration of an experiment exactly again, linked to it.

    Raises:
        NotStored: the owner has no such experiment.
        UsageError: no run of it has a score yet.
    """
    experiment = await owned_experiment(database, experiment_id, owner)
    run_id = await experiments.start_best(database, experiment)
    return await _hand_over(run_id, owner, executor)


async def planned_trials(database: Database, run: Run) -> int | None:
    """Return how many trials a run has when it is complete; None where its suite is not stored."""
    document = await runs.suite_of(database, run.id)
    if document is None:
        return None
    return count_trials(resolve(document), run.targets, run.options)


def count_trials(suite: Suite, targets: Sequence[Target], options: RunOptions) -> int:
    """Return how many trials these targets take."""
    plan = Plan(suite, tuple(targets), options)
    return sum(1 for target in plan.targets for _ in plan.trials_of(target))


async def _own_experiment(
    database: Database, id_or_name: str, suite_name: str, owner: str
) -> Experiment:
    """Return the owner's experiment; a new one of this name where there is none."""
    try:
        return await owned_experiment(database, id_or_name, owner)
    except NotStored:
        return await experiments.create(database, id_or_name, suite_name, owner=owner)


async def _hand_over(
    run_id: str, owner: str, executor: RunExecutor, *, max_cost_usd: float | None = None
) -> Launched:
    asking = Asking(max_cost_usd=max_cost_usd, import_roots=open_project(None).import_roots)
    job_id = await executor.submit(run_id, owner=owner, asking=asking)
    return Launched(run_id, job_id, is_new=True)


def _id_of(owner: str, key: str) -> str:
    return hashlib.sha256(f"{owner}\0{key}".encode()).hexdigest()[:12]


async def _is_stored(database: Database, run_id: str) -> bool:
    try:
        await runs.get(database, run_id)
    except NotStored:
        return False
    return True
