"""What the body of an error says, in whichever shape the provider wrote it.

Pure, and total: any bytes make a complaint. ``faults`` classifies it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MESSAGE_LENGTH = 500
_STATUS_OF_CODE = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "insufficient_quota": 429,
    "invalid_api_key": 401,
    "authentication_error": 401,
    "permission_error": 403,
    "model_not_found": 404,
    "not_found_error": 404,
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
    "content_filter": 400,
    "overloaded_error": 529,
    "server_error": 500,
    "internal_server_error": 500,
    "api_error": 500,
}


@dataclass(frozen=True, slots=True)
class Complaint:
    """What an error body says: ``message`` for a person, ``text`` (lower case) to search.

    ``status`` is the HTTP status that the body itself names or implies, None without one.
    """

    message: str
    text: str
    status: int | None = None


def complaint_of(body: bytes) -> Complaint:
    """Return what an error body says; of a body that is no JSON, its text.

    Read are OpenAI's ``{"error": {...}}`` (in a list, too), ``{"error": "..."}``, plain
    ``message`` and ``msg``, FastAPI's ``detail``, and what a router says its upstream
    said. A request that is echoed is not read: it names what was not complained of.
    """
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        text = " ".join(body[: 8 * _MESSAGE_LENGTH].decode(errors="replace").split())
        return Complaint(text[:_MESSAGE_LENGTH], text.lower())
    if isinstance(parsed, list) and parsed:
        parsed = parsed[0]
    outer = parsed if isinstance(parsed, dict) else {"error": parsed}
    inner = outer.get("error") or outer
    error = outer | (inner if isinstance(inner, dict) else {"message": inner})
    said = [error.get("message") or _details(error.get("detail")) or error.get("msg")]
    said += [error.get(key) for key in ("code", "type", "param", "status")]
    metadata = error.get("metadata")
    said.append(metadata.get("raw") if isinstance(metadata, dict) else None)
    texts = [part if isinstance(part, str) else json.dumps(part) for part in said if part]
    message = texts[0][:_MESSAGE_LENGTH] if said[0] else ""
    return Complaint(message, " ".join(texts).lower(), _status_within(error))


def _details(detail: Any) -> str:
    """Read a validation report: where and what, without the echoed request."""
    if not isinstance(detail, list):
        return detail if isinstance(detail, str) else ""
    return "; ".join(
        f"{_place(entry.get('loc'))}: {entry.get('msg', '')}"
        for entry in detail
        if isinstance(entry, dict)
    )


def _place(loc: Any) -> str:
    return ".".join(map(str, loc)) if isinstance(loc, list) else str(loc)


def _status_within(error: Mapping[str, Any]) -> int | None:
    for key in ("code", "status", "type"):
        value = str(error.get(key))
        if re.fullmatch(r"[345]\d\d", value):
            return int(value)
        if value in _STATUS_OF_CODE:
            return _STATUS_OF_CODE[value]
    return None
