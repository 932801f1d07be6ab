"""By what the gate decides: the project file that holds, with what the workflow overrides."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolgauge.errors import UsageError
from toolgauge.formats.suite_file import LoadedSuite
from toolgauge.model.policy import Policy
from toolgauge.model.report import Notice
from toolgauge.service.project import Project, open_project
from toolgauge.service.suites import load_suites, server_names
from toolgauge.service.targets import LEXICAL, resolve_targets
from toolgauge.settings import Settings
from toolgauge_action.base import BaseFiles
from toolgauge_action.event import Event
from toolgauge_action.inputs import DEFAULT_SUITES, Inputs
from toolgauge_action.services import Services


class SuitesShareName(UsageError):
    """Two suites have one name, so that no baseline could tell them apart."""


class NoSuchServer(UsageError):
    """Suites ask for tools of an MCP server that no project file in force names."""


@dataclass(frozen=True, slots=True)
class ProjectInForce:
    """The project file that holds; ``path`` is a file even where the repository has none."""

    path: Path
    project: Project


@contextmanager
def project_in_force(
    inputs: Inputs, services: Services, base: BaseFiles | None
) -> Iterator[ProjectInForce]:
    """Give the project file of the base for a proposal, else that of the checkout.

    Where there is none, an empty one stands in for it, so that the engine looks for no
    other. Where the proposal changes it, the base's stands beside the changed one for as
    long, so that its relative paths lead where they should.

    Raises:
        InvalidFile: it has problems.
        CannotFindBase: the base could not be read.
    """
    here = services.folder / inputs.config
    now = here.read_bytes() if here.is_file() else None
    data = base.read(inputs.config) if services.event.is_gated and base is not None else now
    if data is not None and data == now:
        yield ProjectInForce(here, open_project(here))
        return
    beside = here.parent if data is not None and here.parent.is_dir() else services.scratch
    # a name that nobody can have prepared a link at
    path = beside / f".toolgauge-{uuid.uuid4().hex}.yml"
    path.write_bytes(data or b"")
    try:
        yield ProjectInForce(path, open_project(path))
    finally:
        path.unlink(missing_ok=True)


def changes_in_force_after_merge(
    inputs: Inputs, base: BaseFiles, folder: Path
) -> tuple[Notice, ...]:
    """Return what a proposal changes of its own gate, to be told that it holds after merge.

    Raises:
        CannotFindBase: the base could not be read.
    """
    found = []
    if base.differs(inputs.config, folder):
        text = "The project file is changed here: its targets and thresholds hold after merge."
        found.append(Notice("settings-changed", text, details=(inputs.config,)))
    if inputs.baseline in {"auto", "file"} and base.differs(inputs.baseline_path, folder):
        text = "The committed baseline is changed here: it holds after merge."
        found.append(Notice("baseline-changed", text, details=(inputs.baseline_path,)))
    return tuple(found)


def globs_of(inputs: Inputs, project: Project) -> tuple[str, ...]:
    """Return the globs of suites: the input's, and the project's where that is left alone."""
    is_default = inputs.suites == (DEFAULT_SUITES,)
    return project.suites if is_default and project.suites else inputs.suites


def policy_of(inputs: Inputs, project: Project) -> Policy:
    """Return the project's policy, with what the workflow states in its place."""
    stated: dict[str, Any] = {
        "policy": inputs.policy,
        "max_drop": inputs.max_drop,
        "min_score": inputs.min_score,
        "fail_on": inputs.fail_on,
        "on_missing_baseline": inputs.on_missing_baseline,
    }
    of_project = project.gate.model_dump(exclude={"repeats"})
    return Policy(**(of_project | {k: v for k, v in stated.items() if v is not None}))


def load_distinct(files: tuple[Path, ...]) -> tuple[LoadedSuite, ...]:
    """Return the suites of these files.

    Raises:
        InvalidFile: a file has problems.
        SuitesShareName: two have one name.
    """
    loaded = load_suites(files)
    seen: dict[str, str] = {}
    for one in loaded:
        name = one.document.name
        if name in seen:
            raise SuitesShareName(
                f"{seen[name]} and {one.file} are both named {name!r}; give one another name"
            )
        seen[name] = one.file
    return loaded


def check_servers(event: Event, suites: tuple[LoadedSuite, ...], project: Project) -> None:
    """Make sure that a proposal's suites ask for tools of servers that the base names.

    Raises:
        NoSuchServer: they do not; a proposal starts no programs by a project file of its own.
    """
    wanted = {name for one in suites for name in server_names(one.document)}
    missing = sorted(wanted - project.mcp_servers.keys())
    if missing and event.is_gated:
        raise NoSuchServer(
            f"suites ask for tools of the MCP servers {', '.join(map(repr, missing))}, which the "
            "project file of the base does not name. One that is proposed starts no programs and "
            "is sent nothing: merge mcp_servers first, then the suites"
        )


def choose_targets(
    inputs: Inputs, event: Event, suites: tuple[LoadedSuite, ...], project: Project
) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
    """Return the targets that all suites are asked of (none: each suite's own), with notices.

    The workflow's, else the suites' own, else the keyword baseline, which needs no key. A
    run that GitHub gives no secrets keeps the targets that need none.

    Raises:
        UnknownTarget: one of them is not known.
    """
    own = tuple(dict.fromkeys(name for one in suites for name in one.document.targets or ()))
    if not event.lacks_secrets:
        return inputs.model or (() if own else (LEXICAL,)), ()
    wanted = inputs.model or own or (LEXICAL,)
    found = resolve_targets(wanted, named=project.targets, settings=Settings({}))
    keyless = tuple(
        name for name, target in zip(wanted, found, strict=True) if target.is_deterministic
    )
    if keyless == wanted:
        return (inputs.model or (() if own else wanted)), ()
    left_out = tuple(name for name in wanted if name not in keyless)
    text = "This run has no secrets, so targets that need a key were not asked."
    return keyless or (LEXICAL,), (Notice("targets-left-out", text, details=left_out),)
