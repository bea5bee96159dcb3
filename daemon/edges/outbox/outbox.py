"""What is still to be sent: in order, until the broker has it, on a shelf that outlives us."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from daemon.edges.outbox.shelf import Keep, Row
from daemon.messages import Message

PENDING_MAX = 20_000  # a week without a broker, at twice what a supervisor can bear
LATE_S = 5.0
REPEATED_MAX = 20_000
LOOSE_MAX = 256


def _nobody() -> None:
    """Nobody carries: no broker is there."""


@dataclass(slots=True)
class _Waiting:
    """A message that is not confirmed yet; `late` that it waits since an earlier run.

    `again` that it was confirmed once: the shelf knows it by another number.
    """

    message: Message
    put_s: float
    late: bool = False
    again: bool = False


class Outbox:
    """Messages on their way out. Nothing here waits for the broker; `news` is called at every put.

    Transitions, which have a key, leave in the order in which they were put, and behind all else:
    what stands is at the floor before a night's lines are. Of a retained topic only the newest
    value that has not been sent is kept, so that an absent broker costs no memory. Those with a key
    are on the `shelf` too, until a day after the broker has confirmed them; what the last run left
    there is sent first, and said to be late, as is what waited longer than `LATE_S`. `lost` counts
    what was dropped at the bound of `pending_max`: the oldest transitions first. `home` makes a
    call on the loop's thread.
    """

    def __init__(
        self,
        shelf: Keep,
        *,
        pending_max: int = PENDING_MAX,
        now_s: Callable[[], float] = time.monotonic,
        home: Callable[[Callable[[], object]], object] = lambda call: call(),
    ) -> None:
        self.lost = 0
        self.news: Callable[[], None] = _nobody
        self._shelf = shelf
        self._pending_max = pending_max
        self._now_s = now_s
        self._home = home
        self._loose: set[int] = set()
        self._pending: OrderedDict[int, _Waiting] = OrderedDict()  # not yet confirmed
        self._ahead: OrderedDict[int, None] = OrderedDict()  # not yet sent, and not in the line
        self._unsent: OrderedDict[int, None] = OrderedDict()
        self._refused: set[int] = set()
        self._again: deque[Message] = deque()
        self._newest: dict[str, int] = {}  # retained topic -> its message that was not sent yet
        self._state: dict[str, Message] = {}  # what the broker should hold
        self._empty = asyncio.Event()
        left, self._kept, self._number = shelf.kept()
        for row in left:
            self._pending[row.number] = _Waiting(row.message, 0.0, late=True)
        self._unsent = OrderedDict.fromkeys(self._pending)

    def __len__(self) -> int:
        return len(self._pending)

    @property
    def trouble(self) -> str | None:
        """Why nothing is kept on disk, None while it is."""
        return self._shelf.trouble

    def knows(self, key: str) -> bool:
        """Whether an earlier run has put a message of this key here, which is not forgotten yet."""
        return key in self._kept

    def standing(self) -> Collection[str]:
        """The topics at which a retained message of ours belongs."""
        return self._state.keys()

    def put(self, message: Message, *, late: bool = False) -> None:
        """Queue it, and let whoever carries know; never blocks and never fails.

        What is neither retained nor has a key, an answer, is not kept beyond `LOOSE_MAX`; what need
        not arrive is not kept at all where nobody carries.
        """
        if not message.sure and self.news is _nobody:
            return
        if not (message.retain or message.key) and len(self._loose) >= LOOSE_MAX:
            return
        if message.retain:
            self._state.pop(message.topic, None)
            if message.payload:
                self._state[message.topic] = message
            stale = self._newest.get(message.topic)
            if stale is not None:
                self._forget(stale)
        number = self._append(message, late=late)
        if message.key:
            self._shelf.put(Row(number, message))
        elif not message.retain:
            self._loose.add(number)
        if len(self._pending) > self._pending_max:
            self._drop()
        self.news()

    def resend(self, age_ms: int, then: Iterable[Message]) -> bool:
        """Send once more what is no older and was confirmed, behind all that is new, and `then`.

        False where that is being done already.
        """
        if self._again:
            return False
        home, last = self._home, list(then)
        self._shelf.again(age_ms, REPEATED_MAX, lambda rows: home(lambda: self._repeat(rows, last)))
        return True

    def _repeat(self, rows: Iterable[Row], then: Iterable[Message]) -> None:
        self._again.extend(row.message for row in rows)
        self._again.extend(then)
        self.news()

    def unheeded(self) -> None:
        """Nobody carries any more."""
        self.news = _nobody

    def take(self) -> tuple[int, Message] | None:
        """The next message that was not sent, with the number to call `done` with; None if none."""
        if not (self._ahead or self._unsent):
            if not self._again:
                return None
            self._append(self._again.popleft(), late=True, again=True)
        number, _ = (self._ahead or self._unsent).popitem(last=False)
        waiting = self._pending[number]
        message = waiting.message
        if self._newest.get(message.topic) == number:
            del self._newest[message.topic]
        if message.key and (waiting.late or self._now_s() - waiting.put_s > LATE_S):
            return number, _late(message)
        return number, message

    def done(self, number: int) -> None:
        """The broker has confirmed it."""
        waiting = self._pending.pop(number, None)
        self._refused.discard(number)
        self._loose.discard(number)
        if waiting is not None and waiting.message.key and not waiting.again:
            self._shelf.confirmed(number)
        self._look_whether_empty()

    def refused(self, number: int) -> None:
        """The broker will not have it now: it waits for the next `rewind`, if it is worth it."""
        if number in self._loose:
            self._forget(number)
        elif number in self._pending:
            self._refused.add(number)
        self._look_whether_empty()

    async def emptied(self) -> None:
        """Waits until all is confirmed, or refused."""
        if len(self._pending) > len(self._refused):
            self._empty.clear()
            await self._empty.wait()

    def rewind(self) -> None:
        """A new connection, or new rights: what stands is sent, then what was not confirmed.

        Of retained topics only how they are now: what was on its way may have been overtaken.
        """
        self._refused.clear()
        retained = {n: w.message.topic for n, w in self._pending.items() if w.message.retain}
        for number in retained:
            self._forget(number)
        for number in [n for n in self._loose if not self._pending[n].message.sure]:
            self._forget(number)
        left = list(self._pending)
        self._ahead.clear()
        self._unsent.clear()
        self._newest.clear()
        for topic in dict.fromkeys(retained.values()):
            if topic not in self._state:
                self._append(Message(topic, b"", retain=True))
        for message in list(self._state.values()):
            self._append(message)
        for number in left:
            self._line_of(self._pending[number].message)[number] = None
        self.news()

    def sync(self) -> None:
        """Bring to the disk what was put so far, in a thread; waits for nothing."""
        self._shelf.sync()

    def close(self) -> None:
        """Bring to the disk what is to be kept, as far as it takes it."""
        self._shelf.close()

    def _append(self, message: Message, *, late: bool = False, again: bool = False) -> int:
        self._number += 1
        self._pending[self._number] = _Waiting(message, self._now_s(), late, again)
        self._line_of(message)[self._number] = None
        if message.retain:
            self._newest[message.topic] = self._number
        return self._number

    def _line_of(self, message: Message) -> OrderedDict[int, None]:
        return self._unsent if message.key else self._ahead

    def _forget(self, number: int) -> None:
        self._pending.pop(number, None)
        self._ahead.pop(number, None)
        self._unsent.pop(number, None)
        self._refused.discard(number)
        self._loose.discard(number)

    def _drop(self) -> None:
        """Drop the oldest transition that is not under way; all else is bounded elsewhere."""
        if self._unsent:
            number = next(iter(self._unsent))
            self._forget(number)
            self._shelf.confirmed(number)  # or the next run would send it out of its order
            self.lost += 1

    def _look_whether_empty(self) -> None:
        if len(self._pending) <= len(self._refused):
            self._empty.set()


def _late(message: Message) -> Message:
    """The same message, saying that it comes late; what is no JSON object stays as it is."""
    if not message.payload.endswith(b"}"):
        return message
    return replace(message, payload=message.payload[:-1] + b',"late":true}')
