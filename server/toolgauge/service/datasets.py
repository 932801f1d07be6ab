"""Importing datasets of other systems as suites, and exporting suites to them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolgauge.errors import InvalidFile, Problem, UsageError
from toolgauge.formats.case_records import dataset_of, records_of, with_ids
from toolgauge.formats.datasets import KINDS, SUITE, DatasetKind
from toolgauge.formats.document import MAX_BYTES, read_source
from toolgauge.formats.layout import Dataset
from toolgauge.formats.places import did_you_mean
from toolgauge.formats.results_file import whole_file
from toolgauge.formats.suite_file import load_suite
from toolgauge.formats.suite_text import suite_text
from toolgauge.formats.transcripts import line_of, read_transcript
from toolgauge.service.suites import SUITE_SUFFIXES

IMPORTED = (SUITE, *KINDS)
EXPORTED = (SUITE, *(name for name, kind in KINDS.items() if kind.files_of))


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import wrote: the suite, and the transcript where the dataset held outputs."""

    suite_file: Path
    cases: int
    transcript_file: Path | None
    trials: int
    warnings: tuple[Problem, ...]


def import_dataset(kind: str, place: str, out: Path | None = None) -> Imported:
    """Write the suite that a dataset makes, and its recorded outputs as a transcript.

    ``place`` is a file (for ``bfcl`` also a category of the installed leaderboard),
    ``out`` a suite file to write, or a folder; the working directory otherwise. The
    transcript goes beside the suite. Both are written, or nothing is.

    Raises:
        InvalidFile: with every bad record.
        UsageError: there is no such kind, or the files cannot be written.
    """
    name, dataset = _read(kind, place)
    suite_file = _suite_file(out, name)
    text = suite_text(dataset.suite, suite_file.suffix)
    if len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        raise UsageError(f"{place}: makes a suite of more than {MAX_BYTES:,} bytes; split it")
    transcript_file = suite_file.with_name(f"{suite_file.stem}.transcript.jsonl")
    files = {suite_file: text}
    if dataset.trials:
        files[transcript_file] = "".join(
            json.dumps(trial, ensure_ascii=False) + "\n" for trial in dataset.trials
        )
    _write(files)
    return Imported(
        suite_file,
        len(dataset.suite["test_cases"]),
        transcript_file if dataset.trials else None,
        len(dataset.trials),
        dataset.warnings,
    )


def export_dataset(
    kind: str, suite_file: Path, *, transcript_file: Path | None = None, suffix: str = ".json"
) -> dict[str, str]:
    """Return the files of a dataset, by name, that say what a suite says.

    ``suffix`` is for the kind ``suite``, which may be YAML. Importing the files again
    gives the same suite, with the ids of its cases written out.

    Raises:
        InvalidFile: the suite or the transcript is broken, or the dataset cannot express
            it; every such case is named.
        UsageError: there is no such kind, or it has no place for recorded outputs.
    """
    found = _kind(kind, EXPORTED)
    source = read_source(suite_file)
    suite = with_ids(source.data, load_suite(suite_file))
    if transcript_file and not (found and found.holds_outputs):
        raise UsageError(f"{kind} has no place for recorded outputs; leave --transcripts out")
    name = _file_name(suite["name"])
    if found is None or found.files_of is None:
        return {f"{name}{suffix}": suite_text(suite, suffix)}
    trials = _trials(transcript_file, suite) if transcript_file else ()
    records = records_of(
        Dataset(suite, trials), found.layout, file=str(suite_file), locate=source.locate
    )
    return found.files_of(records, name)


def write_export(files: Mapping[str, str], out: Path) -> tuple[Path, ...]:
    """Write the files of an export into a folder, or the only one to a file, and name them.

    Raises:
        UsageError: there are several, and ``out`` is a file; or they cannot be written.
    """
    if out.is_dir() or not out.suffix:
        written = {out / name: text for name, text in files.items()}
    elif len(files) == 1:
        written = dict.fromkeys([out], next(iter(files.values())))
    else:
        raise UsageError(f"{out}: this export has {len(files)} files; name a folder")
    _write(written)
    return tuple(written)


def _read(kind: str, place: str) -> tuple[str, Dataset]:
    found = _kind(kind, IMPORTED)
    if found is None:
        loaded = load_suite(place)
        return Path(place).stem, Dataset(read_source(Path(place)).data, (), loaded.warnings)
    records = found.read(place)
    name = Path(records.file).stem
    return name, dataset_of(records, found.layout, name)


def _kind(kind: str, known: Sequence[str]) -> DatasetKind | None:
    """Return how a kind is read and written; None for a suite, which is one already."""
    if kind not in known:
        hint = did_you_mean(kind, known, otherwise=f"there are: {', '.join(known)}")
        raise UsageError(f"no kind of dataset {kind!r}; {hint}")
    return KINDS.get(kind)


def _suite_file(out: Path | None, name: str) -> Path:
    folder = out or Path.cwd()
    if folder.suffix in SUITE_SUFFIXES and not folder.is_dir():
        return folder
    if folder.suffix and not folder.is_dir():
        raise UsageError(f"{folder}: a suite is a .json, .yaml or .yml file")
    return folder / f"{name}.suite.json"


def _file_name(suite_name: str) -> str:
    return re.sub(r"\W+", "_", suite_name).strip("_")[:60] or "suite"


def _trials(file: Path, suite: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    known = {case["id"] for case in suite["test_cases"]}
    problems: list[Problem] = []
    trials: dict[str, dict[str, Any]] = {}
    for line in read_transcript(file):
        if line.case_id not in known:
            message = f"the suite has no case {line.case_id!r}"
            problems.append(Problem("case_id", message, line.line))
        elif line.case_id in trials:
            message = f"is a second output of {line.case_id!r}; a record has place for one"
            problems.append(Problem("", message, line.line))
        trials[line.case_id] = json.loads(line_of(line))
    if problems:
        raise InvalidFile(str(file), tuple(problems))
    return tuple(trials.values())


def _write(files: Mapping[Path, str]) -> None:
    """Write all files, each whole; none takes its name before all are written."""
    _make_folders({file.parent for file in files})
    with ExitStack() as written:
        opened = [(written.enter_context(whole_file(file)), text) for file, text in files.items()]
        for stream, text in opened:
            stream.write(text)


def _make_folders(folders: Iterable[Path]) -> None:
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{folder}: is no folder to write to: {error.strerror}") from error
