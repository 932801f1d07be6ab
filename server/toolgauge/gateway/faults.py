"""Why a request failed: an HTTP answer or an exception, classified.

Pure and shared by every adapter that talks to providers, so that the same answer has
the same fault whoever carried it. Begin with ``error_of_answer``; ``wire`` reads the
answers that succeeded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from toolgauge.errors import GatewayError, GatewayFault
from toolgauge.gateway.complaint import complaint_of


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer, body and all, as it came over the wire.

    ``headers`` are looked up in lower case, so the mapping must not mind the case.
    ``received_at_s`` is in seconds since the epoch.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    received_at_s: float


_SAID_BY_STATUS: dict[int, GatewayFault] = {
    401: "auth",
    402: "quota",
    403: "auth",
    408: "timeout",
    429: "rate_limit",
}
_FAULT_OF_CLASS: tuple[tuple[GatewayFault, frozenset[str]], ...] = (
    ("setup", frozenset({"SSLCertVerificationError"})),
    ("timeout", frozenset({"TimeoutError", "TimeoutException", "APITimeoutError"})),
    (
        "connection",
        frozenset({"ConnectionError", "gaierror", "SSLError", "TransportError", "ClientError"}),
    ),
    ("bad_json", frozenset({"JSONDecodeError"})),
)
_NO_MONEY = re.compile(
    r"insufficient[_ ](quota|balance|credits|funds)|not_enough_balance|credit balance is too low"
    r"|out of credits|billing_hard_limit"
)
# "tool choice" is another matter than "tool": a refused tool_choice can be sent again as auto.
_NO_TOOLS = re.compile(
    r"(not|n't) support (\w+ ){0,3}(tools?|functions?)\b(?! ?choice)"
    r"|\b(tools?|functions?|(tool|function)[ _](use|calls?|calling))['\"`]?( param\w*)? (is|are) "
    r"(currently )?(not (currently )?(supported|available|enabled)|unsupported|disabled)"
    r"|(unsupported|unrecognized|unknown|unexpected|not support) (\w+ )?(argument|parameter|field)"
    r"[^.]{0,80}\b(tools|functions)\b"
    r"|found that support tool use|enable-auto-tool-choice|requires --jinja"
)
# Some providers answer 400 when the model itself wrote no call, or a broken one: the model's
# fault, whatever else the text names.
_MODEL_FAILED = "tool_use_failed"
_REFUSALS: tuple[tuple[GatewayFault, re.Pattern[str]], ...] = (
    ("bad_request", re.compile(_MODEL_FAILED)),
    (
        "tool_choice_rejected",
        re.compile(r"tool_choice|support\w* (\w+ ){0,2}tool choice|tool choice [^.]{0,30}not supp"),
    ),
    (
        "context_window",
        re.compile(
            r"context_length|context length|context[_ ]window|exceed_context_size"
            r"|available context size|(prompt|input) is too long|too many (input )?tokens"
        ),
    ),
    (
        "content_filter",
        re.compile(r"content_filter|content filter|content[_ ](management[_ ])?policy"),
    ),
    (
        "unsupported_param",
        re.compile(
            r"(unsupported|unknown)[_ ](parameter|value)|unrecognized request argument"
            r"|extra inputs are not permitted|extra_forbidden"
        ),
    ),
)


def error_of_answer(answer: Answer) -> GatewayError:
    """Return the error that an answer means which is no completion.

    An error inside an answer of 200 is classified by the code in its body, and its
    ``status`` is that code; without a readable code it is a ``server`` fault.
    """
    complaint = complaint_of(answer.body)
    status = answer.status
    if 200 <= status < 300:
        status = complaint.status or status
    message = complaint.message
    if 300 <= status < 400:
        where = answer.headers.get("location", "elsewhere")
        message = f"redirected to {where}; name the final address as api_base"
    return GatewayError(
        fault_of(status, complaint.text),
        f"HTTP {status}: {message}" if message else f"HTTP {status}",
        status=status,
        retry_after_s=retry_after_s(answer.headers, answer.received_at_s),
    )


def fault_of(status: int, text: str) -> GatewayFault:
    """Return the class of a failure, from its HTTP status and what the body said (any case).

    Only 400 and 422 can mean a refused ``tool_choice``: rate limits, keys and broken
    servers never make a run fall back to another one.
    """
    text = text.lower()
    if status in (402, 403, 429) and _NO_MONEY.search(text):
        return "quota"
    if status in _SAID_BY_STATUS:
        return _SAID_BY_STATUS[status]
    if 300 <= status < 400:
        return "setup"
    if _NO_TOOLS.search(text) and _MODEL_FAILED not in text:
        return "tools_unsupported"
    if 400 <= status < 500:
        return _refusal(status, text)
    return "server"


def _refusal(status: int, text: str) -> GatewayFault:
    if status == 404:
        return "not_found"
    for fault, pattern in _REFUSALS:
        if pattern.search(text) and (fault != "tool_choice_rejected" or status in (400, 422)):
            return fault
    return "bad_request"


def retry_after_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """Return the seconds that ``Retry-After`` asks to wait, never negative; None without one.

    A date is measured from the answer's own ``Date`` where it has one, because clocks
    differ, else from ``now_s``. What is neither a number nor a date is ignored.

    Source: RFC 9110, section 10.2.3.
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
        return float(value)
    until_s = _seconds_of(value)
    if until_s is None:
        return None
    sent_s = _seconds_of(headers.get("date", ""))
    return max(0.0, until_s - (now_s if sent_s is None else sent_s))


def _seconds_of(http_date: str) -> float | None:
    try:
        return parsedate_to_datetime(http_date).timestamp()
    except (ValueError, OverflowError):
        return None


def error_of_transport(error: BaseException) -> GatewayError | None:
    """Return the error that a failed exchange means; None where the exception is of no such kind.

    The whole chain of causes is read, because clients wrap what they catch; the message
    is that of the cause. Classes are told by name, so that no client has to be imported
    to ask. A certificate that cannot be verified is a ``setup`` fault: asking again is
    no use.
    """
    links = list(_chain(error))
    for fault, names in _FAULT_OF_CLASS:
        for link in links:
            if names & {cls.__name__ for cls in type(link).__mro__}:
                hint = "; SSL_CERT_FILE may name whom to trust" if fault == "setup" else ""
                return GatewayError(fault, f"{type(link).__name__}: {link}{hint}")
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


@contextmanager
def explaining(target: str, key_names: Iterable[str], key: str | None) -> Iterator[None]:
    """Give errors raised inside the target's name, what to do next, and never the key."""
    try:
        yield
    except GatewayError as error:
        message = f"{target}: {redact(str(error), key)}"
        names = " or ".join(key_names)
        if error.fault == "auth" and names:
            message += f" (the key is read from {names})"
        raise GatewayError(
            error.fault, message, status=error.status, retry_after_s=error.retry_after_s
        ) from None


def redact(text: str, key: str | None) -> str:
    """Return the text with the key, and every password inside a URL, replaced by ``***``."""
    if key:
        text = text.replace(key, "***")
    return re.sub(r"://[^/@\s]+@", "://***@", text)
