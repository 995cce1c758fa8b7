"""The names of games, fetched once for each game, options and data set."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection

import grpc

from lictor.client.games import names_of
from lictor.client.games.names import Names
from lictor.client.stream import Stream
from lictor.v1 import catalog_service_pb2, catalog_service_pb2_grpc
from lictor.v1 import play_service_pb2 as pb

log = logging.getLogger("lictor.client")

_CATALOG_S, _AGAIN_S = 10.0, 0.2
_NO_CATALOG = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INVALID_ARGUMENT)


class Catalogs:
    """Fetches catalogs, from whatever stream there is, and keeps them."""

    def __init__(self, any_stream: Callable[[], Awaitable[Stream]]) -> None:
        self._any_stream = any_stream
        self._known: dict[tuple[object, ...], asyncio.Task[Names]] = {}

    def tasks(self) -> Collection[asyncio.Task[Names]]:
        """Return what must be cancelled at the end."""
        return self._known.values()

    async def names(self, started: pb.MatchStarted) -> Names:
        """Return what spells out the messages of a match."""
        key = (started.game, tuple(sorted(started.options.items())), started.data)
        task = self._known.get(key)
        if task is None:
            task = self._known[key] = asyncio.create_task(self._fetch(started))
        return await asyncio.shield(task)

    async def _fetch(self, started: pb.MatchStarted) -> Names:
        request = catalog_service_pb2.GetCatalogRequest(game=started.game, options=started.options)
        while True:
            stream = await self._any_stream()
            try:
                stub = catalog_service_pb2_grpc.CatalogServiceStub(stream.channel)
                found = await stub.GetCatalog(request, timeout=_CATALOG_S)
            except grpc.aio.AioRpcError as error:
                if error.code() in _NO_CATALOG:
                    log.warning("no catalog of %s (%s); views have no names", started.game, error.details())
                    return names_of(started.game, None)
            except asyncio.CancelledError:
                # A channel that is closed cancels its calls; only if nobody cancels us do we go on.
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
            else:
                if found.data != started.data:
                    log.error("match %s: the server has another data set than the match", started.match_id)
                return names_of(started.game, found.catalog)
            await asyncio.sleep(_AGAIN_S)
