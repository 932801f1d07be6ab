"""Workflows that gate a repository's pull requests on GitHub, written once to be changed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from toolgauge.errors import UsageError
from toolgauge.gateway.providers import key_names
from toolgauge.model.target import Target
from toolgauge.service.targets import LEXICAL

NAMES = ("evals.yml", "evals-report.yml")
FOLDER = Path(".github", "workflows")
_ACTION = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(/[A-Za-z0-9_./-]+)?@[0-9a-f]{40}")
_LINE = re.compile(r"[\w{}*?.,/:@#+ -]+")
_BRANCH = re.compile(r"[\w./-]+")


@dataclass(frozen=True, slots=True)
class Answers:
    """What the workflows depend on.

    ``action`` is ``OWNER/REPOSITORY@COMMIT``. The keyword baseline is always among the
    targets, so that pull requests from forks, which get no keys, are gated too.
    """

    action: str
    models: tuple[str, ...] = ()
    suites: tuple[str, ...] = ("evals/**/*.{yaml,yml,json}",)
    branch: str = "main"


def workflows(answers: Answers) -> dict[str, str]:
    """Return the text of each workflow, by the name of its file.

    Raises:
        UsageError: an answer cannot stand in a workflow.
    """
    _check(answers)
    models = tuple(dict.fromkeys((*answers.models, LEXICAL)))
    values = {
        "action": answers.action,
        "branch": json.dumps(answers.branch),
        "suites": _block(answers.suites),
        "models": _block(models),
        "env": _environment(models),
    }
    folder = files("toolgauge.service").joinpath("workflows")
    return {name: _filled(folder.joinpath(name).read_text("utf-8"), values) for name in NAMES}


def write_workflows(answers: Answers, root: Path, *, force: bool = False) -> tuple[Path, ...]:
    """Write the workflows below ``root`` and return where; none where one is there already.

    Raises:
        UsageError: an answer cannot stand in a workflow, or a file is there and ``force``
            is not given, or cannot be written.
    """
    texts = {root / FOLDER / name: text for name, text in workflows(answers).items()}
    there = [str(path) for path in texts if path.exists()]
    if there and not force:
        raise UsageError(f"{', '.join(there)} is there already; --force writes it anew")
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be written: {error.strerror}") from error
    return tuple(texts)


def needed_secrets(models: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the repository secrets that these models need, the usual ones."""
    names = [key_names(Target(model, model))[:1] for model in models]
    return tuple(dict.fromkeys(name for one in names for name in one))


def repository_root(start: Path) -> Path:
    """Return the nearest folder at or above ``start`` that holds ``.git``; else ``start``."""
    here = start.resolve()
    return next((one for one in (here, *here.parents) if (one / ".git").exists()), here)


def _check(answers: Answers) -> None:
    if not _ACTION.fullmatch(answers.action):
        raise UsageError(
            f"{answers.action!r} does not pin the action: write OWNER/REPOSITORY@COMMIT with "
            "the whole hash of a commit, 40 digits (a tag can be moved)"
        )
    for line in (*answers.models, *answers.suites):
        if not _LINE.fullmatch(line):
            raise UsageError(f"{line!r} cannot stand in a workflow; use plain characters")
    if not _BRANCH.fullmatch(answers.branch):
        raise UsageError(f"{answers.branch!r} is no name of a branch")


def _environment(models: tuple[str, ...]) -> str:
    names = needed_secrets(models)
    lines = [f"          {name}: ${{{{ secrets.{name} }}}}" for name in names]
    return "\n".join(["        env:", *lines]) if names else ""


def _block(lines: tuple[str, ...]) -> str:
    return "\n".join(f"            {line}" for line in lines)


def _filled(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"@@{name}@@", value)
    return text.rstrip("\n") + "\n"
