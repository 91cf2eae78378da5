"""Clients that never finish their request: each would keep its connection, and there is a bounded number of them."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

SECONDS = 20.0
"""Between two looks: what was not wholly received in one look and is not in the next is given up."""


class Patient(H11Protocol):
    """HTTP as uvicorn speaks it, which by itself waits for the rest of a request for ever."""

    seconds = SECONDS
    _look: asyncio.TimerHandle | None = None
    _seen: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look = self.loop.call_later(self.seconds, self._hang_up)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def _hang_up(self) -> None:
        """Close the connection if it still waits for the same request as at the last look."""
        if self.conn.their_state in {h11.IDLE, h11.SEND_BODY} and self.cycle is self._seen:
            self.transport.close()
            return
        self._seen = self.cycle
        self._look = self.loop.call_later(self.seconds, self._hang_up)
