"""What MCP servers list, mended before the SDK reads it: one sloppy tool costs itself alone."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from toolgauge.model.tools import FunctionSpec, ToolSpec
from toolgauge.report.escape import one_line
from toolgauge.scoring.plain_schema import compile_schema

MAX_TOOLS = 1000
MOST_WARNINGS = 100
_MOST_OF_A_WARNING = 300
_MOST_OF_A_TOOL = 200_000
_MOST_OF_ALL_TOOLS = 10_000_000
_DEEPEST = 64
# objects and lists in schemas beyond the everyday ones: the library takes 0.2 to 0.5 ms for each
_MOST_TO_CHECK = 15_000
_ANY_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
# what providers take for the name of a function
_USUAL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(slots=True)
class Mender:
    """Takes in listed tools, and gives back what the SDK accepts of them.

    ``has_nonsense``: something came that is not the protocol, such as a log line on stdout.
    """

    tools: dict[str, ToolSpec] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    has_nonsense: bool = False
    _size: int = 0
    _weight: int = 0

    @property
    def is_full(self) -> bool:
        """Whether no more tools are taken in."""
        return len(self.tools) >= MAX_TOOLS or self._size > _MOST_OF_ALL_TOOLS

    def warn(self, text: str) -> None:
        """Keep a warning, unless there are plenty."""
        if len(self.warnings) < MOST_WARNINGS:
            self.warnings.append(one_line(text, _MOST_OF_A_WARNING))

    def mended(self, listed: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the tools of one page, as the protocol wants them."""
        kept = []
        for entry in listed:
            if self.is_full:
                self.warn(f"more than {MAX_TOOLS:,} tools or too much text; the rest was left out")
                break
            tool = self._tool(entry)
            if tool is not None:
                self.tools[tool.name] = tool
                kept.append({"name": tool.name, "inputSchema": tool.parameters})
        return kept

    def _tool(self, entry: Any) -> ToolSpec | None:
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name:
            self.warn("a tool without a name was left out")
            return None
        if name in self.tools:
            self.warn(f"tool {name!r} is listed twice; the first was kept")
            return None
        size = _size(entry)
        self._size += size
        if size > _MOST_OF_A_TOOL or _shape(entry)[0] > _DEEPEST:
            self.warn(f"tool {name!r} is too large, too deep or no JSON; it was left out")
            return None
        if not _USUAL_NAME.fullmatch(name):
            self.warn(f"tool {name!r}: providers take letters, digits, _ and - as a name, up to 64")
        description = entry.get("description")
        if not isinstance(description, str):
            self.warn(f"tool {name!r} has no description")
            description = ""
        elif _hides_something(description):
            self.warn(f"the description of tool {name!r} holds characters that nobody sees")
        parameters = self._parameters(name, entry.get("inputSchema"))
        return ToolSpec(
            function=FunctionSpec(name=name, description=description, parameters=parameters)
        )

    def _parameters(self, name: str, schema: Any) -> dict[str, Any]:
        if not isinstance(schema, dict) or schema.get("type", "object") != "object":
            self.warn(f"tool {name!r} has no schema of an object; it takes anything now")
            return dict(_ANY_OBJECT)
        if "type" not in schema:
            self.warn(f"the schema of tool {name!r} lacks its type; `object` was added")
        if not isinstance(schema.get("properties", {}), dict):
            self.warn(f"the properties of tool {name!r} are no object; it takes anything now")
            return dict(_ANY_OBJECT)
        if not self._can_be_checked(schema):
            self.warn(f"tool {name!r}: the schemas are too large together; it takes anything now")
            return dict(_ANY_OBJECT)
        return _ANY_OBJECT | schema

    def _can_be_checked(self, schema: dict[str, Any]) -> bool:
        """Whether a schema can be checked in reasonable time, with those before it."""
        if compile_schema(schema) is not None:
            return True
        self._weight += _shape(schema)[1]
        return self._weight <= _MOST_TO_CHECK


class Mended:
    """A transport whose lists of tools are mended before the SDK reads them."""

    def __init__(self, inner: AbstractAsyncContextManager[Any], mender: Mender) -> None:
        self._inner = inner
        self._mender = mender

    async def __aenter__(self) -> tuple[Any, Any]:
        """Open the transport."""
        reading, writing = await self._inner.__aenter__()
        return _MendedStream(reading, self._mender), writing

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Close it."""
        return await self._inner.__aexit__(kind, error, trace)


class _MendedStream:
    """The messages of a server, with lists of tools mended."""

    def __init__(self, inner: Any, mender: Mender) -> None:
        self._inner = inner
        self._mender = mender

    @property
    def last_context(self) -> Any:
        """What the SDK asks of its own streams."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        """Return the next message."""
        return self._mended(await self._inner.receive())

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        """Iterate over the messages."""
        return self

    async def __anext__(self) -> Any:
        """Return the next message; stop at the end."""
        return self._mended(await self._inner.__anext__())

    async def __aenter__(self) -> Self:
        """Open the stream."""
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        """Close it."""
        closed: bool | None = await self._inner.__aexit__(kind, error, trace)
        return closed

    def _mended(self, item: Any) -> Any:
        self._mender.has_nonsense |= isinstance(item, Exception)
        result = getattr(getattr(item, "message", None), "result", None)
        if isinstance(result, dict) and isinstance(result.get("tools"), list):
            result["tools"] = self._mender.mended(result["tools"])
        return item


def _hides_something(text: str) -> bool:
    """Whether a text holds characters that are shown as nothing, beside ordinary white space."""
    plain = " ".join(text.split())
    return one_line(plain, len(plain)) != plain


def _size(entry: Any) -> int:
    try:
        return len(json.dumps(entry, allow_nan=False))
    except (RecursionError, ValueError):
        return _MOST_OF_A_TOOL + 1


def _shape(value: Any) -> tuple[int, int]:
    """Return how deep a JSON value is nested, and how many objects and lists it holds.

    Nothing deeper than is of interest is looked at.
    """
    level, depth, count = [value], 0, 0
    while level and depth <= _DEEPEST:
        holders = [one for one in level if isinstance(one, dict | list)]
        count += len(holders)
        level = [
            inner for one in holders for inner in (one.values() if isinstance(one, dict) else one)
        ]
        depth += 1
    return depth, count
