"""How providers are reached: their keys, their addresses, and whom to trust.

Begin with ``key_of`` and ``base_of``. A provider that is not in the table is asked
through litellm, which knows its language and finds its credentials.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from toolgauge.errors import GatewayError
from toolgauge.model.target import Target

ReadKey = Callable[[str], str | None]
"""Returns the value of an environment variable, None where it is not set."""

ReadBase = Callable[[str], str | None]
"""Returns the address of an embedding model, None for its provider's own."""

PLACEHOLDER_KEY = "not-needed"
"""What is sent to an ``api_base`` for which no key is known: local servers ask for none."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider. ``key_names``: the variables that usually hold its key, first set wins.

    ``base`` is its address, None where every user has their own. ``client`` is what
    litellm can be handed to reach it: an OpenAI client, or an HTTP handler. None means
    that it speaks a language of its own and is asked through litellm alone.
    """

    key_names: tuple[str, ...]
    base: str | None = None
    client: Literal["openai", "http"] | None = None


def _openai(name: str, base: str | None) -> Provider:
    return Provider((f"{name}_API_KEY",), base, "openai")


def _http(base: str | None, *key_names: str) -> Provider:
    return Provider(key_names, base, "http")


PROVIDERS: dict[str, Provider] = {
    "anthropic": Provider(("ANTHROPIC_API_KEY",)),
    "cerebras": _openai("CEREBRAS", "https://api.cerebras.ai/v1"),
    "cohere": Provider(("COHERE_API_KEY",)),
    "cohere_chat": Provider(("COHERE_API_KEY",)),
    "custom_openai": _openai("OPENAI", None),
    "deepinfra": _openai("DEEPINFRA", "https://api.deepinfra.com/v1/openai"),
    "deepseek": _http("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "fireworks_ai": _http(
        "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"
    ),
    "gemini": Provider(("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    "groq": _http("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "hosted_vllm": _http(None, "HOSTED_VLLM_API_KEY"),
    "litellm_proxy": _openai("LITELLM_PROXY", None),
    "llamafile": _openai("LLAMAFILE", None),
    "lm_studio": _openai("LM_STUDIO", None),
    "mistral": _http("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "moonshot": _openai("MOONSHOT", "https://api.moonshot.ai/v1"),
    "nvidia_nim": _openai("NVIDIA_NIM", "https://integrate.api.nvidia.com/v1"),
    "openai": _openai("OPENAI", "https://api.openai.com/v1"),
    "openrouter": _http("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "OR_API_KEY"),
    "sambanova": _openai("SAMBANOVA", "https://api.sambanova.ai/v1"),
    "together_ai": _http(
        "https://api.together.xyz/v1", "TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY"
    ),
    "xai": _http("https://api.x.ai/v1", "XAI_API_KEY"),
}


def providers_own(_model: str) -> str | None:
    """Return None: the model lives at its provider's own address."""
    return None


def key_of(target: Target, read_key: ReadKey) -> str | None:
    """Return the key that a target is asked with, without surrounding blanks.

    The variable that ``api_key_env`` names, else the provider's usual one. Where that is
    not set, a placeholder if there is an ``api_base``. None for a provider that is not in
    the table: litellm finds its credentials, a local server needs none.

    Raises:
        GatewayError: ``setup``; a key is needed, and the variable to set is named.
    """
    names = key_names(target)
    for name in names:
        if key := (read_key(name) or "").strip():
            return key
    if target.api_key_env:
        raise GatewayError("setup", f"{target.name}: set {names[0]}, its api_key_env, to its key")
    if not names:
        return None
    if target.api_base:
        return PLACEHOLDER_KEY
    raise GatewayError("setup", f"{target.name}: set {' or '.join(names)} to its key")


def key_names(target: Target) -> tuple[str, ...]:
    """Return the variables that may hold a target's key; none where litellm knows better."""
    if target.api_key_env:
        return (target.api_key_env,)
    known = PROVIDERS.get(target.provider)
    return known.key_names if known else ()


def base_of(target: Target) -> str:
    """Return the address under which ``/chat/completions`` stands, without a final ``/``.

    Raises:
        GatewayError: ``setup``; neither the target nor the table names one, or it is none.
    """
    known = PROVIDERS.get(target.provider)
    base = target.api_base or (known.base if known else None)
    if not base:
        raise GatewayError(
            "setup", f"{target.name}: set api_base to the address of its server (http://.../v1)"
        )
    if not _is_http_address(base):
        raise GatewayError("setup", f"{target.name}: api_base {base!r} is no http(s) address")
    return base.rstrip("/")


def _is_http_address(base: str) -> bool:
    try:
        parts = urlsplit(base)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def speaks_chat_completions(target: Target) -> bool:
    """Whether a target can be asked without litellm, over OpenAI's own protocol."""
    known = PROVIDERS.get(target.provider)
    return known is not None and known.client is not None and bool(target.api_base or known.base)


def trusted(verify: str | ssl.SSLContext | None) -> ssl.SSLContext | None:
    """Return the certificates to trust, read from a bundle's path; None for the usual ones.

    Raises:
        GatewayError: ``setup``; the bundle cannot be read.
    """
    if not isinstance(verify, str):
        return verify
    try:
        return ssl.create_default_context(cafile=verify)
    except OSError as error:
        raise GatewayError(
            "setup", f"{verify} cannot be read as a bundle of certificates: {error}"
        ) from error
