"""Many tables that talk: the tape played for each of them, over one raw socket at QoS 1.

    python -m tests.bench.tables BROKER_PORT TABLES

Says `ready` once every table has said what it is. Then each line on standard input, `SECONDS
SPEED`, plays so much more of their time, so many times as fast (0: as fast as the broker takes
it), and is answered with how many messages that were.
"""

from __future__ import annotations

import heapq
import socket
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count

from tests.bench import mqtt, tape

UNACKNOWLEDGED_MAX = 500
NUMBERS = 65535
AHEAD_S = 0.002


def name_of(number: int) -> str:
    """A table's name."""
    return f"poker-{number + 1}"


class Line:
    """A connection that publishes, with so many messages on their way at most."""

    def __init__(self, port: int, client: str) -> None:
        self._line = mqtt.connect(port, client)
        self._number = 0
        self._open = 0

    def say(self, said: tape.Said) -> None:
        """Publish; waits where too much is unacknowledged."""
        self._number = self._number % NUMBERS + 1
        packet = mqtt.publish(said.topic, said.payload, self._number, retain=said.retain)
        self._line.sendall(packet)
        self._open += 1
        if not self._open % 50:
            self._hear(socket.MSG_DONTWAIT)
        while self._open > UNACKNOWLEDGED_MAX:
            self._hear(0)

    def settle(self) -> None:
        """Until the broker has it all."""
        while self._open:
            self._hear(0)

    def _hear(self, flags: int) -> None:
        try:
            received = self._line.recv(mqtt.RECEIVE_BYTES, flags)
        except BlockingIOError:
            return
        if not received:
            raise ConnectionError("the broker hung up")
        self._open -= len(received) // 4  # a PUBACK has four bytes


def evening(tables: int) -> Iterator[tape.Said]:
    """What all of them say, in the order of time, without end."""
    said, long_ms = tape.recorded()
    return heapq.merge(
        *(_played(said, long_ms, number, tables) for number in range(tables)),
        *(_beats(number, tables) for number in range(tables)),
        key=lambda one: one.at_ms,
    )


def _played(said: list[tape.Said], long_ms: int, number: int, of: int) -> Iterator[tape.Said]:
    """One table, that begins where no other does on the tape."""
    begun_ms = long_ms * number // of
    for turn in count():
        for one in said:
            at_ms = turn * long_ms + one.at_ms - begun_ms
            if at_ms >= 0:
                own = one.of(name_of(number), turn)
                yield tape.Said(at_ms, own.topic, own.payload, own.retain)


def _beats(number: int, of: int) -> Iterator[tape.Said]:
    for at_ms in count(tape.BEAT_MS * number // of, tape.BEAT_MS):
        yield tape.beat(at_ms).of(name_of(number))


def main(port: int, tables: int) -> None:
    line = Line(port, "bench-tables")
    for number in range(tables):
        for said in tape.furniture():
            line.say(said.of(name_of(number)))
    line.settle()
    print("ready", flush=True)
    saying = evening(tables)
    now_ms = 0
    held = next(saying)
    for order in sys.stdin:
        seconds, speed = map(float, order.split())
        began_ms, begun_s, told = now_ms, time.monotonic(), 0
        now_ms += round(seconds * 1000)
        while held.at_ms < now_ms:
            if speed:
                due_s = begun_s + (held.at_ms - began_ms) / 1000 / speed
                if (wait_s := due_s - time.monotonic()) > AHEAD_S:
                    time.sleep(wait_s)
            line.say(stamped(held))
            told += 1
            held = next(saying)
        line.settle()
        print(told, flush=True)


def stamped(said: tape.Said) -> tape.Said:
    """With the time of day, where it is an alert's."""
    if b'"at":null' not in said.payload:
        return said
    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    payload = said.payload.replace(b'"at":null', b'"at":"%b"' % at.encode())
    return tape.Said(said.at_ms, said.topic, payload, said.retain)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
