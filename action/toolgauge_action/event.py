"""The event that started the run: which commit is judged, and for whom."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolgauge.errors import UsageError
from toolgauge_action.git import is_hash
from toolgauge_action.runner import Runner

ACCEPT_LABEL = "evals:accept"
PULL_REQUEST_EVENTS = frozenset({"pull_request"})
GATED_EVENTS = PULL_REQUEST_EVENTS | {"merge_group"}

_PRIVILEGED = frozenset({"pull_request_target", "workflow_run", "issue_comment", "issues"})
_MOST_BYTES = 30_000_000


class RefusesEvent(UsageError):
    """Under this event, code of a pull request would run where secrets are."""


class CannotReadEvent(UsageError):
    """The file that describes the event is not what GitHub writes."""


@dataclass(frozen=True, slots=True)
class Event:
    """What happened. Names of branches are hostile; hashes and numbers are checked.

    ``head_sha`` is the commit that is judged: a pull request's own head, not its test merge.
    ``before`` is what a push replaced. ``lacks_secrets``: GitHub gives none to this run
    (a fork's pull request, or Dependabot's). ``labelled_by`` is who has just put the label
    that accepts, in this very event. ``source_run`` is the run that a ``workflow_run`` event
    is about.
    """

    name: str
    head_sha: str
    default_branch: str
    repository_id: int
    pull_request: int | None = None
    base_ref: str | None = None
    base_sha: str | None = None
    before: str | None = None
    lacks_secrets: bool = False
    labelled_by: str | None = None
    source_run: SourceRun | None = None

    @property
    def is_gated(self) -> bool:
        """Whether what is checked out is a proposal, whose settings hold only after merge."""
        return self.name in GATED_EVENTS


@dataclass(frozen=True, slots=True)
class SourceRun:
    """The run that a ``workflow_run`` event is about."""

    id: int
    event: str
    head_sha: str
    head_repository_id: int | None


def read_event(runner: Runner) -> Event:
    """Return the event of this run.

    Raises:
        CannotReadEvent: its file is not to be read.
    """
    payload = _payload(runner.event_path)
    try:
        return _event(runner, payload)
    except (KeyError, TypeError, ValueError) as error:
        raise CannotReadEvent(f"the payload of {runner.event_name!r} lacks {error}") from error


def refuse_privileged(event: Event) -> None:
    """Make sure that nothing of a pull request is run with the base repository's secrets.

    Raises:
        RefusesEvent: the event is one of those that carry secrets to a stranger's code.
    """
    if event.name in _PRIVILEGED:
        raise RefusesEvent(
            f"suites are not run on {event.name}: it holds secrets and a write token, which "
            "code of a pull request could take. Run on `pull_request`, and post the report "
            "of a fork from a `workflow_run` workflow with `mode: report`."
        )


def _event(runner: Runner, payload: dict[str, Any]) -> Event:
    repository = payload["repository"]
    common: dict[str, Any] = {
        "name": runner.event_name,
        "default_branch": str(repository.get("default_branch", "")),
        "repository_id": int(repository["id"]),
    }
    match runner.event_name:
        case "pull_request" | "pull_request_target":
            return _pull_request(common, payload, runner)
        case "merge_group":
            group = payload["merge_group"]
            base = _hash(group["base_sha"])
            return Event(**common, head_sha=_hash(group["head_sha"]), base_sha=base)
        case "workflow_run":
            return Event(**common, head_sha=_hash(runner.sha), source_run=_source(payload))
        case "push":
            before = payload.get("before")
            known = before if is_hash(before) else None
            return Event(**common, head_sha=_hash(runner.sha), before=known)
        case _:
            return Event(**common, head_sha=_hash(runner.sha))


def _pull_request(common: dict[str, Any], payload: dict[str, Any], runner: Runner) -> Event:
    pull = payload["pull_request"]
    head, base = pull["head"], pull["base"]
    is_fork = head.get("repo") is None or head["repo"]["id"] != base["repo"]["id"]
    labelled = payload.get("action") == "labeled" and payload["label"]["name"] == ACCEPT_LABEL
    return Event(
        **common,
        head_sha=_hash(head["sha"]),
        pull_request=int(pull["number"]),
        base_ref=str(base["ref"]),
        base_sha=_hash(base["sha"]),
        lacks_secrets=is_fork or runner.actor == "dependabot[bot]",
        labelled_by=str(payload["sender"]["login"]) if labelled else None,
    )


def _source(payload: dict[str, Any]) -> SourceRun:
    run = payload["workflow_run"]
    repository = run.get("head_repository")
    return SourceRun(
        id=int(run["id"]),
        event=str(run["event"]),
        head_sha=_hash(run["head_sha"]),
        head_repository_id=int(repository["id"]) if repository else None,
    )


def _payload(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            payload = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError) as error:
        raise CannotReadEvent(f"the event's file cannot be read: {error}") from error
    if not isinstance(payload, dict):
        raise CannotReadEvent("the event's file holds no object")
    return payload


def _hash(text: Any) -> str:
    if not is_hash(text):
        raise ValueError("a commit's hash")
    return str(text)
