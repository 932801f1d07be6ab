"""Targets: a model with its parameters, as a run asks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from toolgauge.model.tools import Document

GatewayChoice = Literal["litellm", "direct"]
DETERMINISTIC_PROVIDERS = frozenset({"builtin", "replay"})
LOCAL_PROVIDERS = DETERMINISTIC_PROVIDERS | {"python"}


class Prices(Document):
    """Prices in US dollars per million tokens."""

    input_per_million: float = Field(ge=0)
    output_per_million: float = Field(ge=0)


@dataclass(frozen=True, slots=True)
class Target:
    """One model as a run asks it.

    ``model`` is ``provider/model``; ``name`` is what reports call it (the same,
    unless a project file gives it another). ``parameters`` are sent with every
    request (temperature, top_p, ...). The key itself is never held: ``api_key_env``
    names the environment variable, None means the provider's usual one.
    ``concurrency`` is the provider's limit of requests in flight, None for the run's.
    """

    name: str
    model: str
    parameters: dict[str, Any] = field(default_factory=dict)
    system_prompt: str | None = None
    api_base: str | None = None
    api_key_env: str | None = None
    gateway: GatewayChoice | None = None
    concurrency: int | None = None
    calls_per_min: int | None = None
    tokens_per_min: int | None = None
    prices: Prices | None = None

    @property
    def provider(self) -> str:
        """The part before the first ``/`` (``python`` for ``python:module:callable``)."""
        return "python" if self.model.startswith("python:") else self.model.split("/", 1)[0]

    @property
    def is_deterministic(self) -> bool:
        """Whether asking twice gives the same answer, so that once is enough."""
        return self.provider in DETERMINISTIC_PROVIDERS
