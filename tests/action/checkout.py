"""Repositories as actions/checkout leaves them: a shallow clone of a test merge."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

PROJECT = Path(__file__).parent / "project"
_WHO = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
}


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", folder, *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **_WHO},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


class Origin:
    """A repository that begins as the sample project, on ``main``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "origin"
        shutil.copytree(PROJECT, self.folder)
        git(self.folder, "init", "--quiet", "--initial-branch=main")
        git(self.folder, "config", "uploadpack.allowAnySHA1InWant", "true")
        self.first = self.commit("Begin")

    def commit(self, message: str, **files: str | None) -> str:
        """Return a new commit; ``files`` by path, None removes one."""
        return self.change(message, files)

    def change(self, message: str, files: dict[str, str | None]) -> str:
        for path, text in files.items():
            place = self.folder / path
            if text is None:
                place.unlink(missing_ok=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--allow-empty", "--message", message)
        return git(self.folder, "rev-parse", "HEAD")

    def propose(self, branch: str, files: dict[str, str | None], *, base: str = "main") -> str:
        """Return the head of a branch that changes these files."""
        exists = branch in git(self.folder, "branch", "--format=%(refname:short)").split()
        git(self.folder, "checkout", "--quiet", *([branch] if exists else ["-b", branch, base]))
        head = self.change(f"Change on {branch}", files)
        git(self.folder, "checkout", "--quiet", "main")
        return head

    def check_out_merge(self, head: str, place: Path, *, depth: int = 2) -> str:
        """Lay out ``refs/pull/N/merge`` as actions/checkout does; return the merge commit."""
        git(self.folder, "checkout", "--quiet", "-B", "test-merge", "main")
        git(self.folder, "merge", "--quiet", "--no-ff", "--no-edit", head)
        merge = git(self.folder, "rev-parse", "HEAD")
        git(self.folder, "checkout", "--quiet", "main")
        self.check_out(merge, place, depth=depth)
        return merge

    def check_out(self, commit: str, place: Path, *, depth: int = 1) -> None:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        git(place, "init", "--quiet")
        git(place, "fetch", "--quiet", "--depth", str(depth), f"file://{self.folder}", commit)
        git(place, "checkout", "--quiet", "--detach", commit)
