"""Who may be told of a run: its owner alone, in both eras of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from mcp.types import INVALID_PARAMS

from toolgauge.errors import NotStored
from toolgauge.mcp_server.announcements import run_uri
from toolgauge.mcp_server.state import State, owner_of_request
from toolgauge.mcp_server.tasks import CallContext

_RUNS = run_uri("")
_URIS = "resourceSubscriptions"


async def own_subscriptions(ctx: CallContext, call_next: CallNext) -> HandlerResult:
    """Refuse to tell of somebody else's run; where several are asked for, leave those out."""
    params: Mapping[str, Any] = ctx.params or {}
    if ctx.method == "resources/subscribe":
        await _owned(ctx, params.get("uri"))
    elif ctx.method == "subscriptions/listen":
        asked = params.get("notifications")
        uris = asked.get(_URIS) if isinstance(asked, dict) else None
        if isinstance(asked, dict) and isinstance(uris, list):
            kept = [uri for uri in uris if await _is_owned(ctx, uri)]
            params = {**params, "notifications": {**asked, _URIS: kept}}
            return await call_next(replace(ctx, params=params))
    return await call_next(ctx)


async def _is_owned(ctx: CallContext, uri: Any) -> bool:
    try:
        await _owned(ctx, uri)
    except MCPError:
        return False
    return True


async def _owned(ctx: CallContext, uri: Any) -> None:
    """Make sure that the address is no run's, or one of the caller's.

    Raises:
        MCPError: it is not.
    """
    from toolgauge.service.owned import owned_run

    if not isinstance(uri, str) or not uri.startswith(_RUNS):
        return
    state: State = ctx.lifespan_context
    run_id = uri.removeprefix(_RUNS).split("/")[0]
    try:
        owner = owner_of_request(ctx.request)
        await owned_run(await state.database(), run_id, owner, with_cases=False)
    except NotStored as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error
