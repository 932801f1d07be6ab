"""Scoring recorded outputs against a suite."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from toolgauge.engine.embeddings import Embedder
from toolgauge.engine.limits import Patience, ProviderLimit
from toolgauge.engine.rescoring import rescore
from toolgauge.errors import InvalidFile, Problem
from toolgauge.formats.transcripts import TranscriptLine, read_transcript
from toolgauge.gateway.gateway import Gateway
from toolgauge.model.run import Mean, Run, RunOptions, case_info
from toolgauge.model.suite import Suite
from toolgauge.model.target import Target
from toolgauge.model.trial import Trial, TrialError, TrialKey
from toolgauge.scoring.metrics import Accumulator, aggregate
from toolgauge.service import wiring
from toolgauge.service.project import open_project
from toolgauge.service.runs import check_embeddings
from toolgauge.service.suites import load_suites, resolve_suite
from toolgauge.settings import Settings


@dataclass(frozen=True, slots=True)
class ScoredTranscript:
    """Recorded outputs, scored: the trials in file order, and their means over all targets."""

    run: Run
    trials: tuple[Trial, ...]
    aggregate: dict[str, Mean]
    warnings: tuple[Problem, ...]


async def score_transcripts(
    suite_file: Path, transcript_file: Path, embedding_model: str | None, settings: Settings
) -> ScoredTranscript:
    """Return every line of a transcript, scored against a suite.

    Raises:
        InvalidFile: a file is broken, or a line is about a case that the suite lacks.
        MissingSetting: the suite compares by meaning and no embedding model is named.
    """
    (loaded,) = load_suites([suite_file])
    suite = resolve_suite(loaded)
    fallback = open_project(None).embedding_model or settings.embedding_model
    model = embedding_model or suite.embedding_model or fallback
    check_embeddings(suite, model)
    lines = _read(transcript_file, suite)
    started = datetime.now(UTC)
    async with wiring.open_gateways(settings, ()) as gateway:
        trials = await _score(suite, lines, _embedder(gateway, model) if model else None)
    return ScoredTranscript(
        run=_run(suite, trials, started),
        trials=trials,
        aggregate=aggregate(trials),
        warnings=loaded.warnings,
    )


async def _score(
    suite: Suite, lines: Sequence[TranscriptLine], embedder: Embedder | None
) -> tuple[Trial, ...]:
    cases = {case.id: case for case in suite.cases}
    return tuple([await rescore(cases[line.case_id], _trial(line), embedder) for line in lines])


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


def _trial(line: TranscriptLine) -> Trial:
    return Trial(
        key=TrialKey(line.case_id, line.target, line.repeat),
        scored=None,
        error=TrialError("provider", line.error, "other") if line.error is not None else None,
        latency_ms=line.latency_ms,
        usage=line.usage,
        attempts=0,
        messages=line.messages,
    )


def _embedder(gateway: Gateway, model: str) -> Embedder:
    options = RunOptions()
    patience = Patience(
        ProviderLimit(1),
        attempts=options.attempts,
        attempt_timeout_s=options.attempt_timeout_s,
        clock=time.monotonic,
        rng=random.Random(),  # noqa: S311 - jitter, no secret
    )
    return Embedder(gateway, model, patience)


def _run(suite: Suite, trials: Sequence[Trial], started: datetime) -> Run:
    accumulators: dict[str, Accumulator] = {}
    for trial in trials:
        accumulators.setdefault(trial.key.target, Accumulator()).add(trial)
    return Run(
        id=uuid.uuid4().hex[:12],
        suite_name=suite.name,
        status="completed",
        targets=tuple(Target(name, name) for name in accumulators),
        options=RunOptions(),
        cases=tuple(case_info(case) for case in suite.cases),
        started_at=started,
        finished_at=datetime.now(UTC),
        summaries=tuple(found.summary(target) for target, found in accumulators.items()),
    )
