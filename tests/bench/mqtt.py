"""MQTT 3.1.1 by hand over a raw socket: as little as can stand between a daemon and its broker."""

from __future__ import annotations

import socket
from dataclasses import dataclass

CONNACK, PUBLISH, PUBACK, SUBACK = 0x20, 0x30, 0x40, 0x90
CONNECT, SUBSCRIBE, DISCONNECT = 0x10, 0x82, 0xE0
QOS_1, RETAIN = 0x02, 0x01
RECEIVE_BYTES = 65536


def text(word: str) -> bytes:
    encoded = word.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def packet(kind: int, *parts: bytes) -> bytes:
    """Fixed header, remaining length in sevens of bits, body."""
    body = b"".join(parts)
    length, left = bytearray(), len(body)
    while True:
        left, low = divmod(left, 128)
        length.append(low | (0x80 if left else 0))
        if not left:
            return bytes((kind,)) + bytes(length) + body


def connect(port: int, client: str) -> socket.socket:
    """A socket on the broker of this machine, connected, in a clean session without keepalive."""
    line = socket.create_connection(("127.0.0.1", port), timeout=60)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.sendall(packet(CONNECT, text("MQTT"), b"\x04\x02\x00\x00", text(client)))
    answer = line.recv(4)
    if answer != b"\x20\x02\x00\x00":
        raise ConnectionError(f"the broker refused {client}: {answer.hex()}")
    return line


def publish(topic: str, payload: bytes, number: int, *, retain: bool = True) -> bytes:
    """A message at QoS 1; `number` is 1 to 65535."""
    kind = PUBLISH | QOS_1 | (RETAIN if retain else 0)
    return packet(kind, text(topic), number.to_bytes(2, "big"), payload)


def subscribe(line: socket.socket, topic: str) -> None:
    """Ask for a topic at QoS 1; its SUBACK comes as a packet."""
    line.sendall(packet(SUBSCRIBE, b"\x00\x01", text(topic), b"\x01"))


def puback(number: bytes) -> bytes:
    return packet(PUBACK, number)


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet from the broker, taken apart as far as a bench needs."""

    kind: int
    topic: str = ""
    number: bytes = b""
    payload: bytes = b""
    retained: bool = False


class Packets:
    """Bytes of the socket in, packets out."""

    def __init__(self) -> None:
        """Begin between packets."""
        self._pending = b""

    def feed(self, received: bytes) -> list[Packet]:
        self._pending += received
        found = []
        while (whole := self._cut()) is not None:
            found.append(_taken_apart(*whole))
        return found

    def _cut(self) -> tuple[int, bytes] | None:
        length = 0
        for index, byte in enumerate(self._pending[1:5]):
            length |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                begin = index + 2
                if len(self._pending) < begin + length:
                    return None
                kind, body = self._pending[0], self._pending[begin : begin + length]
                self._pending = self._pending[begin + length :]
                return kind, body
        return None


def _taken_apart(first: int, body: bytes) -> Packet:
    kind = first & 0xF0
    if kind != PUBLISH:
        return Packet(kind)
    name_end = 2 + int.from_bytes(body[:2], "big")
    number_end = name_end + (2 if first & 0x06 else 0)
    topic = body[2:name_end].decode()
    number, payload = body[name_end:number_end], body[number_end:]
    return Packet(kind, topic, number, payload, retained=bool(first & RETAIN))
