"""Baseline files: the numbers of past runs that a gate compares with, made to be committed.

``{"schema_version": 1, "suites": [{...header, "cases": [{...}, ...]}]}``: one header per
suite and target, and one case per line, so that a diff shows which cases moved. Entries
are sorted by suite and target, cases by id; numbers are written as they are, without
rounding. Prompts, expectations and answers are not in it: fingerprints say whether a case
is still the same. A suite and target may stand there several times, as the runs of a
window, newest first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BeforeValidator, Field

from toolgauge.compare.pooling import why_unfit
from toolgauge.errors import CannotMeasure, InvalidFile, Problem
from toolgauge.formats.document import MAX_BYTES, cannot_open, decode
from toolgauge.formats.field_problems import validate
from toolgauge.formats.json_text import json_lines, load_json, without_half_characters
from toolgauge.formats.places import Found, as_list, as_object, in_file_order
from toolgauge.formats.results_file import whole_file
from toolgauge.formats.yaml_text import UnreadableText
from toolgauge.model.comparison import CaseTally, Measurement, Side
from toolgauge.model.fingerprint import Fingerprint
from toolgauge.model.run import CaseInfo
from toolgauge.model.tools import Document

SCHEMA_VERSION = 1
_WRITE_IT_AGAIN = "write the baseline again"


def _time(value: Any) -> Any:
    """Return the time that a text states; JSON has none of its own, and nothing else converts."""
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value


Time = Annotated[AwareDatetime, BeforeValidator(_time)]


class CaseDocument(Document):
    """One case of a baseline: ``CaseTally`` without what was asked and answered."""

    id: str = Field(min_length=1)
    request: str
    expectation: str
    passes: int = Field(ge=0)
    runs: int = Field(ge=0)
    errored: int = Field(ge=0)
    score_sum: float = Field(ge=0, allow_inf_nan=False)
    score_sq_sum: float = Field(ge=0, allow_inf_nan=False)
    latency_median_ms: float | None = Field(ge=0, allow_inf_nan=False)
    input_tokens: int | None = Field(ge=0)
    output_tokens: int | None = Field(ge=0)
    cost_usd: float | None = Field(ge=0, allow_inf_nan=False)
    called_tools: dict[str, int]


class SuiteDocument(Document):
    """One suite and target of a baseline: ``Side`` without where it was read from."""

    suite: str
    target: str
    model: str | None
    model_served: str | None
    parameters: dict[str, Any]
    deterministic: bool
    engine_version: str | None
    suite_hash: str | None
    tools_hash: str | None
    commit: str | None
    measured_at: Time | None
    repeats: int | None
    run_ids: list[str]
    errored: int = Field(ge=0)
    cases: list[CaseDocument]


class BaselineDocument(Document):
    """A baseline file; its JSON Schema can be made from this class."""

    schema_version: Literal[1]
    suites: list[SuiteDocument]


def write_baseline(path: Path, runs: Sequence[Measurement]) -> None:
    """Write a baseline file, whole or not at all.

    Raises:
        CannotMeasure: a run is unfit (stopped before its end, or more than 5 % errored),
            or there is none.
        UsageError: the place cannot be written to.
    """
    text = dump_baseline(runs)
    with whole_file(path) as file:
        file.write(text)


def dump_baseline(runs: Sequence[Measurement]) -> str:
    """Return the text of a baseline file; the same runs always give the same text.

    Raises:
        CannotMeasure: a run is unfit, or there is none.
    """
    if not runs:
        raise CannotMeasure("Nothing was measured, so there is no baseline to write.")
    for run in runs:
        if why_not := why_unfit(run):
            what = f"{run.side.suite} on {run.side.target}"
            raise CannotMeasure(f"{what} can be no baseline: {why_not}. Run it again.")
    ordered = sorted(runs, key=lambda run: run.side.key)
    return "".join(_chunks([without_half_characters(_suite_json(run)) for run in ordered]))


def read_baseline(path: Path) -> tuple[Measurement, ...]:
    """Return the runs of a baseline file, each with ``source`` as the file's name.

    Raises:
        InvalidFile: with every problem: the file cannot be read, is no baseline, is of
            a newer version, or its numbers contradict each other.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidFile(str(path), (Problem("", cannot_open(error)),)) from error
    return parse_baseline(raw, str(path))


def parse_baseline(raw: bytes, source: str) -> tuple[Measurement, ...]:
    """Return the runs that the bytes of a baseline file hold; ``source`` is what it is called.

    Raises:
        InvalidFile: as ``read_baseline``.
    """
    if len(raw) > MAX_BYTES:
        raise InvalidFile(source, (Problem("", f"is larger than {MAX_BYTES:,} bytes"),))
    try:
        text = decode(raw)
        data, found = load_json(text)
    except UnreadableText as error:
        raise InvalidFile(source, (error.problem,)) from error
    if problem := _not_readable_here(data):
        raise InvalidFile(source, (Problem("", problem),))
    document, wrong = validate(BaselineDocument, data, lambda _loc, _value: None)
    problems = [*found, *wrong, *_contradictions(data)]
    if document is None or problems:
        lines = json_lines(text)
        raise InvalidFile(source, in_file_order(problems, data, lines.get))
    return tuple(_measurement(suite, source) for suite in document.suites)


def _chunks(suites: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the text: a header field per line, then a case per line."""
    yield f'{{\n"schema_version": {SCHEMA_VERSION},\n"suites": ['
    for number, suite in enumerate(suites):
        cases = suite.pop("cases")
        yield ",\n{\n" if number else "\n{\n"
        for name, value in suite.items():
            yield f"{_json(name)}: {_json(value)},\n"
        yield '"cases": [\n'
        yield ",\n".join(map(_json, cases))
        yield "\n]\n}"
    yield "\n]\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _suite_json(run: Measurement) -> dict[str, Any]:
    side = run.side
    return {
        "suite": side.suite,
        "target": side.target,
        "model": side.model,
        "model_served": side.model_served,
        "parameters": json.loads(json.dumps(side.parameters, sort_keys=True)),
        "deterministic": side.deterministic,
        "engine_version": side.engine_version,
        "suite_hash": side.suite_hash,
        "tools_hash": side.tools_hash,
        "commit": side.commit,
        "measured_at": side.measured_at.isoformat() if side.measured_at else None,
        "repeats": side.repeats,
        "run_ids": list(side.run_ids),
        "errored": run.n_errored,
        "cases": [_case_json(run.tallies[case_id]) for case_id in sorted(run.tallies)],
    }


def _case_json(tally: CaseTally) -> dict[str, Any]:
    return {
        "id": tally.case.id,
        "request": tally.case.fingerprint.request,
        "expectation": tally.case.fingerprint.expectation,
        "passes": tally.passes,
        "runs": tally.runs,
        "errored": tally.errored,
        "score_sum": tally.score_sum,
        "score_sq_sum": tally.score_sq_sum,
        "latency_median_ms": tally.latency_median_ms,
        "input_tokens": tally.input_tokens,
        "output_tokens": tally.output_tokens,
        "cost_usd": tally.cost_usd,
        "called_tools": dict(sorted(tally.called_tools.items())),
    }


def _not_readable_here(data: Any) -> str | None:
    version = as_object(data).get("schema_version")
    if not isinstance(version, int) or "suites" not in data:
        return f"is no baseline file; {_WRITE_IT_AGAIN}"
    if version > SCHEMA_VERSION:
        return f"is of version {version}, newer than this toolgauge reads: upgrade it"
    return None


def _contradictions(data: Any) -> Iterator[Found]:
    for number, suite in enumerate(as_list(as_object(data).get("suites"))):
        seen: set[str] = set()
        for position, case in enumerate(as_list(as_object(suite).get("cases"))):
            at = ("suites", number, "cases", position)
            passes, runs, case_id = (as_object(case).get(k) for k in ("passes", "runs", "id"))
            if isinstance(passes, int) and isinstance(runs, int) and passes > runs:
                yield Found((*at, "passes"), f"is {passes} of {runs} runs; {_WRITE_IT_AGAIN}")
            if isinstance(case_id, str) and case_id in seen:
                yield Found((*at, "id"), f"stands here twice; {_WRITE_IT_AGAIN}")
            seen.add(str(case_id))


def _measurement(suite: SuiteDocument, source: str) -> Measurement:
    side = Side(
        suite=suite.suite,
        target=suite.target,
        source=source,
        model=suite.model,
        model_served=suite.model_served,
        parameters=suite.parameters,
        deterministic=suite.deterministic,
        engine_version=suite.engine_version,
        suite_hash=suite.suite_hash,
        tools_hash=suite.tools_hash,
        commit=suite.commit,
        measured_at=suite.measured_at,
        repeats=suite.repeats,
        run_ids=tuple(suite.run_ids),
    )
    return Measurement(side, {case.id: _tally(case) for case in suite.cases})


def _tally(case: CaseDocument) -> CaseTally:
    fields = case.model_dump(exclude={"id", "request", "expectation"})
    return CaseTally(CaseInfo(case.id, Fingerprint(case.request, case.expectation)), **fields)
