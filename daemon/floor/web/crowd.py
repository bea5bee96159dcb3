"""The connections of all browsers: so many at most, and whoever has most of them gives way.

A socket is counted from its acceptance to its end, before TLS and before a word was said: whoever
opens connections without end takes room from himself, and no descriptor from broker or database.
"""

from __future__ import annotations

import resource
import socket
from collections import Counter
from contextlib import suppress
from typing import Any

CONNECTIONS_MAX = 1000
OTHERS = 150  # descriptors that broker, database, exports and all the rest may need
BATCH = 16  # accepted between two turns of the loop: so many may be over and not closed yet
BACKLOG = 256  # that the kernel holds until we accept them

Peer = tuple[str, int]


class Guest(socket.socket):
    """One accepted connection; its crowd knows when it is closed."""

    def __init__(self, crowd: Crowd, accepted: int, like: socket.socket) -> None:
        super().__init__(like.family, like.type, like.proto, fileno=accepted)
        self._crowd = crowd
        self.peer: Peer = ("?", 0)

    def close(self) -> None:
        """It is over."""
        self._crowd.left(self)
        super().close()


class Crowd:
    """All guests by where they come from, the longest there first. `most` may be there at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._there: dict[Peer, Guest] = {}
        self._busy: set[Peer] = set()

    def __len__(self) -> int:
        return len(self._there)

    def came(self, guest: Guest) -> bool:
        """One more; whether there was room, or somebody gave way."""
        if len(self._there) >= self._most and not self._made_room(guest.peer[0]):
            return False
        self._there[guest.peer] = guest
        return True

    def left(self, guest: Guest) -> None:
        """One less."""
        if self._there.get(guest.peer) is guest:
            del self._there[guest.peer]
            self._busy.discard(guest.peer)

    def busy(self, peer: Any, *, is_so: bool) -> None:  # noqa: ANN401 - as the transport names it
        """Something is asked on this connection that is not answered yet; or it is."""
        if is_so and peer in self._there:
            self._busy.add(peer)
        else:
            self._busy.discard(peer)

    def _made_room(self, newcomer: str) -> bool:
        """End the oldest connection, idle if there is such a one, of whoever has most.

        Where whoever has most is the newcomer, and something is asked at all of his, he is one too
        many.
        """
        ((host, _),) = Counter(host for host, _ in self._there).most_common(1)
        his = [peer for peer in self._there if peer[0] == host]
        idle = [peer for peer in his if peer not in self._busy]
        if not idle and host == newcomer:
            return False
        self._end((idle or his)[0])
        return True

    def _end(self, peer: Peer) -> None:
        guest = self._there.pop(peer)
        self._busy.discard(peer)
        with suppress(OSError):  # the loop reads the end, and closes it
            guest.shutdown(socket.SHUT_RDWR)


class Listening(socket.socket):
    """A socket that accepts guests of a crowd."""

    crowd: Crowd

    def listen(self, _batch: int = BATCH, /) -> None:
        """Whoever accepts has one number for what is held and for what is accepted at a time."""
        super().listen(BACKLOG)

    def accept(self) -> tuple[socket.socket, Any]:
        """The next guest for whom there is room; raises BlockingIOError where there is none now."""
        accepted, address = self._accept()  # type: ignore[attr-defined]
        guest = Guest(self.crowd, accepted, self)
        guest.peer = (str(address[0]), int(address[1]))
        if not self.crowd.came(guest):
            guest.close()
            raise BlockingIOError
        return guest, address


def room() -> int:
    """How many browsers this process has descriptors for."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    own = CONNECTIONS_MAX if soft == resource.RLIM_INFINITY else soft - OTHERS - BATCH
    return max(1, min(CONNECTIONS_MAX, own))
