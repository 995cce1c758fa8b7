"""The bot's way to the server: bytes, passed on as they are, until the wire is cut."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct

LOOPBACK = "127.0.0.1"
_CHUNK = 65536
_AT_ONCE = struct.pack("ii", 1, 0)  # a closed socket resets its connection: no goodbye is sent


class Wire:
    """Listens where the bot connects. The port is kept while the server behind it comes and goes."""

    def __init__(self) -> None:
        self.port = 0
        self.knocks = 0  # connections that were turned away
        self.away = False  # whether all are turned away
        self._inner = 0
        self._server: asyncio.Server | None = None
        self._near: set[asyncio.StreamWriter] = set()
        self._carriers: set[asyncio.Task[None]] = set()

    async def open(self, inner: int) -> None:
        """Listen, and pass all on to a port of this machine."""
        self._inner = inner
        self._server = await asyncio.start_server(self._take, LOOPBACK, 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening, and hang up on all."""
        if self._server is not None:
            self._server.close()
        self.cut()
        await asyncio.gather(*self._carriers)  # each ends when its connection is gone

    def cut(self) -> None:
        """Break every connection there is, as a torn cable or a dead router does."""
        for near in tuple(self._near):
            _reset(near)

    async def _take(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        if self.away:
            self.knocks += 1
            _reset(near)
            return
        task = asyncio.current_task()
        assert task is not None
        self._near.add(near)
        self._carriers.add(task)
        try:
            await self._carry(reader, near)
        finally:
            self._near.discard(near)
            self._carriers.discard(task)
            near.close()

    async def _carry(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            far_reader, far = await asyncio.open_connection(LOOPBACK, self._inner)
            ways = [asyncio.create_task(_pass(reader, far)), asyncio.create_task(_pass(far_reader, near))]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
                far.close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    sock = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
    writer.transport.abort()
