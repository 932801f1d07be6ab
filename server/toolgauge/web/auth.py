"""Who is asking: bearer tokens, and the headers by which browsers give attacks away."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from toolgauge.errors import MissingSetting
from toolgauge.mcp_server.state import LOCAL, OWNER_KEY

TOKENS = "TOOLGAUGE_TOKENS"
LEAST_TOKEN = 16
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Tokens:
    """Names by the digest of their token; nothing of a token itself is kept."""

    by_digest: Mapping[bytes, str] = field(repr=False)

    def name_of(self, token: str) -> str | None:
        """Return whose token it is, None if nobody's. Takes as long for every wrong one."""
        wanted, found = _digest(token), None
        for digest, name in self.by_digest.items():
            if hmac.compare_digest(digest, wanted):
                found = name
        return found


def read_tokens(stated: str | None) -> Tokens:
    """Return the tokens of ``name:token,name:token``.

    Raises:
        MissingSetting: there is none, or one of them is malformed, too short or given twice.
    """
    tokens: dict[bytes, str] = {}
    for entry in filter(None, map(str.strip, (stated or "").split(","))):
        name, _, token = entry.partition(":")
        if not _NAME.fullmatch(name) or len(token) < LEAST_TOKEN or name == LOCAL:
            raise MissingSetting(
                f"{TOKENS} must be name:token,… with names of letters, digits, '.', '_', '-' (not "
                f"{LOCAL!r}) and tokens of {LEAST_TOKEN} or more characters"
            )
        if tokens.setdefault(_digest(token), name) != name:
            raise MissingSetting(f"{TOKENS} gives the same token to two names")
    if not tokens:
        raise MissingSetting(
            f"set {TOKENS}=name:token, or start with --no-auth on a loopback address"
        )
    return Tokens(tokens)


def is_loopback(host: str) -> bool:
    """Return whether an address is reached from this machine alone."""
    return host in _LOOPBACK


class BearerAuth:
    """Lets requests with a known token pass, and tells the app their owner.

    Without ``tokens`` everybody is ``local``. Paths in ``open_paths`` are for everybody.
    """

    def __init__(self, app: ASGIApp, tokens: Tokens | None, open_paths: Sequence[str]) -> None:
        self._app = app
        self._tokens = tokens
        self._open_paths = frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 401."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        owner = self._owner(Headers(scope=scope))
        if owner is None and scope["path"] not in self._open_paths:
            response = refused(401, "unauthorized", "send Authorization: Bearer TOKEN")
            response.headers["WWW-Authenticate"] = "Bearer"
            await response(scope, receive, send)
            return
        await self._app({**scope, OWNER_KEY: owner}, receive, send)

    def _owner(self, headers: Headers) -> str | None:
        if self._tokens is None:
            return LOCAL
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return self._tokens.name_of(token.strip()) if scheme.lower() == "bearer" else None


class HeaderChecks:
    """Refuses requests for other hosts (DNS rebinding) and from other sites' pages.

    A Host must be one of ``hosts``, whatever its port. An Origin must be the request's own,
    or one of ``origins``.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str], origins: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 421 or 403."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        response: JSONResponse | None = None
        if _host_name(host) not in self._hosts:
            response = refused(421, "wrong_host", "this server is not known by that name")
        elif origin is not None and origin not in self._origins and _site(origin) != host.lower():
            response = refused(403, "wrong_origin", "pages of other sites may not ask here")
        await (response or self._app)(scope, receive, send)


def refused(status: int, kind: str, message: str) -> JSONResponse:
    """Return an answer that says why a request was refused."""
    return JSONResponse({"error": {"kind": kind, "message": message}}, status)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _host_name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _site(origin: str) -> str | None:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None
