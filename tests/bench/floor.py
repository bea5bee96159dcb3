"""The floor under every figure: epoll on the ptys, the sum checked, one raw publish, nothing else.

python -m tests.bench.floor BROKER_PORT PTY...
"""

from __future__ import annotations

import gc
import os
import select
import sys
import tty
from binascii import crc_hqx

from tests.bench import mqtt, script

READ_BYTES = 4096
TOPIC = f"floorcall/v1/{script.SITE}/lean/alerts/floor/lean:bench:%s:1:{script.IRREGULARITY}:deal"


def opened(path: str) -> int:
    port = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    tty.setraw(port)
    return port


def bodies(pending: bytes) -> tuple[list[bytes], bytes]:
    """The bodies of the whole lines whose sum is right, and what is left over."""
    *lines, rest = pending.split(b"\r\n")
    found = []
    for line in lines:
        body, _, total = line[1:].rpartition(b"*")
        if line[:1] == b"$" and total == b"%04X" % crc_hqx(body, 0xFFFF):
            found.append(body)
    return found, rest


def main(broker_port: int, paths: list[str]) -> None:
    ports = {opened(path): b"" for path in paths}
    line = mqtt.connect(broker_port, "bench-floor")
    line.setblocking(False)
    waiting = select.epoll()
    for descriptor in (*ports, line.fileno()):
        waiting.register(descriptor, select.EPOLLIN)
    print("ready", flush=True)
    gc.disable()
    hand, number = b"", 0
    while True:
        for descriptor, _ in waiting.poll():
            if descriptor == line.fileno():
                if not line.recv(mqtt.RECEIVE_BYTES):
                    return
                continue
            found, ports[descriptor] = bodies(ports[descriptor] + os.read(descriptor, READ_BYTES))
            for body in found:
                kind, _, _, *fields = body.split(b",")
                if kind == b"KEY" and fields[0] == b"NEW-HAND":
                    hand = fields[1]
                elif kind == b"KEY" and fields[0] == b"EXPOSED":
                    number = number % 65535 + 1
                    alert = script.ALERT.replace(b"%HAND%", hand)
                    line.sendall(mqtt.publish(TOPIC % hand.decode(), alert, number))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
