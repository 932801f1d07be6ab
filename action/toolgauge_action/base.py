"""The base: the commit that a proposal is judged against, and the files it holds there.

Settings that decide are read from the base, so that no pull request can loosen its own gate.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolgauge.errors import ToolgaugeError
from toolgauge_action.event import PULL_REQUEST_EVENTS, Event
from toolgauge_action.git import CannotReadHistory, Git, is_hash
from toolgauge_action.github import CannotAskGitHub
from toolgauge_action.repository import Repository

MOST_BYTES = 10 * 1024 * 1024


class CannotFindBase(ToolgaugeError):
    """Which commit to compare with could not be found out."""


def base_commit(event: Event, git: Git, repository: Repository) -> str | None:
    """Return the commit to compare with; None where there is none (a new branch).

    A pull request's test merge has the base as its first parent, which is exact: the merge
    holds everything that the base holds. Where the head itself is checked out, it is the
    merge base. A merge group names its base, a push what it replaced; every other event
    compares with the commit that is checked out.

    Raises:
        CannotFindBase: neither the checkout nor GitHub could tell.
    """
    if event.name in PULL_REQUEST_EVENTS:
        return _base_of_pull_request(event, git, repository)
    if event.name == "merge_group":
        return event.base_sha
    return event.before if event.name == "push" else event.head_sha


def _base_of_pull_request(event: Event, git: Git, repository: Repository) -> str:
    try:
        parents = git.parents(git.head())
    except CannotReadHistory as error:
        raise CannotFindBase(f"no checkout here; run actions/checkout first ({error})") from error
    if len(parents) == 2 and parents[1] == event.head_sha:
        return parents[0]
    try:
        found = repository.merge_base(event.base_sha or event.default_branch, event.head_sha)
    except CannotAskGitHub as error:
        raise CannotFindBase(f"the merge base is not known: {error}") from error
    if not is_hash(found):
        raise CannotFindBase("the merge base is not known")
    return found


@dataclass(frozen=True, slots=True)
class BaseFiles:
    """Files of a commit, by paths relative to the working directory."""

    commit: str
    git: Git
    repository: Repository

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes; None where the commit has no such file.

        From the clone where it holds the commit, else from GitHub: clones are shallow.

        Raises:
            CannotFindBase: neither could be asked.
        """
        try:
            whole = self.git.prefix() + path
            if self.git.has(self.commit):
                return self.git.read(self.commit, whole, most=MOST_BYTES)
            return self.repository.file(whole, self.commit, most=MOST_BYTES)
        except (CannotReadHistory, CannotAskGitHub) as error:
            raise CannotFindBase(f"{path} of the base cannot be read: {error}") from error

    def differs(self, path: str, folder: Path) -> bool:
        """Whether ``folder`` holds another file there, or one where this has none.

        Raises:
            CannotFindBase: as ``read``.
        """
        here = folder / path
        try:
            now = here.read_bytes() if here.is_file() else None
        except OSError:
            now = None
        return now != self.read(path)
