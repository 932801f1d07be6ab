"""The project file ``.toolgauge.yml``: targets, MCP servers, the gate. Never keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from toolgauge.errors import InvalidFile
from toolgauge.formats.document import read_source
from toolgauge.formats.field_problems import validate
from toolgauge.formats.places import Loc, in_file_order
from toolgauge.formats.project_checks import KEYS_ELSEWHERE, find_contradictions, is_key_name
from toolgauge.model.case import UnitInterval
from toolgauge.model.policy import Policy
from toolgauge.model.target import GatewayChoice, Prices, Target
from toolgauge.model.tools import Document

PROJECT_FILE = ".toolgauge.yml"

_OF_TARGETS = {
    "model": "must be `provider/model`, such as `openai/gpt-5`, or `python:module:callable`",
    "api_base": "must be a URL such as `http://localhost:8000/v1`, without user or password",
    "api_key_env": "must be the name of an environment variable, such as `OPENAI_API_KEY`",
    "stop": "must be text or a list of texts",
}
_Count = Annotated[int, Field(ge=1)]
_Ratio = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Number = Annotated[float, Field(allow_inf_nan=False)]


class TargetParameters(Document):
    """The usual parameters of a request, as providers name them."""

    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    top_p: UnitInterval | None = None
    max_tokens: _Count | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    frequency_penalty: _Number | None = None
    presence_penalty: _Number | None = None
    reasoning_effort: str | None = None
    parallel_tool_calls: bool | None = None


class TargetDocument(TargetParameters):
    """One entry of ``targets``: a model, how to reach it, and what is sent with each request.

    ``parameters`` holds whatever else the provider takes.
    """

    model: str = Field(pattern=r"^(python:.+|[^/]+/.+)$")
    api_base: str | None = Field(default=None, pattern=r"^https?://[^/@]+(/[^@]*)?$")
    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    parameters: dict[str, Any] = Field(default_factory=dict)
    system_prompt: str | None = None
    gateway: GatewayChoice | None = None
    concurrency: _Count | None = None
    calls_per_min: _Count | None = None
    tokens_per_min: _Count | None = None
    prices: Prices | None = None


class McpServerDocument(Document):
    """One entry of ``mcp_servers``: a program to start, or a URL to connect to.

    ``${NAME}`` in a value stands for an environment variable that TOOLGAUGE_MCP_ENV allows.
    """

    command: str | None = Field(default=None, min_length=1)
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    url: str | None = Field(default=None, pattern=r"^(https?://|\$\{)")
    headers: dict[str, str] = Field(default_factory=dict)


class GateDocument(Policy):
    """``gate`` of a project: the policy, and how often each case is asked."""

    repeats: _Count | None = None


class ProjectDocument(Document):
    """The settings of a project, committed beside its suites."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True)

    schema_url: str | None = Field(default=None, alias="$schema")
    targets: dict[str, TargetDocument] = Field(default_factory=dict)
    mcp_servers: dict[str, McpServerDocument] = Field(default_factory=dict)
    gate: GateDocument = Field(default_factory=GateDocument)
    suites: list[str] = Field(default_factory=list)
    embedding_model: str | None = None
    import_roots: list[str] = Field(default_factory=list)


def find_project(start: Path) -> Path | None:
    """Return the nearest ``.toolgauge.yml`` in ``start`` or above it; None where there is none."""
    here = start.resolve()
    candidates = (folder / PROJECT_FILE for folder in (here, *here.parents))
    return next((path for path in candidates if path.is_file()), None)


def load_project(path: Path | str) -> ProjectDocument:
    """Return what a project file says; an empty file says the defaults.

    Globs and roots are as written: relative to the folder of the file.

    Raises:
        InvalidFile: with every problem of the file, in file order.
    """
    source = read_source(Path(path))
    data = {} if source.data is None else source.data
    document, wrong = validate(ProjectDocument, data, _wording)
    problems = [*source.found, *wrong]
    if isinstance(data, dict):
        problems += find_contradictions(data, frozenset(TargetParameters.model_fields))
    if document is None or problems:
        raise InvalidFile(source.file, in_file_order(problems, data, source.locate))
    return document


def target_of(name: str, document: TargetDocument) -> Target:
    """Return the target that an entry of ``targets`` describes, with what it states to send."""
    usual = {
        field: value
        for field in TargetParameters.model_fields
        if (value := getattr(document, field)) is not None
    }
    return Target(
        name=name,
        model=document.model,
        parameters=usual | document.parameters,
        system_prompt=document.system_prompt,
        api_base=document.api_base,
        api_key_env=document.api_key_env,
        gateway=document.gateway,
        concurrency=document.concurrency,
        calls_per_min=document.calls_per_min,
        tokens_per_min=document.tokens_per_min,
        prices=document.prices,
    )


def _wording(loc: Loc, _value: Any) -> str | None:
    """Return the message of fields whose rules pydantic cannot put in words."""
    match loc:
        case ("targets", str(), str(field)):
            return KEYS_ELSEWHERE if is_key_name(field) else _OF_TARGETS.get(field)
        case ("mcp_servers", str(), "url"):
            return "must be a URL that starts with http:// or https://"
    return None
