"""The library desk's repository, its GitHub and its runner, as one world for a scenario."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from action import events
from action.checkout import PROJECT, Origin
from action.github_double import GitHubDouble
from action.runner_simulator import Job, Runner

SUITE = "evals/library.yaml"
GOOD = "Extend the due date of something borrowed, so that it may be kept longer."
PLACE = "work space + Ünïcode ☃"
MARKER = "<!-- toolgauge:v1:default -->"


def suite(**replaced: str) -> str:
    """Return the project's suite; the one argument replaces the description of renewing."""
    text = (PROJECT / SUITE).read_text()
    return text.replace(GOOD, replaced.get("renew", GOOD))


WORSE = {SUITE: suite(renew="Renews.")}
FIXED = {SUITE: suite(renew="Extend the due date, to keep longer what is borrowed.")}


@dataclass
class Desk:
    """``inputs`` hold for every run; ``folder`` is where checkouts are laid."""

    origin: Origin
    github: GitHubDouble
    runner: Runner
    folder: Path
    inputs: dict[str, str] = field(default_factory=dict)

    def pushed(self, sha: str | None = None, *, before: str = "0" * 40, **inputs: str) -> Job:
        """Run on a push to main, and keep its artifacts as GitHub does."""
        sha = sha or self.origin.first
        self.github.state.parents.setdefault(sha, None if before == "0" * 40 else before)
        place = self.folder / "push"
        self.origin.check_out(sha, place)
        job = self.run(place, "push", events.push(before, sha), sha=sha, **inputs)
        run = self.github.add_run(sha)
        for name, files in job.artifacts.items():
            self.github.keep_artifact(name, files, run)
        return job

    def proposed(
        self,
        files: dict[str, str | None] | None = None,
        *,
        head: str | None = None,
        branch: str = "tidy-up",
        labels: tuple[str, ...] = (),
        event: dict[str, Any] | None = None,
        **inputs: str,
    ) -> Job:
        """Run on pull request 1, after a push of these files to its branch."""
        head = head or self.origin.propose(branch, files or {})
        is_fork = bool((event or {}).get("fork"))
        payload = events.pull_request(head, **({"branch": branch} | (event or {})))
        self.github.open_pull(1, head, labels=labels, fork=is_fork)
        place = self.folder / PLACE
        merge = self.origin.check_out_merge(head, place)
        return self.run(place, "pull_request", payload, sha=merge, **inputs)

    def run(self, place: Path, name: str, event: dict[str, Any], *, sha: str, **inputs: str) -> Job:
        """Run on any event, in a checkout that is there."""
        return self.runner.run(place, name, event, sha=sha, **(self.inputs | inputs))
