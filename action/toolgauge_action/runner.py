"""The runner's own variables: which run this is, of which repository, and where its files are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toolgauge.errors import UsageError

_NAMES = (
    "GITHUB_EVENT_NAME",
    "GITHUB_EVENT_PATH",
    "GITHUB_REPOSITORY",
    "GITHUB_RUN_ID",
    "GITHUB_SHA",
    "GITHUB_WORKSPACE",
    "RUNNER_TEMP",
)


class NotOnARunner(UsageError):
    """This is no GitHub Actions runner: its variables are missing."""


@dataclass(frozen=True, slots=True)
class Runner:
    """One run, as the runner describes it. The file paths are None where it gives none."""

    event_name: str
    event_path: Path
    repository: str
    run_id: int
    sha: str
    workspace: Path
    temp: Path
    workflow_path: str
    actor: str
    api_url: str
    server_url: str
    output_file: Path | None
    summary_file: Path | None

    @property
    def run_url(self) -> str:
        """The page of this run; made of what GitHub says, not of what a pull request says."""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}"


def read_runner(environment: Mapping[str, str]) -> Runner:
    """Return what the ``GITHUB_*`` and ``RUNNER_*`` variables say.

    Raises:
        NotOnARunner: one that is needed is missing.
    """
    missing = [name for name in _NAMES if not environment.get(name)]
    if missing or not environment["GITHUB_RUN_ID"].isdecimal():
        raise NotOnARunner(f"not set: {', '.join(missing)}; this runs inside GitHub Actions only")
    return Runner(
        event_name=environment["GITHUB_EVENT_NAME"],
        event_path=Path(environment["GITHUB_EVENT_PATH"]),
        repository=environment["GITHUB_REPOSITORY"],
        run_id=int(environment["GITHUB_RUN_ID"]),
        sha=environment["GITHUB_SHA"],
        workspace=Path(environment["GITHUB_WORKSPACE"]),
        temp=Path(environment["RUNNER_TEMP"]),
        workflow_path=_workflow_path(environment),
        actor=environment.get("GITHUB_ACTOR", ""),
        api_url=environment.get("GITHUB_API_URL", "https://api.github.com"),
        server_url=environment.get("GITHUB_SERVER_URL", "https://github.com"),
        output_file=_path(environment.get("GITHUB_OUTPUT")),
        summary_file=_path(environment.get("GITHUB_STEP_SUMMARY")),
    )


def _workflow_path(environment: Mapping[str, str]) -> str:
    """Return the path of ``owner/repo/PATH@ref``; empty where it is unknown."""
    whole = environment.get("GITHUB_WORKFLOW_REF", "")
    return whole.removeprefix(f"{environment['GITHUB_REPOSITORY']}/").partition("@")[0]


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None
