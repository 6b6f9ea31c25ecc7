"""A connection that does not wait for ever for somebody who never finishes asking."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

ASKING_SECONDS = 10.0
"""Time for a request's headers to arrive, from the opening or the end of the last answer on."""
MOST_SILENT = 256
"""Connections that may wait so at a time; beyond, the one that has waited longest goes, so that
whoever asks at once is always heard."""


class Connection(H11Protocol):
    """uvicorn's own closes idle connections behind an answer only; half-open ones would stay."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore
        super().connection_made(transport)
        self._wait()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._patience is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._patience = self.loop.call_later(ASKING_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _make_room(self) -> None:
        waiting = [
            (one._patience.when(), id(one), one)
            for one in self.connections
            if isinstance(one, Connection) and one._patience is not None
        ]
        if len(waiting) > MOST_SILENT:
            min(waiting)[-1]._give_up()

    def _give_up(self) -> None:
        self._stop_waiting()
        if not self.transport.is_closing():
            self.transport.close()
