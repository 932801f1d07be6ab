"""Answers from a recording: no model is asked, and nothing is made up.

Knows nothing of files: whoever reads a transcript hands the recorded answers in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolgauge.errors import GatewayError
from toolgauge.gateway.gateway import Reply, Request
from toolgauge.model.tools import Message
from toolgauge.model.trial import Usage


@dataclass(frozen=True, slots=True)
class Recorded:
    """What one trial produced when it was recorded.

    ``messages`` are all assistant and tool messages after the prompt, ``latency_ms``
    is None where it was not recorded, and ``error`` says why the trial failed then.
    """

    messages: tuple[Message, ...] = ()
    usage: Usage = field(default_factory=Usage)
    latency_ms: float | None = None
    error: str | None = None


class ReplayGateway:
    """A gateway whose answers are the recorded ones, found by case id and repeat."""

    def __init__(self, recorded: Mapping[tuple[str, int], Recorded]) -> None:
        self._recorded = recorded

    async def complete(self, request: Request) -> Reply:
        """Return everything that was recorded for the request's case and repeat.

        The whole conversation comes at once, and so the trial ends with it.

        Raises:
            GatewayError: ``not_found`` where this case and repeat was not recorded
                (another repeat never stands in for it), ``other`` where what was
                recorded is a failure.
        """
        case_id, repeat = request.case_id, request.repeat
        found = self._recorded.get((case_id, repeat))
        if found is None:
            raise GatewayError(
                "not_found",
                f"case {case_id!r}, repeat {repeat}: the recording holds no answer; "
                "record it, or ask only for what was recorded",
            )
        if found.error is not None:
            raise GatewayError(
                "other", f"case {case_id!r}, repeat {repeat}: recorded as failed: {found.error}"
            )
        return Reply(found.messages, usage=found.usage, latency_ms=found.latency_ms, is_whole=True)

    async def embed(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
        """Return nothing: a recording holds no embeddings.

        Raises:
            GatewayError: always, with the fault ``setup``.
        """
        raise GatewayError(
            "setup",
            f"a recording has no embeddings ({len(texts)} texts for {model!r}); "
            "name an embedding model of a provider",
        )

    async def aclose(self) -> None:
        """Do nothing: there is no connection to close."""
