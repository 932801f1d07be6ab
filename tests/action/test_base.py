from __future__ import annotations

import os
from pathlib import Path

import pytest

from action.checkout import Origin, git
from action.github_double import REPOSITORY_ID, Fault, GitHubDouble
from toolgauge_action.base import BaseFiles, CannotFindBase, base_commit
from toolgauge_action.event import Event
from toolgauge_action.git import CannotReadHistory, Git
from toolgauge_action.repository import Repository

UNKNOWN = "f" * 40


def of_pull_request(head: str) -> Event:
    return Event("pull_request", head, "main", REPOSITORY_ID, 1, "main", UNKNOWN)


def reader(folder: Path) -> Git:
    return Git(folder, os.environ["PATH"])


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return Origin(tmp_path)


def test_the_base_of_a_test_merge_is_its_first_parent_even_in_a_clone_of_depth_one(
    origin: Origin, tmp_path: Path, repository: Repository
) -> None:
    head = origin.propose("a", {"README.md": "new"})
    base = origin.change("Go on", {"other": "x"})
    origin.check_out_merge(head, tmp_path / "w", depth=1)
    assert base_commit(of_pull_request(head), reader(tmp_path / "w"), repository) == base


def test_where_the_head_itself_is_checked_out_github_knows_the_merge_base(
    origin: Origin, tmp_path: Path, github: GitHubDouble, repository: Repository
) -> None:
    head = origin.propose("a", {"README.md": "new"})
    origin.check_out(head, tmp_path / "w")
    github.state.merge_base = origin.first
    assert base_commit(of_pull_request(head), reader(tmp_path / "w"), repository) == origin.first


def test_without_checkout_or_answer_the_base_is_not_guessed(
    origin: Origin, tmp_path: Path, github: GitHubDouble, repository: Repository
) -> None:
    with pytest.raises(CannotFindBase, match="actions/checkout"):
        base_commit(of_pull_request(UNKNOWN), reader(tmp_path), repository)
    head = origin.propose("a", {"README.md": "new"})
    origin.check_out(head, tmp_path / "w")
    github.faults += [Fault("GET", "/compare/", 404)]
    with pytest.raises(CannotFindBase):
        base_commit(of_pull_request(head), reader(tmp_path / "w"), repository)


@pytest.mark.parametrize(
    ("event", "base"),
    [
        (Event("push", UNKNOWN, "main", 1, before="b" * 40), "b" * 40),
        (Event("push", UNKNOWN, "main", 1), None),
        (Event("merge_group", UNKNOWN, "main", 1, base_sha="c" * 40), "c" * 40),
        (Event("schedule", UNKNOWN, "main", 1), UNKNOWN),
    ],
)
def test_other_events_name_their_base(
    event: Event, base: str | None, tmp_path: Path, repository: Repository
) -> None:
    assert base_commit(event, reader(tmp_path), repository) == base


def test_files_of_the_base_come_from_the_clone_and_else_from_github(
    origin: Origin, tmp_path: Path, github: GitHubDouble, repository: Repository
) -> None:
    origin.change("Deeper", {"sub/ü x.txt": "deep"})
    tip = git(origin.folder, "rev-parse", "HEAD")
    origin.check_out(tip, tmp_path / "w")
    here = BaseFiles(tip, reader(tmp_path / "w" / "sub"), repository)
    assert here.read("ü x.txt") == b"deep"
    assert here.read("none.txt") is None
    assert github.requests == []
    github.state.files[(origin.first, "sub/ü x.txt")] = b"from github"
    elsewhere = BaseFiles(origin.first, reader(tmp_path / "w" / "sub"), repository)
    assert elsewhere.read("ü x.txt") == b"from github"
    assert elsewhere.read("none.txt") is None


def test_a_file_that_is_too_large_is_refused(origin: Origin, tmp_path: Path) -> None:
    tip = origin.change("Grow", {"big": "x" * 5000})
    origin.check_out(tip, tmp_path / "w")
    with pytest.raises(CannotReadHistory, match="larger than 4,999"):
        reader(tmp_path / "w").read(tip, "big", most=4999)


@pytest.mark.parametrize("commit", ["HEAD", "--help", "main", "", "a" * 39])
def test_git_is_handed_hashes_only(origin: Origin, commit: str) -> None:
    with pytest.raises(CannotReadHistory, match="no commit"):
        reader(origin.folder).read(commit, "README.md", most=10)


def test_hooks_of_a_checkout_are_not_run(origin: Origin, tmp_path: Path) -> None:
    hook = origin.folder / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\n")
    hook.chmod(0o755)
    with reader(origin.folder).worktree(origin.first, tmp_path / "tree") as place:
        assert (place / "README.md").is_file()
    assert not place.exists()
    assert not (tmp_path / "pwned").exists()
