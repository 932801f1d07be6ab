"""GitHub's REST interface over HTTP: patient where waiting helps, quick to give up elsewhere.

All times in seconds. Rules of waiting: GitHub's "best practices for using the REST API".
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from toolgauge import __version__
from toolgauge.errors import ToolgaugeError

API_VERSION = "2022-11-28"
_TRIES = 5
_PATIENCE_S = 120.0
_BETWEEN_WRITES_S = 1.0
_SECONDARY_LIMIT_S = 60.0
_MOST_PAGES = 50

_log = logging.getLogger(__name__)


class CannotAskGitHub(ToolgaugeError):
    """GitHub said no, or nothing. ``status`` is the HTTP status, None where there was none.

    ``is_limit``: it was asked too often, so that the same request may succeed later.
    """

    def __init__(self, message: str, status: int | None = None, *, is_limit: bool = False) -> None:
        self.status = status
        self.is_limit = is_limit
        super().__init__(message)

    @property
    def is_refusal(self) -> bool:
        """Whether asking again is of no use: the token may not, or there is no such thing."""
        return self.status in {401, 403, 404, 410, 422} and not self.is_limit

    @property
    def may_have_happened(self) -> bool:
        """Whether a request that writes may have been carried out all the same."""
        return self.status is None or self.status >= 500


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and chance, for tests to hold."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random


class GitHub:
    """Asks one repository's GitHub; one request at a time."""

    def __init__(self, http: httpx.Client, clock: Clock) -> None:
        self._http = http
        self._clock = clock
        self._last_write = 0.0

    def get(self, path: str, **params: str | int) -> Any:
        """Return the JSON of a resource.

        Raises:
            CannotAskGitHub: it is refused, missing, or cannot be had in time.
        """
        return _json(self._ask("GET", path, params=params))

    def pages(self, path: str, key: str | None = None, **params: str | int) -> Iterator[Any]:
        """Yield every item of a list, page after page; ``key`` names the list in the answer.

        Raises:
            CannotAskGitHub: as ``get``.
        """
        url: str | None = path
        query: dict[str, str | int] | None = {"per_page": 100, **params}
        for _ in range(_MOST_PAGES):
            response = self._ask("GET", url or "", params=query)
            answer = _json(response)
            yield from answer[key] if key else answer
            url, query = response.links.get("next", {}).get("url"), None
            if not url:
                return

    def query(self, query: str) -> Any:
        """Return the JSON that GitHub's other interface answers a query with.

        Raises:
            CannotAskGitHub: as ``get``.
        """
        return _json(self._ask("POST", "/graphql", json={"query": query}))

    def write(self, method: str, path: str, document: dict[str, Any] | None = None) -> Any:
        """Return the JSON that a change answers with; None where it answers with nothing.

        A change that may have been carried out is not sent again, but for PATCH and
        DELETE, which may be.

        Raises:
            CannotAskGitHub: as ``get``.
        """
        since = self._clock.now() - self._last_write
        if since < _BETWEEN_WRITES_S:
            self._clock.sleep(_BETWEEN_WRITES_S - since)
        try:
            response = self._ask(method, path, json=document, once=method == "POST")
        finally:
            self._last_write = self._clock.now()
        return _json(response) if response.content else None

    def raw(self, path: str, *, most: int, accept: str | None = None, **params: str) -> bytes:
        """Return a file, at most ``most`` bytes; redirects are followed without the token.

        Raises:
            CannotAskGitHub: as ``get``, or it is larger.
        """
        headers = {"Accept": accept} if accept else None
        response = self._ask("GET", path, params=params, headers=headers, most=most)
        return response.content

    def _ask(self, method: str, url: str, *, once: bool = False, **options: Any) -> httpx.Response:
        """Return the first good answer, waiting between tries as long as that may help."""
        deadline = self._clock.now() + _PATIENCE_S
        for attempt in range(_TRIES):
            response, error = self._send(method, url, **options)
            if response is not None and response.is_success:
                return response
            wait = self._wait(attempt, response)
            fault = error or _refusal(method, url, response, is_limit=wait is not None)
            if once and fault.may_have_happened:
                raise fault
            is_last = attempt == _TRIES - 1
            if wait is None or is_last or self._clock.now() + wait > deadline:
                raise fault
            _log.info("%s; asking again in %.0f s", fault, wait)
            self._clock.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _send(
        self, method: str, url: str, *, most: int | None = None, **options: Any
    ) -> tuple[httpx.Response | None, CannotAskGitHub | None]:
        try:
            request = self._http.build_request(method, url, **options)
            response = self._http.send(request, stream=True)
            try:
                return _read(response, most), None
            finally:
                response.close()
        except httpx.HTTPError as error:
            kind = type(error).__name__
            return None, CannotAskGitHub(f"GitHub could not be reached for {method} {url}: {kind}")

    def _wait(self, attempt: int, response: httpx.Response | None) -> float | None:
        """Return how long to wait before asking again; None where asking again is of no use."""
        backoff = float(2**attempt) + self._clock.jitter()
        if response is None or response.status_code >= 500:
            return backoff
        if response.status_code not in {403, 429}:
            return None
        if stated := _seconds(response.headers.get("retry-after")):
            return stated
        if response.headers.get("x-ratelimit-remaining") == "0":
            reset = _seconds(response.headers.get("x-ratelimit-reset")) or 0.0
            return max(reset - self._clock.now(), 1.0)
        if response.status_code == 429 or "secondary rate limit" in response.text.lower():
            return _SECONDARY_LIMIT_S * float(2**attempt)
        return None


def connect(api_url: str, token: str) -> GitHub:
    """Return GitHub's interface at this address, asked with this token (none: anonymously)."""
    headers = {
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": API_VERSION,
        "User-Agent": f"toolgauge-action/{__version__}",
    }
    if token:
        headers["Authorization"] = f"Bearer {token}"
    # httpx leaves the Authorization header out where a redirect leads to another host
    http = httpx.Client(base_url=api_url, headers=headers, timeout=30.0, follow_redirects=True)
    return GitHub(http, Clock())


def _read(response: httpx.Response, most: int | None) -> httpx.Response:
    """Return the response with its body, refusing a body that is larger than ``most``."""
    if most is None:
        response.read()
        return response
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > most:
            raise CannotAskGitHub(f"{response.url.path} is larger than {most:,} bytes", 422)
    return httpx.Response(
        response.status_code,
        headers={k: v for k, v in response.headers.items() if k != "content-encoding"},
        content=bytes(body),
        request=response.request,
    )


def _refusal(
    method: str, url: str, response: httpx.Response | None, *, is_limit: bool
) -> CannotAskGitHub:
    if response is None:
        return CannotAskGitHub(f"GitHub did not answer {method} {url}")
    try:
        said = str(response.json().get("message", ""))
    except (ValueError, AttributeError):
        said = ""
    status = response.status_code
    message = f"GitHub answered {method} {url} with {status} {said[:300]}"
    return CannotAskGitHub(message, status, is_limit=is_limit)


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError as error:
        raise CannotAskGitHub(f"{response.url.path} is no JSON") from error


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isascii() and text.isdecimal() else None
