from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from action.github_double import FORK_ID, REPOSITORY_ID, WORKFLOW, GitHubDouble
from toolgauge_action.artifacts import CannotReadArtifact, read_member, trusted_artifacts
from toolgauge_action.event import Event
from toolgauge_action.repository import Repository

BASE, PARENT, ROOT_COMMIT = "b" * 40, "c" * 40, "d" * 40
EVENT = Event("pull_request", "a" * 40, "main", REPOSITORY_ID)
NAME = "toolgauge-default"


def trusted(repository: Repository) -> list[tuple[str, int]]:
    line = (BASE, PARENT, ROOT_COMMIT)
    found = trusted_artifacts(EVENT, repository, name=NAME, workflow=WORKFLOW, line=line)
    return [(one.head_sha, one.id) for one in found]


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return archive.getvalue()


def test_the_nearest_commit_comes_first_and_of_one_commit_the_newest(
    github: GitHubDouble, repository: Repository
) -> None:
    wanted = [
        github.keep_artifact(NAME, {}, github.add_run(sha))["id"]
        for sha in (ROOT_COMMIT, BASE, PARENT, BASE, "e" * 40)
    ]
    assert trusted(repository) == [
        (BASE, wanted[3]),
        (BASE, wanted[1]),
        (PARENT, wanted[2]),
        (ROOT_COMMIT, wanted[0]),
    ]


@pytest.mark.parametrize("event", ["push", "schedule", "workflow_dispatch"])
def test_runs_of_the_repository_itself_are_trusted(
    github: GitHubDouble, repository: Repository, event: str
) -> None:
    github.keep_artifact(NAME, {}, github.add_run(BASE, event=event))
    assert len(trusted(repository)) == 1


@pytest.mark.parametrize(
    "forged",
    [
        {"head_repository_id": FORK_ID},
        {"event": "pull_request"},
        {"event": "workflow_run"},
        {"path": ".github/workflows/other.yml"},
        {"head_branch": "release"},
        {"head_sha": PARENT},
    ],
)
def test_what_the_run_says_counts_whatever_the_listing_says(
    github: GitHubDouble, repository: Repository, forged: dict[str, Any]
) -> None:
    run = github.add_run(BASE, **forged)
    artifact = github.keep_artifact(NAME, {}, run)
    artifact["workflow_run"] |= {
        "head_repository_id": REPOSITORY_ID,
        "head_branch": "main",
        "head_sha": BASE,
    }
    assert trusted(repository) == []


@pytest.mark.parametrize(
    "listed", [{"expired": True}, {"size_in_bytes": 10**9}, {"workflow_run": None}]
)
def test_what_is_expired_too_large_or_of_no_run_is_left(
    github: GitHubDouble, repository: Repository, listed: dict[str, Any]
) -> None:
    artifact = github.keep_artifact(NAME, {}, github.add_run(BASE))
    artifact |= listed
    assert trusted(repository) == []


def test_one_file_is_read_by_its_whole_name() -> None:
    archive = packed(
        {"../baseline.json": b"no", "sub/baseline.json": b"no", "baseline.json": b"{}"}
    )
    assert read_member(archive, "baseline.json") == b"{}"


@pytest.mark.parametrize(
    "archive",
    [
        b"no zip",
        packed({"other.json": b"{}"}),
        packed({"baseline.json": b"x" * 5000}),
        packed({"baseline.json": b"{}"}, zipfile.ZIP_LZMA),
        packed({"baseline.json": b"some text to be damaged"}, zipfile.ZIP_STORED).replace(
            b"some", b"SOME"
        ),
    ],
    ids=["no archive", "another file", "a bomb", "an unusual method", "damaged"],
)
def test_what_cannot_be_read_within_limits_is_refused(archive: bytes) -> None:
    with pytest.raises(CannotReadArtifact):
        read_member(archive, "baseline.json", most=4096)
