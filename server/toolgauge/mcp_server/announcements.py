"""Telling subscribers that a run changed, in both eras of the protocol."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import anyio
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

if TYPE_CHECKING:
    from toolgauge.model.events import Event

_LEAST_PAUSE_S = 0.5
_ALWAYS_TOLD = frozenset({"job_started", "job_completed", "job_failed", "job_cancelled"})
_TRIALS = "tool_eval_result"
_MOST_SUBSCRIPTIONS = 10_000

_log = logging.getLogger(__name__)


def run_uri(run_id: str) -> str:
    """Return the address of a run's resource."""
    return f"toolgauge://runs/{run_id}"


class Announcer:
    """Publishes changes of runs: every change of state, and trials at most twice a second.

    ``bus`` serves ``subscriptions/listen``; sessions of older clients, which asked for
    single resources, are kept by address until they go away.
    """

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._sessions: dict[str, list[Any]] = {}
        self._last: dict[str, float] = {}

    async def on_event(self, event: Event) -> None:
        """Take in what happens in a run."""
        now = anyio.current_time()
        if event.type in _ALWAYS_TOLD:
            self._last.pop(event.job_id, None)
            await self._publish(event.job_id)
        elif event.type == _TRIALS and now - self._last.get(event.job_id, 0.0) >= _LEAST_PAUSE_S:
            self._last[event.job_id] = now
            await self._publish(event.job_id)

    def serve_legacy(self, server: MCPServer[Any]) -> None:
        """Serve ``resources/subscribe`` and ``resources/unsubscribe``, which the SDK leaves out."""
        # the SDK has no public way to add a handler; its version is pinned for this
        lowlevel = server._lowlevel_server  # noqa: SLF001 - see above
        lowlevel.add_request_handler("resources/subscribe", SubscribeRequestParams, self._subscribe)
        lowlevel.add_request_handler(
            "resources/unsubscribe", UnsubscribeRequestParams, self._unsubscribe
        )

    async def _subscribe(self, ctx: Any, params: SubscribeRequestParams) -> EmptyResult:
        if sum(map(len, self._sessions.values())) >= _MOST_SUBSCRIPTIONS:
            raise MCPError(-32000, "too many subscriptions; unsubscribe from some first")
        sessions = self._sessions.setdefault(str(params.uri), [])
        if ctx.session not in sessions:
            sessions.append(ctx.session)
        return EmptyResult()

    async def _unsubscribe(self, ctx: Any, params: UnsubscribeRequestParams) -> EmptyResult:
        self._drop(str(params.uri), ctx.session)
        return EmptyResult()

    async def _publish(self, run_id: str) -> None:
        uri = run_uri(run_id)
        await self.bus.publish(ResourceUpdated(uri=uri))
        for session in list(self._sessions.get(uri, ())):
            try:
                with anyio.fail_after(1.0):
                    await session.send_resource_updated(uri)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, MCPError, TimeoutError):
                _log.debug("a subscriber of %s is gone", uri)
                self._drop(uri, session)

    def _drop(self, uri: str, session: Any) -> None:
        kept = [one for one in self._sessions.get(uri, ()) if one is not session]
        if kept:
            self._sessions[uri] = kept
        else:
            self._sessions.pop(uri, None)
