"""The project that a door works in: its targets, suites and gate, or none."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from toolgauge.formats.project_file import (
    GateDocument,
    McpServerDocument,
    find_project,
    load_project,
    target_of,
)
from toolgauge.model.target import Target


@dataclass(frozen=True, slots=True)
class Project:
    """What a project file says; empty where there is none.

    Programs of ``mcp_servers`` start in ``folder``, which is the file's.
    """

    targets: dict[str, Target] = field(default_factory=dict)
    suites: tuple[str, ...] = ()
    embedding_model: str | None = None
    import_roots: tuple[Path, ...] = ()
    gate: GateDocument = field(default_factory=GateDocument)
    mcp_servers: dict[str, McpServerDocument] = field(default_factory=dict)
    folder: Path | None = None


def open_project(config: Path | None) -> Project:
    """Return the project of ``config``, else the one found upwards from here, else an empty one.

    Raises:
        InvalidFile: the project file is missing where it was named, or has problems.
    """
    path = config or find_project(Path.cwd())
    if path is None:
        return Project()
    document = load_project(path)
    return Project(
        targets={name: target_of(name, one) for name, one in document.targets.items()},
        suites=tuple(document.suites),
        embedding_model=document.embedding_model,
        import_roots=tuple(path.parent / root for root in document.import_roots),
        gate=document.gate,
        mcp_servers=document.mcp_servers,
        folder=path.parent,
    )
