"""``python -I -m toolgauge_action``: one step of a workflow."""

from __future__ import annotations

import ctypes
import logging
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from toolgauge.errors import ToolgaugeError
from toolgauge.report.escape import fenced, log_line
from toolgauge_action.engine import Engine
from toolgauge_action.event import read_event
from toolgauge_action.git import Git
from toolgauge_action.github import connect
from toolgauge_action.inputs import (
    TOKEN_NAME,
    Inputs,
    InvalidInputs,
    engine_environment,
    read_inputs,
    take_environment,
)
from toolgauge_action.outputs import Files
from toolgauge_action.redaction import Redactor, secrets_of
from toolgauge_action.repository import Repository
from toolgauge_action.run import EXIT_USAGE, run
from toolgauge_action.runner import Runner, read_runner
from toolgauge_action.services import Services
from toolgauge_action.workflow import Annotation, Workflow

_PR_SET_DUMPABLE = 4


class LogFormatter(logging.Formatter):
    """Formats what libraries log, without secrets and without commands for the runner."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as harmless lines."""
        lines = self._redactor.text(super().format(record)).splitlines()
        return "\n".join(map(log_line, lines))


def main() -> int:
    """Return the exit code of the step: 0 once a verdict was written, whatever it is.

    The verdict's own exit code is an output, which the action's last step ends with.
    """
    environment = take_environment()
    hide_memory()
    redactor = Redactor(secrets_of(environment))
    _set_up_logging(redactor)
    try:
        runner = read_runner(environment)
        workflow = _workflow(runner)
    except ToolgaugeError as error:
        sys.stderr.write(f"error: {redactor.text(str(error))}\n")
        return EXIT_USAGE
    try:
        inputs = read_inputs(environment)
        redactor = Redactor(secrets_of(environment, inputs.allow_env))
        services = _services(runner, environment, inputs, workflow=workflow, redactor=redactor)
    except ToolgaugeError as error:
        return _refuse(error, workflow, redactor)
    github = connect(runner.api_url, environment.get(TOKEN_NAME, ""))
    run(inputs, Repository(github, runner.repository), services)
    return 0


def hide_memory() -> None:
    """Keep programs of the same user from reading this process's memory and first environment.

    Linux only; elsewhere nothing like it is needed, or to be had.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _services(
    runner: Runner,
    environment: Mapping[str, str],
    inputs: Inputs,
    *,
    workflow: Workflow,
    redactor: Redactor,
) -> Services:
    own = runner.temp / "toolgauge" / inputs.comment_key
    scratch, reports = own / "work", own / "report"
    for folder in (scratch, reports):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    return Services(
        runner=runner,
        event=read_event(runner),
        git=Git(Path.cwd(), environment.get("PATH", "")),
        workflow=workflow,
        gate=Engine(scratch, workflow),
        redactor=redactor,
        scratch=scratch,
        files=Files(reports),
        environment=engine_environment(environment, inputs.allow_env),
    )


def _workflow(runner: Runner) -> Workflow:
    """Return the runner's side, after a look at where we are.

    Raises:
        InvalidInputs: the working directory is outside the workspace.
    """
    here, workspace = Path.cwd().resolve(), runner.workspace.resolve()
    if not here.is_relative_to(workspace):
        raise InvalidInputs("input working-directory must be inside the workspace")
    folder = here.relative_to(workspace).as_posix()
    return Workflow(sys.stdout, runner.output_file, runner.summary_file, folder=folder)


def _refuse(error: ToolgaugeError, workflow: Workflow, redactor: Redactor) -> int:
    message = redactor.text(str(error))
    outputs = {"verdict": "error", "passed": "false", "exit-code": str(EXIT_USAGE)}
    for name, value in outputs.items():
        workflow.output(name, value)
    text = "\n\n".join(["## 💥 Tool calls could not be evaluated", fenced(message.splitlines())])
    workflow.summary(f"{text}\n")
    workflow.annotate([Annotation("error", "toolgauge could not start", message)])
    return 0


def _set_up_logging(redactor: Redactor) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogFormatter(redactor))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


if __name__ == "__main__":
    sys.exit(main())
