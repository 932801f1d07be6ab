"""What earlier runs left behind, and whether it can be believed.

Anybody can open a pull request whose branch is called like the default branch, and its run
leaves artifacts. Those of a baseline are taken only from runs of this repository's own
code, of the same workflow, started by a push, a schedule or by hand, on a commit that the
base grew from. Archives are read in memory, by the name of one file, within limits.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice

from toolgauge.errors import ToolgaugeError
from toolgauge_action.event import Event
from toolgauge_action.repository import Artifact, Repository

TRUSTED_EVENTS = frozenset({"push", "schedule", "workflow_dispatch"})
MOST_BYTES = 50_000_000
_MOST_LISTED = 1000
_READABLE = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class CannotReadArtifact(ToolgaugeError):
    """An artifact is larger than allowed, damaged, or lacks the file that was looked for."""


def trusted_artifacts(
    event: Event, repository: Repository, *, name: str, workflow: str, line: Sequence[str]
) -> Iterator[Artifact]:
    """Yield the artifacts that may be baselines, the nearest commit of ``line`` first.

    Raises:
        CannotAskGitHub: GitHub could not be asked, or does not allow it.
    """
    listed = islice(repository.artifacts(name), _MOST_LISTED)
    by_commit: dict[str, list[Artifact]] = {}
    for one in listed:
        if _looks_right(one, event, name):
            by_commit.setdefault(one.head_sha, []).append(one)
    for commit in line:
        for one in by_commit.get(commit, ()):
            if _is_trusted(one, event, repository, workflow):
                yield one


def read_member(archive: bytes, name: str, *, most: int = MOST_BYTES) -> bytes:
    """Return one file of a zip archive, by its whole name.

    Raises:
        CannotReadArtifact: it is not there, larger than ``most`` when unpacked, or damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            is_readable = packed.getinfo(name).compress_type in _READABLE
            with packed.open(name) as member:
                data = member.read(most + 1) if is_readable else b""
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise CannotReadArtifact(f"the artifact holds no readable {name}") from error
    if not is_readable:
        raise CannotReadArtifact(f"{name} of the artifact is packed in an unusual way")
    if len(data) > most:
        raise CannotReadArtifact(f"{name} of the artifact is larger than {most:,} bytes")
    return data


def _looks_right(one: Artifact, event: Event, name: str) -> bool:
    return (
        one.name == name
        and not one.expired
        and one.size <= MOST_BYTES
        and one.repository_id == one.head_repository_id == event.repository_id
        and one.head_branch == event.default_branch
    )


def _is_trusted(one: Artifact, event: Event, repository: Repository, workflow: str) -> bool:
    """Ask the run itself: the artifact's own words about it are not enough."""
    run = repository.run(one.run_id)
    return (
        run.event in TRUSTED_EVENTS
        and run.repository_id == run.head_repository_id == event.repository_id
        and run.head_branch == event.default_branch
        and run.head_sha == one.head_sha
        and run.path == workflow
    )
