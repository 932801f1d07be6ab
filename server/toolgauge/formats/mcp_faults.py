"""Why an MCP server cannot be read: the SDK's errors as one line that says what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import httpx2
from mcp import MCPError
from pydantic import ValidationError

from toolgauge.errors import CannotMeasure, ToolgaugeError, UsageError
from toolgauge.report.escape import one_line

_HIDDEN = "***"
_MOST_OF_A_REASON = 300
_CLOSED = -32000
# other refusals carry the server's own words
_TELLING = frozenset({301, 302, 303, 307, 308, 401, 403, 404, 405, 406, 410, 429})
_LOGIN = (
    "it wants a login. Name a header with a token: `headers` of the server in .toolgauge.yml, "
    "or --header NAME=VARIABLE"
)
_ELSEWHERE = (
    "nothing speaks MCP there. Is the address right? Many servers listen at /mcp; the older SSE "
    "transport is asked at an address that ends in /sse, or with --sse"
)


@dataclass(slots=True)
class Seen:
    """What was seen while a server was asked: whether it is a program, and how it refused.

    ``secrets`` are values that no message may show.
    """

    is_program: bool
    secrets: tuple[str, ...] = ()
    status: int | None = None
    _has_posted: bool = False

    def note(self, method: str, status: int) -> None:
        """Keep the HTTP status of the last message where it was refused, None where it was not.

        A server may refuse GET (it sends no messages of its own) and DELETE, but for the GET
        that everything begins with in the SSE transport.
        """
        if method == "POST" or not self._has_posted:
            self.status = status if status in _TELLING or status >= 500 else None
        self._has_posted = self._has_posted or method == "POST"


def why_unread(error: BaseException, name: str, seen: Seen) -> ToolgaugeError:
    """Return why a server cannot be read: our fault to state it so, or its own to be dead."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    kind, reason = _explained(error, seen)
    return kind(one_line(f"MCP server {name!r} {without(reason, seen.secrets)}", 1000))


def without(text: str, secrets: Iterable[str]) -> str:
    """Return text with every secret hidden, also where it was quoted or trimmed."""
    forms = {form for one in secrets for form in (one, one.strip(), repr(one)[1:-1])}
    for form in sorted(filter(None, forms), key=len, reverse=True):
        text = text.replace(form, _HIDDEN)
    return text


def _explained(error: BaseException, seen: Seen) -> tuple[type[ToolgaugeError], str]:
    if seen.is_program:
        return _of_program(error)
    if isinstance(error, MCPError | httpx2.HTTPStatusError) and seen.status:
        return _of_status(seen.status)
    match error:
        case httpx2.ConnectError() | httpx2.TimeoutException():
            return CannotMeasure, (
                f"cannot be reached: {_text(error)}. Does it run, and is its address right?"
            )
        case httpx2.SSEError():
            return UsageError, f"cannot be read: {_ELSEWHERE}"
        case MCPError():
            return UsageError, f"cannot be read: {_text(error)}. Is its address right?"
        case _:
            return _of_answer(error)


def _of_program(error: BaseException) -> tuple[type[ToolgaugeError], str]:
    if isinstance(error, MCPError) and error.code == _CLOSED:
        return CannotMeasure, (
            "ended before it answered. Start its command by hand to see what it says"
        )
    if isinstance(error, OSError):
        what = f"{error.strerror}: {error.filename}" if error.filename else _text(error)
        return UsageError, f"cannot be started: {what}. Is the command right, and on the PATH?"
    return _of_answer(error)


def _of_status(status: int) -> tuple[type[ToolgaugeError], str]:
    if status in (401, 403):
        return UsageError, f"refuses us (HTTP {status}): {_LOGIN}"
    if status == 429 or status >= 500:
        return CannotMeasure, f"failed (HTTP {status}). Try again, or look at its log"
    return UsageError, f"cannot be read (HTTP {status}): {_ELSEWHERE}"


def _of_answer(error: BaseException) -> tuple[type[ToolgaugeError], str]:
    if isinstance(error, ValidationError):
        return UsageError, "cannot be read: what it answers is not the protocol"
    return UsageError, f"cannot be read: {_text(error)}"


def _text(error: BaseException) -> str:
    return one_line(str(error) or type(error).__name__, _MOST_OF_A_REASON)
