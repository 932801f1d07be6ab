"""The services of one run, with a gate that does as it is told."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from action.github_double import REPOSITORY, WORKFLOW
from report.report_builders import report
from toolgauge.model.report import Report
from toolgauge_action.event import Event
from toolgauge_action.gate import GateOutcome, GateRequest
from toolgauge_action.git import Git
from toolgauge_action.outputs import Files
from toolgauge_action.redaction import Redactor
from toolgauge_action.runner import Runner
from toolgauge_action.services import Services
from toolgauge_action.workflow import Workflow


@dataclass
class FakeGate:
    """Answers with what a function makes of each request; keeps the requests.

    ``configs`` are the project files as they were while it ran.
    """

    answer: Callable[[GateRequest], Report] = lambda _: report()
    requests: list[GateRequest] = field(default_factory=list)
    configs: list[str] = field(default_factory=list)

    def __call__(self, request: GateRequest, environment: Mapping[str, str]) -> GateOutcome:
        assert environment == {"OPENAI_API_KEY": "sk-live-0123456789"}
        self.requests.append(request)
        self.configs.append(request.config.read_text() if request.config else "")
        return GateOutcome(self.answer(request), '{"a": "baseline"}\n')


@dataclass
class World:
    """One run's surroundings; ``log`` is what it printed."""

    services: Services
    gate: FakeGate
    log: io.StringIO

    @property
    def outputs(self) -> str:
        return (self.services.runner.temp / "output").read_text()

    @property
    def summary(self) -> str:
        return (self.services.runner.temp / "summary").read_text()


def world(workspace: Path, temp: Path, event: Event, *secrets: str) -> World:
    for name in ("work", "report"):
        (temp / name).mkdir(parents=True)
    runner = Runner(
        event_name=event.name,
        event_path=temp / "event.json",
        repository=REPOSITORY,
        run_id=77,
        sha=event.head_sha,
        workspace=workspace,
        temp=temp,
        workflow_path=WORKFLOW,
        actor="octocat",
        api_url="",
        server_url="https://github.example",
        output_file=temp / "output",
        summary_file=temp / "summary",
    )
    gate, log = FakeGate(), io.StringIO()
    services = Services(
        runner=runner,
        event=event,
        git=Git(workspace, os.environ["PATH"]),
        workflow=Workflow(log, runner.output_file, runner.summary_file),
        gate=gate,
        redactor=Redactor(secrets),
        scratch=temp / "work",
        files=Files(temp / "report"),
        folder=workspace,
        environment={"OPENAI_API_KEY": "sk-live-0123456789"},
    )
    return World(services, gate, log)
