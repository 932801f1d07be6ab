"""The resources of one repository on GitHub, as values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote

from toolgauge_action.git import is_hash
from toolgauge_action.github import CannotAskGitHub, GitHub

BOT = "github-actions[bot]"


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as it is now."""

    number: int
    head_sha: str
    head_repository_id: int | None
    labels: frozenset[str]
    is_open: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of a pull request's conversation; ``body`` is hostile unless it is ours."""

    id: int
    author: str
    is_bot: bool
    body: str
    url: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a run left behind. ``head_repository_id`` is where the run's code came from."""

    id: int
    name: str
    size: int
    expired: bool
    run_id: int
    head_branch: str
    head_sha: str
    repository_id: int
    head_repository_id: int


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """A run of a workflow. ``path`` is the workflow's file."""

    id: int
    event: str
    path: str
    head_branch: str
    head_sha: str
    repository_id: int
    head_repository_id: int | None


class Repository:
    """One repository. Every method raises ``CannotAskGitHub`` where GitHub says no."""

    def __init__(self, github: GitHub, name: str) -> None:
        self._github = github
        self._root = f"/repos/{quote(name)}"

    def pull_request(self, number: int) -> PullRequest:
        """Return a pull request as it is now."""
        return _pull(self._github.get(f"{self._root}/pulls/{number}"))

    def pull_requests_of(self, commit: str) -> tuple[PullRequest, ...]:
        """Return the pull requests that hold a commit."""
        found = self._github.pages(f"{self._root}/commits/{commit}/pulls")
        return tuple(_pull(one) for one in found)

    def comments(self, number: int) -> tuple[Comment, ...]:
        """Return all comments of a pull request, the oldest first."""
        found = self._github.pages(f"{self._root}/issues/{number}/comments")
        return tuple(_comment(one) for one in found)

    def create_comment(self, number: int, body: str) -> Comment:
        """Return a new comment."""
        path = f"{self._root}/issues/{number}/comments"
        return _comment(self._github.write("POST", path, {"body": body}))

    def update_comment(self, comment_id: int, body: str) -> Comment:
        """Return a comment with another text."""
        path = f"{self._root}/issues/comments/{comment_id}"
        return _comment(self._github.write("PATCH", path, {"body": body}))

    def delete_comment(self, comment_id: int) -> None:
        """Remove a comment."""
        self._github.write("DELETE", f"{self._root}/issues/comments/{comment_id}")

    def viewer(self) -> str:
        """Return whose token this is; the runner's own bot where GitHub does not say.

        ``GET /user`` is refused to the runner's token, so the other interface is asked.
        """
        try:
            answer = self._github.query("{viewer{login}}")
            return str(answer["data"]["viewer"]["login"])
        except (CannotAskGitHub, KeyError, TypeError):
            return BOT

    def merge_base(self, base: str, head: str) -> str:
        """Return the commit that two refs have in common."""
        basehead = f"{quote(base, safe='')}...{head}"
        found = self._github.get(f"{self._root}/compare/{basehead}", per_page=1)
        return str(found["merge_base_commit"]["sha"])

    def first_parents(self, commit: str, most: int) -> tuple[str, ...]:
        """Return a commit and its ancestors along first parents, nearest first."""
        parents: dict[str, str | None] = {}
        listed = self._github.pages(f"{self._root}/commits", sha=commit)
        line = [commit]
        for one in islice(listed, most * 6):
            parents[one["sha"]] = one["parents"][0]["sha"] if one["parents"] else None
            while (parent := parents.get(line[-1])) and len(line) < most:
                line.append(parent)
            if len(line) >= most or (line[-1] in parents and parents[line[-1]] is None):
                break
        return tuple(line)

    def file(self, path: str, commit: str, *, most: int) -> bytes | None:
        """Return a file of a commit; None where there is none."""
        try:
            return self._github.raw(
                f"{self._root}/contents/{quote(path)}",
                most=most,
                accept="application/vnd.github.raw+json",
                ref=commit,
            )
        except CannotAskGitHub as error:
            if error.status == 404:
                return None
            raise

    def artifacts(self, name: str) -> Iterator[Artifact]:
        """Yield the artifacts of this name, the newest first."""
        path = f"{self._root}/actions/artifacts"
        return map(_artifact, self._github.pages(path, "artifacts", name=name))

    def artifacts_of(self, run_id: int, name: str) -> tuple[Artifact, ...]:
        """Return the artifacts of this name of one run."""
        path = f"{self._root}/actions/runs/{run_id}/artifacts"
        return tuple(map(_artifact, self._github.pages(path, "artifacts", name=name)))

    def download(self, artifact: Artifact, *, most: int) -> bytes:
        """Return the zip archive of an artifact."""
        return self._github.raw(f"{self._root}/actions/artifacts/{artifact.id}/zip", most=most)

    def run(self, run_id: int) -> WorkflowRun:
        """Return a run of a workflow."""
        return _run(self._github.get(f"{self._root}/actions/runs/{run_id}"))


def _pull(found: dict[str, Any]) -> PullRequest:
    repository = found["head"].get("repo")
    return PullRequest(
        number=int(found["number"]),
        head_sha=str(found["head"]["sha"]),
        head_repository_id=int(repository["id"]) if repository else None,
        labels=frozenset(str(label["name"]) for label in found["labels"]),
        is_open=found["state"] == "open",
    )


def _comment(found: dict[str, Any]) -> Comment:
    user = found.get("user") or {}
    return Comment(
        id=int(found["id"]),
        author=str(user.get("login", "")),
        is_bot=user.get("type") == "Bot",
        body=str(found.get("body") or ""),
        url=str(found["html_url"]),
    )


def _artifact(found: dict[str, Any]) -> Artifact:
    run = found.get("workflow_run") or {}
    return Artifact(
        id=int(found["id"]),
        name=str(found["name"]),
        size=int(found["size_in_bytes"]),
        expired=bool(found["expired"]),
        run_id=int(run.get("id", 0)),
        head_branch=str(run.get("head_branch") or ""),
        head_sha=str(run["head_sha"]) if is_hash(run.get("head_sha")) else "",
        repository_id=int(run.get("repository_id", 0)),
        head_repository_id=int(run.get("head_repository_id") or -1),
    )


def _run(found: dict[str, Any]) -> WorkflowRun:
    head = found.get("head_repository")
    return WorkflowRun(
        id=int(found["id"]),
        event=str(found["event"]),
        path=str(found["path"]).partition("@")[0],
        head_branch=str(found.get("head_branch") or ""),
        head_sha=str(found["head_sha"]),
        repository_id=int(found["repository"]["id"]),
        head_repository_id=int(head["id"]) if head else None,
    )
