"""Secrets out of everything that is shown: logs, comments, reports, artifacts.

The runner masks secrets in logs and summaries, but not in comments and artifacts, and only
those it was told of.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus, urlsplit

HIDDEN = "***"
LEAST_LENGTH = 6
"""Shorter values are no secrets, and hiding them would hide everything."""

_SECRET_NAME = re.compile(
    r"(API_?KEY|ACCESS_?KEY|(^|_)KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|(^|_)PASS|CREDENTIAL"
    r"|(^|_)AUTH|COOKIE|(^|_)(PAT|PW|DSN)|_PWD)S?(_|$)",
    re.IGNORECASE,
)
_KNOWN_TO_ALL = re.compile(r"INPUT_.*|RUNNER_.*|GITHUB_(?!TOKEN$|API_KEY$).*|SSH_AUTH_SOCK")

_T = TypeVar("_T")


class Redactor:
    """Hides the values of secrets, also where they were encoded on the way."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _forms(secret)}
        # the longest first, so that no part of a longer form is left
        ordered = sorted((form for form in forms if len(form) >= LEAST_LENGTH), key=len)
        self._pattern = re.compile("|".join(map(re.escape, reversed(ordered)))) if ordered else None

    def text(self, text: str) -> str:
        """Return text without any secret."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text

    def value(self, value: _T) -> _T:
        """Return a value of dataclasses, mappings and sequences without any secret in its text."""
        if self._pattern is None:
            return value
        return self._value(value)  # type: ignore[no-any-return]  # of the same shape

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self._value(key): self._value(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._value(one) for one in value)
        if is_dataclass(value) and not isinstance(value, type):
            return replace(
                value, **{one.name: self._value(getattr(value, one.name)) for one in fields(value)}
            )
        return value


def secrets_of(environment: Mapping[str, str], named: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the secret values of an environment.

    Those whose name says so (a key, a token, a password), those that are ``named``, and
    passwords within addresses.
    """
    chosen = set(named)
    found = [
        value
        for name, value in environment.items()
        if name in chosen or (_SECRET_NAME.search(name) and not _KNOWN_TO_ALL.fullmatch(name))
    ]
    found += [word for value in environment.values() if (word := _password(value))]
    return tuple(found)


def _password(value: str) -> str | None:
    """Return the password of an address such as ``postgresql://user:password@host``."""
    if "://" not in value or "@" not in value:
        return None
    try:
        return urlsplit(value).password
    except ValueError:
        return None


def _forms(secret: str) -> Iterable[str]:
    for part in {secret, secret.strip(), *secret.splitlines()}:
        if len(part) < LEAST_LENGTH:
            continue
        yield part
        yield from (quote(part, safe=""), quote_plus(part), html.escape(part))
        yield from (json.dumps(part)[1:-1], json.dumps(part, ensure_ascii=False)[1:-1])
        yield from _base64_forms(part.encode("utf-8", errors="surrogateescape"))
        yield part.encode("utf-8", errors="surrogateescape").hex()


def _base64_forms(data: bytes) -> Iterable[str]:
    """Yield what base64 makes of data that stands at any of the three places of a group."""
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + data).decode()
        # the characters that depend on neighbours are left out
        inner = whole.rstrip("=")[
            (shift * 8 + 5) // 6 : None if (shift + len(data)) % 3 == 0 else -1
        ]
        yield inner
        yield inner.replace("+", "-").replace("/", "_")
