"""`RecordService`: records of finished matches, and the transcript of each seat."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

import grpc

from lictor.server.edge.calls import Caller, page_size, refuse
from lictor.server.edge.lists import finished_summary
from lictor.server.matches.house import House
from lictor.server.store import StoreError
from lictor.v1 import record_service_pb2 as pb


class RecordEdge:
    """Hands out records and transcripts."""

    def __init__(self, house: House, caller: Caller) -> None:
        self._house, self._caller = house, caller

    async def GetRecord(self, request: pb.GetRecordRequest, context: Any) -> pb.GetRecordResponse:
        """Return the record of a finished match."""
        await self._caller.identify(context)
        record = await asyncio.to_thread(self._house.store.record, request.match_id)
        if record is None:
            await self._not_there(request.match_id, context)
        return pb.GetRecordResponse(record=record)

    async def ListRecords(self, request: pb.ListRecordsRequest, context: Any) -> pb.ListRecordsResponse:
        """Return finished matches."""
        await self._caller.identify(context)
        try:
            found, page = await asyncio.to_thread(
                lambda: self._house.store.list_finished(
                    game=request.game,
                    bot=request.bot,
                    opponent=request.opponent,
                    limit=page_size(request.page_size),
                    before=request.page,
                )
            )
        except StoreError as error:
            await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, str(error))
        return pb.ListRecordsResponse(matches=[finished_summary(past) for past in found], next_page=page)

    async def GetTranscript(self, request: pb.GetTranscriptRequest, context: Any) -> pb.GetTranscriptResponse:
        """Return what the server noted about one seat."""
        who = await self._caller.identify(context)
        store = self._house.store
        past = await asyncio.to_thread(store.finished, request.match_id)
        if past is None:
            await self._not_there(request.match_id, context)
        bot = past.row.seats.get(request.seat)
        if bot is None:
            text = f"no seat {request.seat!r:.40}; there are {', '.join(past.row.seats)}"
            await refuse(context, grpc.StatusCode.NOT_FOUND, text)
        owner = await asyncio.to_thread(store.bot, bot)
        own = owner is not None and owner.account == who.account and who.bot in ("", bot) and "play" in who.scopes
        # In dev mode nobody has an account to show: the match is over, and everything is open.
        if not own and "referee" not in who.scopes and who.account:
            text = "a seat's transcript is for its owner, or for the scope 'referee'"
            await refuse(context, grpc.StatusCode.PERMISSION_DENIED, text)
        transcript = await asyncio.to_thread(store.transcript, request.match_id, request.seat)
        return pb.GetTranscriptResponse(transcript=transcript or b"")

    async def _not_there(self, match_id: str, context: Any) -> NoReturn:
        if match_id in self._house.matches:
            text = "the match is open; its record can be had when it has ended"
            await refuse(context, grpc.StatusCode.FAILED_PRECONDITION, text)
        await refuse(context, grpc.StatusCode.NOT_FOUND, "there is no finished match of that id")
