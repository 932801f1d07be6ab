"""The checkout's history, read by git; nothing is written but worktrees of its own.

A checkout may have been made by another user and may hold a pull request's files, so git
is started with an environment of its own, without hooks, and is handed hashes only.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolgauge.errors import ToolgaugeError

_HASH = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_TIMEOUT_S = 120


class CannotReadHistory(ToolgaugeError):
    """Git could not be asked, or does not know a commit."""


def is_hash(text: object) -> bool:
    """Whether a value is a commit's whole hash, and not all zeros."""
    return isinstance(text, str) and bool(_HASH.fullmatch(text)) and set(text) != {"0"}


class Git:
    """The repository that ``folder`` belongs to."""

    def __init__(self, folder: Path, path: str) -> None:
        self._folder = folder
        self._env = {
            "PATH": path,
            "HOME": "/nonexistent",
            "LC_ALL": "C",
            "GIT_TERMINAL_PROMPT": "0",
        }

    def head(self) -> str:
        """Return the commit that is checked out.

        Raises:
            CannotReadHistory: this is no checkout.
        """
        return self._text("rev-parse", "--verify", "HEAD^{commit}")

    def parents(self, commit: str) -> tuple[str, ...]:
        """Return a commit's parents as written in it, even where a shallow clone lacks them.

        Raises:
            CannotReadHistory: the commit itself is not here.
        """
        lines = self._text("cat-file", "commit", _checked(commit)).partition("\n\n")[0].splitlines()
        return tuple(line[7:] for line in lines if line.startswith("parent "))

    def has(self, commit: str) -> bool:
        """Whether a commit is here with its files."""
        return self._run("cat-file", "-e", f"{_checked(commit)}^{{tree}}").returncode == 0

    def prefix(self) -> str:
        """Return where the folder is within the repository: empty, or a path that ends in ``/``.

        Raises:
            CannotReadHistory: this is no checkout.
        """
        return self._text("rev-parse", "--show-prefix")

    def read(self, commit: str, path: str, *, most: int) -> bytes | None:
        """Return a file of a commit, by its path in the repository; None where there is none.

        Raises:
            CannotReadHistory: it is larger than ``most`` bytes.
        """
        name = f"{_checked(commit)}:{path}"
        sized = self._run("cat-file", "-s", name)
        if sized.returncode:
            return None
        if int(sized.stdout) > most:
            raise CannotReadHistory(f"{path} of {commit[:7]} is larger than {most:,} bytes")
        blob = self._run("cat-file", "blob", name)
        return None if blob.returncode else blob.stdout

    @contextmanager
    def worktree(self, commit: str, place: Path) -> Iterator[Path]:
        """Give a folder with the files of a commit; it is gone afterwards.

        Raises:
            CannotReadHistory: the commit cannot be laid out.
        """
        self._text("worktree", "add", "--detach", "--force", str(place), _checked(commit))
        try:
            yield place
        finally:
            self._run("worktree", "remove", "--force", str(place))

    def _text(self, *arguments: str) -> str:
        done = self._run(*arguments)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()[:500]
            raise CannotReadHistory(f"git {arguments[0]} failed: {said}")
        return done.stdout.decode(errors="surrogateescape").removesuffix("\n")

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        settings = ("safe.directory=*", "core.hooksPath=/dev/null", "core.fsmonitor=false")
        options = [part for one in settings for part in ("-c", one)]
        try:
            return subprocess.run(  # noqa: S603 - fixed commands, hashes and our own paths
                ["git", *options, "-C", str(self._folder), *arguments],  # noqa: S607 - the runner's
                env=self._env,
                capture_output=True,
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=_TIMEOUT_S,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CannotReadHistory(f"git could not be asked: {error}") from error


def _checked(commit: str) -> str:
    if not is_hash(commit):
        raise CannotReadHistory(f"no commit: {commit[:80]!r}")
    return commit
