"""What the workflow says: the inputs, read and checked, and the environment, read once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal, TypeVar, get_args

from toolgauge.errors import UsageError
from toolgauge.model.policy import FailOn, PolicyName
from toolgauge.settings import MCP_ENV

BaselineSource = Literal["auto", "file", "artifact", "rerun", "none"]
CommentWhen = Literal["always", "on-change", "on-failure", "never"]
Mode = Literal["all", "run", "report"]

DEFAULT_SUITES = "evals/**/*.{yaml,yml,json}"
DEFAULT_REPEATS = 3
DEFAULT_MAX_DROP = 0.02
TOKEN_NAME = "TOOLGAUGE_GITHUB_TOKEN"  # noqa: S105 - the name of a variable, no token
_KEY_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RUNNERS_OWN = re.compile(r"(ACTIONS|RUNNER|INPUT)_.*|GITHUB_(?!API_KEY$).*|GH_TOKEN|" + TOKEN_NAME)
_HARMLESS = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "NO_COLOR"),
        *("TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT"),
        *("APPDATA", "LOCALAPPDATA", "USERPROFILE"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    }
)

_Number = TypeVar("_Number", int, float)


class InvalidInputs(UsageError):
    """Inputs of the action are wrong; the message names every one."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of ``action.yml``, checked. Empty tuples and None: not given.

    ``policy``, ``max_drop``, ``min_score``, ``fail_on`` and ``repeats`` are None where the
    workflow left them at their defaults, so that the project file's ``gate`` holds.
    """

    suites: tuple[str, ...] = (DEFAULT_SUITES,)
    config: str = ".toolgauge.yml"
    model: tuple[str, ...] = ()
    repeats: int | None = None
    baseline: BaselineSource = "auto"
    baseline_path: str = "evals/baseline.json"
    policy: PolicyName | None = None
    max_drop: float | None = None
    min_score: float | None = None
    fail_on: FailOn | None = None
    on_missing_baseline: Literal["pass", "fail"] = "pass"
    max_cost_usd: float | None = 5.0
    concurrency: int = 8
    comment: CommentWhen = "always"
    comment_key: str = "default"
    mode: Mode = "all"
    allow_env: tuple[str, ...] = ()
    annotations: bool = True
    artifact: bool = True

    @property
    def artifact_name(self) -> str:
        return f"toolgauge-{self.comment_key}"


def take_environment() -> dict[str, str]:
    """Return the environment, and leave this process only what any child may see.

    What stays is harmless by name, or named by the input ``allow-env``; keys and tokens do
    not, so that no program started from here inherits one.
    """
    taken = dict(os.environ)
    allowed = [name for name in _words(taken.get("INPUT_ALLOW_ENV", "")) if _is_allowable(name)]
    for name in taken:
        if name not in _HARMLESS and not name.startswith("LC_") and name not in allowed:
            del os.environ[name]
    return taken


def engine_environment(
    environment: Mapping[str, str], allowed: Iterable[str] = ()
) -> dict[str, str]:
    """Return what the engine may read: the providers' keys, nothing of the runner's own.

    MCP servers of the project file may use the variables that are ``allowed``, no others.
    """
    kept = {k: v for k, v in environment.items() if not _RUNNERS_OWN.fullmatch(k)}
    return kept | {MCP_ENV: ",".join(allowed)}


def read_inputs(environment: Mapping[str, str]) -> Inputs:
    """Return the inputs that ``INPUT_*`` variables hold; empty ones mean the default.

    Raises:
        InvalidInputs: with every input that is wrong.
    """
    given = _Given(environment)
    inputs = Inputs(
        suites=_lines(given.text("suites", DEFAULT_SUITES)),
        config=given.path("config", ".toolgauge.yml"),
        model=_lines(given.text("model", "")),
        repeats=_unless(DEFAULT_REPEATS, given.whole("repeats", 1, 1000)),
        baseline=given.one_of("baseline", get_args(BaselineSource), "auto"),
        baseline_path=given.path("baseline-path", "evals/baseline.json"),
        policy=given.one_of("policy", get_args(PolicyName)),
        max_drop=_unless(DEFAULT_MAX_DROP, given.number("max-drop", 1.0)),
        min_score=given.number("min-score", 1.0),
        fail_on=given.one_of("fail-on", get_args(FailOn)),
        on_missing_baseline=given.one_of("on-missing-baseline", ("pass", "fail"), "pass"),
        max_cost_usd=given.number("max-cost-usd", 1e6, 5.0, none="none"),
        concurrency=given.whole("concurrency", 1, 1000) or 8,
        comment=given.one_of("comment", get_args(CommentWhen), "always"),
        comment_key=given.key("comment-key"),
        mode=given.one_of("mode", get_args(Mode), "all"),
        allow_env=given.names("allow-env"),
        annotations=given.flag("annotations"),
        artifact=given.flag("artifact"),
    )
    if given.problems:
        raise InvalidInputs("\n".join(given.problems))
    return inputs


class _Given:
    """The inputs as text, and what is wrong with those that were read so far."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.problems: list[str] = []

    def text(self, name: str, default: str = "") -> str:
        variable = f"INPUT_{name.upper().replace('-', '_')}"
        return self._environment.get(variable, "").strip() or default

    def _refuse(self, name: str, expected: str) -> None:
        self.problems.append(f"input {name} must be {expected}, not {self.text(name)[:80]!r}")

    def one_of(self, name: str, choices: tuple[str, ...], default: str = "") -> Any:
        """Return one of the choices, the default, or None where there is none."""
        text = self.text(name, default)
        if text and text not in choices:
            self._refuse(name, " or ".join(choices))
        return text or None

    def flag(self, name: str) -> bool:
        return bool(self.one_of(name, ("true", "false"), "true") == "true")

    def number(
        self, name: str, most: float, default: float | None = None, *, none: str = ""
    ) -> float | None:
        text = self.text(name)
        if none and text == none:
            return None
        try:
            number = float(text) if text else default
        except ValueError:
            number = -1.0
        if number is not None and not 0 <= number <= most:
            self._refuse(name, f"a number from 0 to {most:g}")
        return number

    def whole(self, name: str, least: int, most: int) -> int | None:
        text = self.text(name)
        number = int(text) if text.isascii() and text.isdecimal() else None
        if text and (number is None or not least <= number <= most):
            self._refuse(name, f"a whole number from {least} to {most}")
        return number

    def path(self, name: str, default: str) -> str:
        text = self.text(name, default)
        parts = PurePosixPath(text).parts
        if text.startswith(("/", "-", ":")) or ".." in parts or set(text) & set("\\\0\n:"):
            self._refuse(name, "a path inside the working directory, with `/` between its parts")
        return str(PurePosixPath(text))

    def key(self, name: str) -> str:
        text = self.text(name, "default")
        if not _KEY_PATTERN.fullmatch(text):
            self._refuse(name, "up to 60 letters, digits, dots, dashes and underscores")
        return text

    def names(self, name: str) -> tuple[str, ...]:
        words = _words(self.text(name))
        if not all(map(_is_allowable, words)):
            self._refuse(name, "names of environment variables that are not the runner's own")
        return words


def _unless(default: _Number, number: _Number | None) -> _Number | None:
    """Return None for the default: ``action.yml`` states it, and the project may differ."""
    return None if number == default else number


def _lines(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(re.split(r"[\s,]+", text.strip()))) if text.strip() else ()


def _is_allowable(name: str) -> bool:
    return bool(_ENV_NAME.fullmatch(name)) and not _RUNNERS_OWN.fullmatch(name)
