"""Scoring recorded outputs against a suite."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from toolgauge.engine.embeddings import Embedder
from toolgauge.engine.rescoring import rescore
from toolgauge.errors import InvalidFile, Problem, UsageError
from toolgauge.formats.results_file import whole_file
from toolgauge.formats.transcripts import TranscriptLine, read_transcript
from toolgauge.gateway.agent import produced_after
from toolgauge.gateway.langchain_messages import openai_messages
from toolgauge.model.case import Case
from toolgauge.model.run import Mean, Run, RunOptions
from toolgauge.model.suite import Suite, resolve
from toolgauge.model.target import Target
from toolgauge.model.trial import Trial, TrialError, TrialKey
from toolgauge.report.tool_call_benchmark import BenchmarkTrial, benchmark_report, report_name
from toolgauge.scoring import Scorer
from toolgauge.scoring.exact_match import expected_list
from toolgauge.scoring.metrics import Accumulator, aggregate
from toolgauge.service import wiring
from toolgauge.service.beginnings import new_run
from toolgauge.service.project import open_project
from toolgauge.service.runs import check_embeddings
from toolgauge.service.scorers import load_scorers
from toolgauge.service.server_tools import with_server_tools
from toolgauge.service.suites import load_suites
from toolgauge.settings import Settings


@dataclass(frozen=True, slots=True)
class ScoredTranscript:
    """Recorded outputs, scored: the trials in file order, and their means over all targets."""

    suite: Suite
    run: Run
    trials: tuple[Trial, ...]
    aggregate: dict[str, Mean]
    warnings: tuple[Problem, ...]


async def score_transcripts(
    suite_file: Path,
    transcript_file: Path,
    settings: Settings,
    *,
    embedding_model: str | None = None,
    scorers: Sequence[str] = (),
) -> ScoredTranscript:
    """Return every line of a transcript, scored against a suite.

    Messages may be LangChain's, and may begin with the prompt, as agents dump them.
    ``scorers`` names scorers of the user's own, as ``load_scorers`` takes them.

    Raises:
        InvalidFile: a file is broken, or a line is about a case that the suite lacks.
        MissingSetting: the suite compares by meaning and no embedding model is named.
    """
    project = open_project(None)
    (loaded,) = await with_server_tools(load_suites([suite_file]), project, settings)
    suite = resolve(loaded.document)
    extra = load_scorers(scorers, project.import_roots)
    fallback = project.embedding_model or settings.embedding_model
    model = embedding_model or suite.embedding_model or fallback
    check_embeddings(suite, model)
    lines = _read(transcript_file, suite)
    started = datetime.now(UTC)
    async with wiring.open_gateways(settings, ()) as gateway:
        trials = await _score(suite, lines, wiring.embedder(gateway, model), extra)
    return ScoredTranscript(
        suite=suite,
        run=_run(suite, trials, started),
        trials=trials,
        aggregate=aggregate(trials),
        warnings=loaded.warnings,
    )


def tool_call_benchmark(done: ScoredTranscript) -> dict[str, Any]:
    """Return the report of the Tool Call Benchmark on scored outputs."""
    cases = {case.id: case for case in done.suite.cases}
    trials = [
        BenchmarkTrial(case, trial, expected_list(case, trial.calls) or [])
        for trial in done.trials
        for case in (cases[trial.key.case_id],)
    ]
    return benchmark_report(done.run, trials, done.aggregate)


def write_benchmark_report(done: ScoredTranscript, folder: Path) -> Path:
    """Write the report of the Tool Call Benchmark into a folder, and return the file.

    Raises:
        UsageError: the folder cannot be made or written to.
    """
    report = tool_call_benchmark(done)
    path = folder / report_name(report)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: is no folder to write to: {error.strerror}") from error
    with whole_file(path) as file:
        json.dump(report, file, ensure_ascii=False, indent=2)
        file.write("\n")
    return path


async def _score(
    suite: Suite,
    lines: Sequence[TranscriptLine],
    embedder: Embedder | None,
    extra: Mapping[str, Scorer],
) -> tuple[Trial, ...]:
    cases = {case.id: case for case in suite.cases}
    return tuple(
        [
            await rescore(case, _trial(case, line), embedder, extra=extra)
            for line in lines
            for case in (cases[line.case_id],)
        ]
    )


def _read(file: Path, suite: Suite) -> list[TranscriptLine]:
    known = {case.id for case in suite.cases}
    lines = list(read_transcript(file))
    problems = [
        Problem("case_id", f"the suite has no case {line.case_id!r}", line.line)
        for line in lines
        if line.case_id not in known
    ]
    if problems:
        raise InvalidFile(str(file), tuple(problems))
    return lines


def _trial(case: Case, line: TranscriptLine) -> Trial:
    return Trial(
        key=TrialKey(line.case_id, line.target, line.repeat),
        scored=None,
        error=TrialError("provider", line.error, "other") if line.error is not None else None,
        latency_ms=line.latency_ms,
        usage=line.usage,
        attempts=0,
        messages=produced_after(case.messages, openai_messages(line.messages)),
    )


def _run(suite: Suite, trials: Sequence[Trial], started: datetime) -> Run:
    accumulators: dict[str, Accumulator] = {}
    for trial in trials:
        accumulators.setdefault(trial.key.target, Accumulator()).add(trial)
    targets = tuple(Target(name, name) for name in accumulators)
    return replace(
        new_run(suite, targets, RunOptions()),
        status="completed",
        started_at=started,
        finished_at=datetime.now(UTC),
        summaries=tuple(found.summary(target) for target, found in accumulators.items()),
    )
