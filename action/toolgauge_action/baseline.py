"""Where the baseline comes from: a committed file, earlier runs, or the base asked again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from toolgauge.compare.pooling import WINDOW
from toolgauge.errors import InvalidFile, ToolgaugeError, UsageError
from toolgauge.formats.baseline_file import read_baseline
from toolgauge_action.artifacts import (
    MOST_BYTES,
    CannotReadArtifact,
    read_member,
    trusted_artifacts,
)
from toolgauge_action.base import BaseFiles
from toolgauge_action.event import Event
from toolgauge_action.gate import BaselineFile
from toolgauge_action.git import CannotReadHistory
from toolgauge_action.github import CannotAskGitHub
from toolgauge_action.inputs import Inputs

RECORD_NAME = "baseline.json"
MOST_COMMITS = 50


class CannotFindBaseline(ToolgaugeError):
    """A baseline may be there, but could not be had: no pass can be said without it."""


class NotABaseline(UsageError):
    """What the workflow names as its baseline is none, or may not be read."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a head is compared with: records, a folder with the base's files, or nothing.

    ``note`` is a sentence for the reader where there is something to know.
    """

    records: tuple[BaselineFile, ...] = ()
    folder: Path | None = None
    commit: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class BaselineFinder:
    """Looks for the baseline of one run. ``scratch`` is a folder of its own."""

    inputs: Inputs
    event: Event
    workflow: str
    scratch: Path

    @contextmanager
    def find(self, base: BaseFiles | None) -> Iterator[Baseline]:
        """Give the baseline; what was laid out for it is gone afterwards.

        ``auto`` takes the committed file where the base has one, else the nearest
        artifacts, else nothing.

        Raises:
            CannotFindBaseline: GitHub or git did not answer.
            NotABaseline: what is named is damaged, or the token may not read it.
        """
        wanted = self.inputs.baseline
        if base is None or wanted == "none":
            yield Baseline()
        elif wanted == "rerun":
            with self._laid_out(base) as folder:
                yield Baseline(folder=folder, commit=base.commit)
        else:
            yield self._recorded(base)

    def _recorded(self, base: BaseFiles) -> Baseline:
        wanted = self.inputs.baseline
        if wanted in {"auto", "file"} and (found := self._from_file(base)):
            return found
        if wanted == "file":
            return Baseline(note="The base has no baseline file yet.")
        try:
            return self._from_artifacts(base)
        except CannotAskGitHub as error:
            return self._without_artifacts(error)

    def _from_file(self, base: BaseFiles) -> Baseline | None:
        data = base.read(self.inputs.baseline_path)
        if data is None:
            return None
        record = self._kept(data, "committed", f"{self.inputs.baseline_path} of the base")
        try:
            read_baseline(record.path)
        except InvalidFile as error:
            raise NotABaseline(str(error)) from error
        return Baseline((record,), commit=base.commit)

    def _from_artifacts(self, base: BaseFiles) -> Baseline:
        line = base.repository.first_parents(base.commit, MOST_COMMITS)
        found = trusted_artifacts(
            self.event,
            base.repository,
            name=self.inputs.artifact_name,
            workflow=self.workflow,
            line=line,
        )
        records = []
        for artifact in islice(found, WINDOW):
            try:
                archive = base.repository.download(artifact, most=MOST_BYTES)
                data = read_member(archive, RECORD_NAME)
                source = f"artifact of run {artifact.run_id}"
                record = self._kept(data, str(artifact.id), source, artifact.head_sha)
                read_baseline(record.path)
            except (CannotReadArtifact, InvalidFile):
                continue  # a run that measured nothing leaves no record
            behind = line.index(artifact.head_sha)
            records.append(
                BaselineFile(record.path, record.source, artifact.head_sha, commits_behind=behind)
            )
        if not records:
            return Baseline(note="No run on the default branch has left a baseline yet.")
        return Baseline(tuple(records), commit=records[0].commit)

    def _without_artifacts(self, error: CannotAskGitHub) -> Baseline:
        if not error.is_refusal:
            raise CannotFindBaseline(f"the baseline could not be looked for: {error}") from error
        note = (
            "Baselines of earlier runs may not be read: give the job `actions: read` "
            "under `permissions`."
        )
        if self.inputs.baseline == "artifact":
            raise NotABaseline(note) from error
        return Baseline(note=note)

    @contextmanager
    def _laid_out(self, base: BaseFiles) -> Iterator[Path]:
        if not base.git.has(base.commit):
            raise NotABaseline(
                f"`baseline: rerun` needs the base commit {base.commit[:7]} in the clone: set "
                "`fetch-depth: 2` (or 0) for actions/checkout"
            )
        try:
            with base.git.worktree(base.commit, self.scratch / "base") as folder:
                yield folder / base.git.prefix()
        except CannotReadHistory as error:
            raise CannotFindBaseline(f"the base cannot be laid out: {error}") from error

    def _kept(self, data: bytes, name: str, source: str, commit: str | None = None) -> BaselineFile:
        path = self.scratch / f"{name}.json"
        path.write_bytes(data)
        return BaselineFile(path, source, commit)
