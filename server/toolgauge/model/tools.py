"""Tools as they are offered, calls as they were made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Message = dict[str, Any]
"""One OpenAI chat message, as it was sent or received."""

CallFormat = Literal["native", "repaired", "failed"]


class Document(BaseModel):
    """Base of everything that is read from outside: validated once, then frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class FunctionSpec(Document):
    """The ``function`` part of an OpenAI tool definition."""

    name: str = Field(min_length=1)
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    strict: bool | None = None


class ToolSpec(Document):
    """One tool, in the shape in which OpenAI-compatible providers take it."""

    type: Literal["function"] = "function"
    function: FunctionSpec

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def description(self) -> str:
        return self.function.description

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        return self.function.parameters

    def as_sent(self) -> dict[str, Any]:
        """Return the definition as it goes over the wire: what was written, no defaults added.

        The same object each time, so that what is made of it can be kept; not to be changed.
        """
        return self._sent

    @cached_property
    def _sent(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True) | {"type": "function"}


class McpTools(Document):
    """All tools of one MCP server that the project file names."""

    mcp: str = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool.

    ``arguments`` is an object wherever the provider's arguments could be read as
    one; otherwise it is what the provider sent, and ``format`` is ``failed``.
    ``result`` is what the tool message that answers this call says (parsed where
    it is JSON); ``has_result`` tells a null result from none.
    """

    name: str
    arguments: Any
    format: CallFormat = "native"
    result: Any = None
    has_result: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return ``{"name", "arguments"}``, the form in which calls are shown."""
        return {"name": self.name, "arguments": self.arguments}


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What one trial produced: every call in order, and the messages they were read from."""

    calls: tuple[ToolCall, ...]
    messages: tuple[Message, ...] = ()

    @property
    def format(self) -> CallFormat | None:
        """The worst format among the calls; None where nothing was called."""
        formats = {call.format for call in self.calls}
        order: tuple[CallFormat, ...] = ("failed", "repaired", "native")
        return next((f for f in order if f in formats), None)
