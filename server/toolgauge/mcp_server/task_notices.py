"""Telling those who listen how their tasks go: ``notifications/tasks`` of SEP-2663.

A listener names tasks in ``subscriptions/listen``. The SDK serves that method, and tells of
resources alone; so a task is listened to by its resource, and what goes to the client is
written anew: task for resource.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from mcp.server.mcpserver import require_client_extension
from mcp.types import (
    INVALID_PARAMS,
    Notification,
    RequestId,
    ResourceUpdatedNotification,
    ServerNotification,
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotification,
    SubscriptionsListenRequestParams,
)

from toolgauge.errors import NotStored
from toolgauge.mcp_server.tasks import MODERN, TASKS, CallContext, Task, TaskSource, detailed

_MOST_TASKS = 100
_IDS, _URIS = "taskIds", "resourceSubscriptions"


class TaskNotices:
    """Middleware of the server that adds tasks to ``subscriptions/listen``.

    The client is told how each of its tasks goes when it begins to listen, then whenever one
    changes. Tasks that it does not have are left out of what is acknowledged.
    """

    def __init__(self, source: TaskSource) -> None:
        self._source = source

    async def __call__(self, ctx: CallContext, call_next: CallNext) -> HandlerResult:
        """Pass a request on; one that names tasks with a session that tells of them."""
        if ctx.method != "subscriptions/listen" or ctx.protocol_version not in MODERN:
            return await call_next(ctx)
        asked = SubscriptionsListenRequestParams.model_validate(ctx.params or {}).notifications
        ids = (asked.model_extra or {}).get(_IDS)
        if ids is None:
            return await call_next(ctx)
        require_client_extension(ctx, TASKS)
        tasks = await self._found(ctx, ids)
        uris = {self._source.uri_of(task.task_id): task.task_id for task in tasks}
        asked_uris = asked.resource_subscriptions or []
        watched = asked.model_dump(by_alias=True, exclude_none=True)
        watched[_URIS] = list(dict.fromkeys([*asked_uris, *uris]))
        stream = _TaskStream(self._source, ctx, uris, frozenset(asked_uris))
        params = {**(ctx.params or {}), "notifications": watched}
        return await call_next(replace(ctx, params=params, session=cast("Any", stream)))

    async def _found(self, ctx: CallContext, ids: Any) -> list[Task]:
        if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
            raise MCPError(INVALID_PARAMS, f"{_IDS} must be a list of ids")
        found = []
        for task_id in list(dict.fromkeys(ids))[:_MOST_TASKS]:
            try:
                found.append(await self._source.get(ctx, task_id))
            except NotStored:
                continue
        return found


class _TaskNotification(Notification[dict[str, Any], Literal["notifications/tasks"]]):
    """What the SDK has no type for. A dict keeps fields that are null, which a model loses."""


@dataclass(frozen=True, slots=True)
class _TaskStream:
    """The session of a listener, of which the SDK's handler asks for this method alone.

    ``id_by_uri`` are the tasks by their resources, ``asked_uris`` the resources that the
    client named itself.
    """

    source: TaskSource
    ctx: CallContext
    id_by_uri: Mapping[str, str]
    asked_uris: frozenset[str]

    async def send_notification(
        self, notification: ServerNotification, related_request_id: RequestId | None = None
    ) -> None:
        """Send what the SDK tells, and the tasks that it is about."""
        meta = notification.params.meta if notification.params else None
        if isinstance(notification, SubscriptionsAcknowledgedNotification):
            await self._send(self._acknowledged(notification), related_request_id)
            # a task may have ended before anybody listened
            for task_id in self.id_by_uri.values():
                await self._tell(task_id, meta, related_request_id)
            return
        uri = _uri(notification)
        if uri is None or uri in self.asked_uris:
            await self._send(notification, related_request_id)
        if uri is not None and uri in self.id_by_uri:
            await self._tell(self.id_by_uri[uri], meta, related_request_id)

    def _acknowledged(
        self, notification: SubscriptionsAcknowledgedNotification
    ) -> SubscriptionsAcknowledgedNotification:
        """Return the acknowledgement with the tasks, without the resources that stand for them."""
        honored = notification.params.notifications.model_dump(by_alias=True, exclude_none=True)
        uris = [uri for uri in honored.pop(_URIS, ()) if uri in self.asked_uris]
        if uris:
            honored[_URIS] = uris
        honored[_IDS] = list(self.id_by_uri.values())
        told = {"notifications": SubscriptionFilter.model_validate(honored)}
        params = notification.params.model_copy(update=told)
        return notification.model_copy(update={"params": params})

    async def _tell(self, task_id: str, meta: Any, request_id: RequestId | None) -> None:
        """Send a task as ``tasks/get`` would answer; nothing of one deleted meanwhile."""
        try:
            task = await self.source.get(self.ctx, task_id)
        except NotStored:
            return
        params = {"_meta": meta, **detailed(task)}
        notification = _TaskNotification(method="notifications/tasks", params=params)
        await self._send(cast("ServerNotification", notification), request_id)

    async def _send(self, notification: ServerNotification, request_id: RequestId | None) -> None:
        await self.ctx.session.send_notification(notification, related_request_id=request_id)


def _uri(notification: ServerNotification) -> str | None:
    """Return the resource that a notification is about, None for any other."""
    if isinstance(notification, ResourceUpdatedNotification):
        return str(notification.params.uri)
    return None
