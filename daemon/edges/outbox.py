"""What is still to be sent: kept in order, and in memory, until the broker has confirmed it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator

from daemon.messages import Message

PENDING_MAX = 4096


def _nobody() -> None:
    """Nobody carries: no broker is there."""


class Outbox:
    """Messages on their way out. Nothing here waits for the broker; `news` is called at every put.

    Transitions leave in the order in which they were put; of a retained topic only the newest value
    that has not been sent is kept, so that an absent broker costs no memory. `lost` counts what was
    dropped at the bound of `pending_max`: the oldest transitions first.
    """

    def __init__(self, pending_max: int = PENDING_MAX) -> None:
        self.lost = 0
        self.news: Callable[[], None] = _nobody
        self._pending_max = pending_max
        self._pending: OrderedDict[int, Message] = OrderedDict()  # not yet confirmed
        self._unsent: OrderedDict[int, None] = OrderedDict()
        self._newest: dict[str, int] = {}  # retained topic -> its message that was not sent yet
        self._state: dict[str, Message] = {}  # what the broker should hold
        self._number = 0
        self._empty = asyncio.Event()

    def __len__(self) -> int:
        return len(self._pending)

    def put(self, message: Message) -> None:
        """Queue it, and let whoever carries know; never blocks and never fails."""
        if message.retain:
            self._state.pop(message.topic, None)
            if message.payload:
                self._state[message.topic] = message
            stale = self._newest.get(message.topic)
            if stale is not None:
                self._forget(stale)
        self._append(message)
        if len(self._pending) > self._pending_max:
            self._drop()
        self.news()

    def unheeded(self) -> None:
        """Nobody carries any more."""
        self.news = _nobody

    def take(self) -> tuple[int, Message] | None:
        """The next message that was not sent, with the number to call `done` with; None if none."""
        if not self._unsent:
            return None
        number, _ = self._unsent.popitem(last=False)
        message = self._pending[number]
        if self._newest.get(message.topic) == number:
            del self._newest[message.topic]
        return number, message

    def done(self, number: int) -> None:
        """The broker has confirmed it."""
        self._pending.pop(number, None)
        if not self._pending:
            self._empty.set()

    async def emptied(self) -> None:
        """Waits until all is confirmed."""
        if self._pending:
            self._empty.clear()
            await self._empty.wait()

    def rewind(self) -> None:
        """A new connection: what was not confirmed is sent again, and behind it all that stands."""
        self._unsent = OrderedDict.fromkeys(self._pending)
        self._newest = {
            message.topic: number for number, message in self._pending.items() if message.retain
        }
        for topic, message in list(self._state.items()):
            if topic not in self._newest:
                self._append(message)

    def _append(self, message: Message) -> None:
        self._number += 1
        self._pending[self._number] = message
        self._unsent[self._number] = None
        if message.retain:
            self._newest[message.topic] = self._number

    def _forget(self, number: int) -> None:
        self._pending.pop(number, None)
        self._unsent.pop(number, None)

    def _drop(self) -> None:
        """Drop the oldest transition that is not under way; retained state is bounded elsewhere."""
        oldest = next(self._transitions(), None)
        if oldest is not None:
            self._forget(oldest)
            self.lost += 1

    def _transitions(self) -> Iterator[int]:
        return (number for number in self._unsent if not self._pending[number].retain)
