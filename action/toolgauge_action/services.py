"""What a run of the action works with, made once by ``main`` and handed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toolgauge_action.event import Event
from toolgauge_action.gate import GateService
from toolgauge_action.git import Git
from toolgauge_action.outputs import Files
from toolgauge_action.redaction import Redactor
from toolgauge_action.runner import Runner
from toolgauge_action.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Services:
    """The world around one run.

    ``environment`` is what the engine may read of the environment. ``scratch`` is an
    empty folder, ``files`` where reports go, ``folder`` the working directory.
    """

    runner: Runner
    event: Event
    git: Git
    workflow: Workflow
    gate: GateService
    redactor: Redactor
    scratch: Path
    files: Files
    folder: Path = Path()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
