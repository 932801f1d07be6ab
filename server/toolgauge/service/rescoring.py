"""Scoring a stored run again, by today's expectations and without asking a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from toolgauge.engine.rescoring import rescore
from toolgauge.errors import UsageError
from toolgauge.formats.suite_file import LoadedSuite
from toolgauge.model.run import Run
from toolgauge.model.suite import SuiteDocument, resolve
from toolgauge.scoring import Scorer
from toolgauge.service import wiring
from toolgauge.service.beginnings import new_run
from toolgauge.service.evaluations import Evaluated, Finished
from toolgauge.service.project import open_project
from toolgauge.service.runs import check_embeddings
from toolgauge.service.server_tools import with_server_tools
from toolgauge.settings import Settings
from toolgauge.store import runs, trials
from toolgauge.store.database import Database
from toolgauge.store.runs import StoredRun
from toolgauge.store.trial_writer import TrialWriter


async def rescore_run(
    database: Database,
    run_id: str,
    settings: Settings,
    *,
    document: SuiteDocument | None = None,
    scorers: Mapping[str, Scorer] | None = None,
) -> Evaluated:
    """Return a new run with the transcripts of ``run_id``, scored by ``document``.

    Without a document the run's own suite scores it again. Trials of cases that the
    document lacks are left out; cases that were never asked stay without trials.

    Raises:
        NotStored: there is no such run.
        UsageError: the run was stored without its suite, or shares no case with it.
    """
    source = await runs.get(database, run_id)
    if document is not None:
        stated = LoadedSuite(document, (), f"suite {document.name!r}")
        (loaded,) = await with_server_tools([stated], open_project(None), settings)
        document = loaded.document
    else:
        document = await runs.suite_of(database, run_id)
    if document is None:
        raise UsageError(f"run {run_id!r} was stored without its suite; name one with --suite")
    suite = resolve(document, tool_choice=source.run.options.tool_choice)
    cases = {case.id: case for case in suite.cases}
    if not cases.keys() & {case.id for case in source.run.cases}:
        raise UsageError(f"run {run_id!r} and suite {suite.name!r} have no case in common")
    check_embeddings(suite, source.run.options.embedding_model)
    run = new_run(suite, source.run.targets, source.run.options)
    stored = StoredRun(run, owner=source.owner, source_run_id=run_id)
    await runs.create(database, stored, suite=document)
    finished = Finished()
    async with (
        wiring.open_gateways(settings, ()) as gateway,
        TrialWriter(database, run.id) as writer,
    ):
        embedder = wiring.embedder(gateway, run.options.embedding_model)
        async for old in trials.stream(database, run_id, batches=("first", "second")):
            case = cases.get(old.trial.key.case_id)
            if case is not None:
                trial = await rescore(case, old.trial, embedder, extra=scorers or {})
                await writer.keep(trial)
                finished.add(trial)
    run = _ended(run, finished)
    await runs.finish(database, run)
    return Evaluated(run, failing=finished.failing.found(run))


def _ended(run: Run, finished: Finished) -> Run:
    return replace(
        run,
        status="completed",
        finished_at=datetime.now(UTC),
        summaries=tuple(finished.of(t.name).summary(t.name) for t in run.targets),
    )
