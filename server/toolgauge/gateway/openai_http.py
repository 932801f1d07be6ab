"""Asks servers that speak OpenAI's chat completions, with nothing in between.

A request costs a fraction of a millisecond of CPU, so that cheap and local models are
not waiting for us, and the reply is the provider's own. Begin with
``OpenaiHttpGateway``; ``wire`` reads the answers.
"""

from __future__ import annotations

import io
import json
import time
from collections import OrderedDict
from ssl import SSLContext
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio

from toolgauge.errors import GatewayError
from toolgauge.gateway.faults import Answer, error_of_transport, explaining
from toolgauge.gateway.gateway import Reply, Request
from toolgauge.gateway.providers import (
    ReadBase,
    ReadKey,
    base_of,
    key_names,
    key_of,
    providers_own,
    trusted,
)
from toolgauge.gateway.wire import OURS, check_parameters, read_reply, read_vectors
from toolgauge.model.target import Target

if TYPE_CHECKING:
    import aiohttp

_TOOLS_KEPT = 64
_encoder = json.JSONEncoder(separators=(",", ":"))
_LARGE_BODY = 2**20
# parameters that are about the request, not fields of its body
_ABOUT_THE_REQUEST = frozenset({"extra_body", "extra_headers"})


class OpenaiHttpGateway:
    """A ``Gateway`` to any server under whose ``api_base`` ``/chat/completions`` stands.

    ``openai`` and the other providers whose address is known need no ``api_base``. The
    model is sent as it is named after ``provider/``. Of the parameters, ``extra_body``
    is spread into the body and ``extra_headers`` are sent as headers, as the OpenAI
    client does it; all others are sent as they are.

    ``read_key`` returns the value of an environment variable. ``concurrency`` is how
    many connections may be open at once, over all targets. ``embed_base`` says where
    an embedding model lives, None for the provider's own address. ``verify`` names the
    certificates to trust (a bundle's path or a context), None for the usual ones.
    Proxies are those of the environment.
    """

    def __init__(
        self,
        read_key: ReadKey,
        *,
        concurrency: int = 100,
        embed_base: ReadBase = providers_own,
        embed_timeout_s: float = 60.0,
        verify: str | SSLContext | None = None,
    ) -> None:
        self._read_key = read_key
        self._concurrency = concurrency
        self._embed_base = embed_base
        self._embed_timeout_s = embed_timeout_s
        self._verify = verify
        self._trust: SSLContext | None = None
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[str, str | None] = {}
        self._tools = _ToolsAsJson()

    async def complete(self, request: Request) -> Reply:
        """Return the reply to one request; see ``Gateway.complete``."""
        target = request.target
        check_parameters(target.name, request.parameters, OURS)
        base, key = base_of(target), key_of(target, self._read_key)
        sent = request.tool_choice if request.tools else None
        with explaining(target.name, key_names(target), key):
            self._open_session()  # its import and start are no latency of the model
            started_s = time.perf_counter()
            answer = await self._post(
                f"{base}/chat/completions",
                self._body(request),
                headers=_headers(key) | (request.parameters.get("extra_headers") or {}),
                timeout_s=request.timeout_s,
            )
            latency_ms = (time.perf_counter() - started_s) * 1000
            return read_reply(answer, latency_ms=latency_ms, tool_choice_sent=sent)

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return one vector per text; see ``Gateway.embed``. No texts: no request."""
        if not texts:
            return ()
        target = Target(name=model, model=model, api_base=self._embed_base(model))
        base, key = base_of(target), key_of(target, self._read_key)
        fields = {"model": _model_name(model), "input": texts, "encoding_format": "float"}
        with explaining(model, key_names(target), key):
            answer = await self._post(
                f"{base}/embeddings",
                _json(fields).encode(),
                headers=_headers(key),
                timeout_s=self._embed_timeout_s,
            )
            return read_vectors(answer, len(texts))

    async def aclose(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()

    def _body(self, request: Request) -> bytes:
        given = request.parameters
        fields: dict[str, Any] = {"model": _model_name(request.target.model)}
        fields |= {name: given[name] for name in given.keys() - _ABOUT_THE_REQUEST}
        fields |= given.get("extra_body") or {}
        fields["messages"] = request.messages
        if not request.tools:
            return _json(fields).encode()
        fields["tool_choice"] = request.tool_choice
        return f'{_json(fields)[:-1]},"tools":{self._tools.of(request.tools)}}}'.encode()

    async def _post(
        self, url: str, body: bytes, *, headers: dict[str, str], timeout_s: float
    ) -> Answer:
        """Return the answer to one request.

        Raises:
            GatewayError: no whole answer came within the deadline.
        """
        import aiohttp  # noqa: PLC0415 - 100 ms, and offline targets need no network

        session, proxy = self._open_session(), self._proxy(url)
        data = io.BytesIO(body) if len(body) > _LARGE_BODY else body
        try:
            with anyio.move_on_after(timeout_s):
                # a redirect would be a second request, and might take the key elsewhere
                async with session.post(
                    url,
                    data=data,
                    headers=headers,
                    allow_redirects=False,
                    proxy=proxy,
                    ssl=self._trusted(url, proxy),
                ) as response:
                    whole = await response.read()
                    return Answer(response.status, response.headers, whole, time.time())
        except ValueError as error:
            raise GatewayError("setup", f"{url} cannot be asked: {error}") from error
        except (aiohttp.ClientError, OSError) as error:
            raise error_of_transport(error) or GatewayError("connection", repr(error)) from error
        raise GatewayError("timeout", f"no complete answer within {timeout_s:g} s")

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            import aiohttp  # noqa: PLC0415 - as above

            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._concurrency),
                timeout=aiohttp.ClientTimeout(total=None),  # the deadline is a cancel scope
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    def _trusted(self, url: str, proxy: str | None) -> SSLContext | bool:
        """Return the certificates to trust; a bundle takes 20 ms, which plain HTTP is spared."""
        if self._trust is None and (url.startswith("https:") or (proxy or "").startswith("https:")):
            self._trust = trusted(self._verify)
        return self._trust or True

    def _proxy(self, url: str) -> str | None:
        """Return the environment's proxy for an address.

        aiohttp's own ``trust_env`` looks it up again for every request, on a thread, and
        lets an entry of ``~/.netrc`` collide with the key.
        """
        if url not in self._proxies:
            address = urlsplit(url)
            proxy = getproxies().get(address.scheme)
            if proxy and proxy_bypass(address.hostname or ""):
                proxy = None
            self._proxies[url] = proxy if not proxy or "://" in proxy else f"http://{proxy}"
        return self._proxies[url]


class _ToolsAsJson:
    """The JSON of the tools that were sent last: a suite offers the same ones again and again.

    Tools are told apart by identity, and held, so that no identity is used twice.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[int, tuple[tuple[dict[str, Any], ...], str]] = OrderedDict()

    def of(self, tools: tuple[dict[str, Any], ...]) -> str:
        """Return the tools as a JSON list."""
        kept = self._kept.get(id(tools))
        if kept is None:
            kept = self._kept[id(tools)] = (tools, _json(tools))
            if len(self._kept) > _TOOLS_KEPT:
                self._kept.popitem(last=False)
        return kept[1]


def _model_name(model: str) -> str:
    return model.split("/", 1)[-1]


def _headers(key: str | None) -> dict[str, str]:
    content = {"Content-Type": "application/json", "User-Agent": "toolgauge"}
    return content | {"Authorization": f"Bearer {key}"} if key else content


def _json(value: Any) -> str:
    try:
        return _encoder.encode(value)
    except (TypeError, ValueError) as error:
        raise GatewayError("setup", f"a parameter cannot be sent as JSON: {error}") from error
