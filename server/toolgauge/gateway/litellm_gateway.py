"""Asks any provider that litellm knows; reads what the provider said, not litellm's wording.

The only module that imports litellm. litellm rewrites replies on their way (finish
reasons, ids, arguments, unknown usage), retries on its own account and hides what
failed, so this adapter keeps the HTTP answer itself and reads that: see
``LitellmGateway``.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import Any

import anyio

from toolgauge.errors import GatewayError
from toolgauge.gateway.faults import Answer, explaining
from toolgauge.gateway.gateway import Reply, Request
from toolgauge.gateway.litellm_reply import error_of_exception, normalised_reply, tool_choice_in
from toolgauge.gateway.providers import (
    PROVIDERS,
    ReadBase,
    ReadKey,
    base_of,
    key_names,
    key_of,
    providers_own,
    trusted,
)
from toolgauge.gateway.wire import OURS, check_parameters, read_reply, read_vectors, vectors_of
from toolgauge.model.target import Target

# Parameters that steer litellm itself: they would fake, repeat or redirect a request.
_STEERING = frozenset(
    {"mock_response", "mock_tool_calls", "mock_timeout", "fallbacks", "cache", "client"}
    | {"num_retries", "max_retries", "timeout", "custom_llm_provider", "model_list"}
    | {"allowed_openai_params"}
)
# Of the providers with a client of ours, those whose embeddings litellm asks for with it.
_EMBEDDERS = frozenset({"openai", "together_ai", "nvidia_nim", "litellm_proxy", "hosted_vllm"})


@dataclass(slots=True)
class _Exchange:
    """What went over the wire during one call, as far as it was seen."""

    started_s: float
    path: str = ""
    request: bytes | str | Mapping[str, Any] = b""
    answer: Answer | None = None
    latency_ms: float = 0.0


@dataclass(slots=True)
class _Library:
    """litellm, imported; its connections are shared by the open ``gateways`` of the process."""

    litellm: Any
    gateways: int = 0


_current: ContextVar[_Exchange | None] = ContextVar("_current", default=None)


class LitellmGateway:
    """A ``Gateway`` through litellm.

    Providers that speak OpenAI's chat completions (``openai``, ``hosted_vllm``,
    ``deepseek``, ``groq`` ...) are asked with an HTTP client of our own, whose hooks keep
    the raw answer: their replies, faults, usage, latency and ``tool_choice_sent`` are
    what went over the wire. Every other provider (``anthropic``, ``gemini``,
    ``bedrock``, OpenAI's Responses API ...) has a language of its own, and for some
    litellm takes no client at all: their replies are litellm's normalised ones, their
    latency includes litellm, ``tool_choice_sent`` is read from the request that litellm
    says it made, and litellm asks a second time where a connection breaks.

    ``read_key`` returns the value of an environment variable. ``embed_base`` says
    where an embedding model lives, None for the provider's own address. ``verify`` names
    the certificates to trust (a bundle's path or a context), None for the usual ones.
    """

    def __init__(
        self,
        read_key: ReadKey,
        *,
        embed_base: ReadBase = providers_own,
        embed_timeout_s: float = 60.0,
        verify: str | SSLContext | None = None,
    ) -> None:
        self._read_key = read_key
        self._embed_base = embed_base
        self._embed_timeout_s = embed_timeout_s
        self._verify = verify
        self._library: _Library | None = None
        self._http: Any = None
        self._openai: dict[tuple[str, str], Any] = {}

    async def complete(self, request: Request) -> Reply:
        """Return the reply to one request; see ``Gateway.complete``."""
        target = request.target
        check_parameters(target.name, request.parameters, OURS | _STEERING)
        asked: dict[str, Any] = {**request.parameters, "messages": deepcopy(list(request.messages))}
        if request.tools:
            asked |= {"tools": deepcopy(list(request.tools)), "tool_choice": request.tool_choice}
        litellm = await self._loaded()
        address = self._address(target, with_client=True)
        if "client" in address:
            # its table knows few models; whether one takes tools, the provider says
            asked["allowed_openai_params"] = ["tools", "tool_choice"]
        exchange = _Exchange(time.perf_counter())
        with explaining(target.name, key_names(target), address["api_key"]):
            response = await _ask(
                litellm.acompletion, asked | address, exchange, timeout_s=request.timeout_s
            )
            return _reply(response, exchange)

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return one vector per text; see ``Gateway.embed``. No texts: no request."""
        if not texts:
            return ()
        target = Target(name=model, model=model, api_base=self._embed_base(model))
        litellm = await self._loaded()
        address = self._address(target, with_client=target.provider in _EMBEDDERS)
        asked: dict[str, Any] = {"input": list(texts)}
        if "client" in address:
            asked["encoding_format"] = "float"  # the OpenAI client would ask for base64
        exchange = _Exchange(time.perf_counter())
        with explaining(model, key_names(target), address["api_key"]):
            response = await _ask(
                litellm.aembedding, asked | address, exchange, timeout_s=self._embed_timeout_s
            )
            return _vectors(response, exchange, len(texts))

    async def aclose(self) -> None:
        """Close every connection; litellm's own when the last gateway of the process closes."""
        library, self._library = self._library, None
        if library is None:
            return
        self._openai.clear()
        if self._http is not None:
            await self._http.close()
        library.gateways -= 1
        if library.gateways == 0:
            await library.litellm.close_litellm_async_clients()

    async def _loaded(self) -> Any:
        if self._library is None:
            # in a thread: the import takes seconds, and others share this loop
            library = await anyio.to_thread.run_sync(_load)
            if self._library is None:  # nobody was faster
                self._library = library
                library.gateways += 1
        return self._library.litellm

    def _address(self, target: Target, *, with_client: bool) -> dict[str, Any]:
        """Say whom to ask: model, address and key, and our client where it can be passed."""
        known = PROVIDERS.get(target.provider)
        kind = known.client if known else None
        base = base_of(target) if kind else target.api_base
        key = key_of(target, self._read_key)
        address = {"model": target.model, "api_base": base, "api_key": key}
        if not (kind and base and key and with_client):
            return address
        client = self._openai_client(base, key) if kind == "openai" else self._http_handler()
        return address | {"client": client}

    def _openai_client(self, base: str, key: str) -> Any:
        import openai  # noqa: PLC0415 - half a second, and litellm brings it

        if (base, key) not in self._openai:
            self._openai[base, key] = openai.AsyncOpenAI(
                base_url=base,
                api_key=key,
                max_retries=0,
                http_client=self._http_handler().client,
            )
        return self._openai[base, key]

    def _http_handler(self) -> Any:
        """Return the one HTTP client of this gateway; it holds no key."""
        if self._http is None:
            from litellm.llms.custom_httpx.http_handler import (  # noqa: PLC0415 - part of litellm
                AsyncHTTPHandler,
            )

            self._http = AsyncHTTPHandler(
                event_hooks={"request": [_note_request], "response": [_keep_answer]},
                ssl_verify=trusted(self._verify),
                follow_redirects=False,
            )
        return self._http


@cache
def _load() -> _Library:
    """Import litellm as a library: no ``.env`` file read, nothing fetched, nothing printed."""
    for name, value in {
        "LITELLM_MODE": "PRODUCTION",
        "LITELLM_OFFLINE_MODE": "true",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
        "LITELLM_LOG": "CRITICAL",
    }.items():
        os.environ.setdefault(name, value)
    import litellm  # noqa: PLC0415 - three seconds and 160 MB, and it reads the names above

    litellm.suppress_debug_info = True  # else it prints to stdout, which may carry a protocol
    litellm.drop_params = False
    litellm.num_retries = None
    litellm.DEFAULT_MAX_RETRIES = 0  # embeddings take this for a max_retries of 0
    litellm.input_callback.append(_listener())
    return _Library(litellm)


def _listener() -> Any:
    """Return what litellm tells of every request that it is about to send."""
    from litellm.integrations.custom_logger import (  # noqa: PLC0415 - part of litellm
        CustomLogger,
    )

    class Listener(CustomLogger):  # type: ignore[misc] # litellm is not typed
        def log_pre_api_call(  # litellm passes its arguments by name
            self,
            model: Any,  # noqa: ARG002 - as above
            messages: Any,  # noqa: ARG002 - as above
            kwargs: dict[str, Any],
        ) -> None:
            if exchange := _current.get():
                made = (kwargs.get("additional_args") or {}).get("complete_input_dict")
                exchange.request = made or exchange.request

    return Listener()


class _AskedTwice(Exception):
    """Stops litellm's HTTP handler from sending a request again after a broken connection."""


async def _note_request(request: Any) -> None:
    """Hook of the HTTP client: the request leaves now."""
    if exchange := _current.get():
        if exchange.path:
            raise _AskedTwice
        exchange.path = request.url.path
        exchange.request = request.content
        exchange.started_s = time.perf_counter()


async def _keep_answer(response: Any) -> None:
    """Hook of the HTTP client: keep the answer before anybody rewrites it."""
    if exchange := _current.get():
        body = await response.aread()
        exchange.latency_ms = (time.perf_counter() - exchange.started_s) * 1000
        exchange.answer = Answer(response.status_code, response.headers, body, time.time())


async def _ask(call: Any, asked: dict[str, Any], exchange: _Exchange, *, timeout_s: float) -> Any:
    """Return litellm's response; None where it failed after an answer had been kept.

    Raises:
        GatewayError: it failed, or was too late, and no answer was kept.
    """
    response, failure = None, None
    token = _current.set(exchange)
    try:
        with anyio.move_on_after(timeout_s) as scope:
            # litellm's own timeout is per read; it is later, so that this one decides
            response = await call(**asked, num_retries=0, max_retries=0, timeout=timeout_s + 5)
    except Exception as error:  # noqa: BLE001 - litellm lets exceptions of any kind through
        failure = error
    finally:
        _current.reset(token)
    if exchange.answer is None:
        exchange.latency_ms = (time.perf_counter() - exchange.started_s) * 1000
        if scope.cancel_called:
            raise GatewayError("timeout", f"no complete answer within {timeout_s:g} s")
        if failure:
            raise error_of_exception(failure, time.time())
    return response


def _reply(response: Any, exchange: _Exchange) -> Reply:
    """Read the raw answer where it is a chat completion or an error; else litellm's version."""
    answer, sent = exchange.answer, tool_choice_in(exchange.request)
    is_chat = exchange.path.endswith("/chat/completions")
    if answer and (is_chat or response is None):
        return read_reply(answer, latency_ms=exchange.latency_ms, tool_choice_sent=sent)
    return normalised_reply(response, latency_ms=exchange.latency_ms, sent=sent)


def _vectors(response: Any, exchange: _Exchange, count: int) -> tuple[tuple[float, ...], ...]:
    if exchange.answer:
        return read_vectors(exchange.answer, count)
    try:
        return vectors_of([dict(entry) for entry in response.data], count)
    except ValueError as error:
        raise GatewayError("bad_json", f"the answer cannot be read: {error}") from None
