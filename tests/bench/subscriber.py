"""A subscriber on a raw socket: when the first alert of each hand came.

    python -m tests.bench.subscriber BROKER_PORT TABLE COUNT

Says `ready` once subscribed; ends after COUNT hands or when nothing has come for IDLE_S, and then
prints a JSON object, hand → monotonic nanoseconds.
"""

from __future__ import annotations

import gc
import sys
import time

import msgspec

from tests.bench import mqtt, script

START_S = 40.0  # the daemon starts after the subscriber
IDLE_S = 3.0


class Alert(msgspec.Struct):
    """The part of an alert that says what it is about."""

    hand: str
    irregularity: str


def main(broker_port: int, table: str, count: int) -> None:
    seen: dict[str, int] = {}
    decoder = msgspec.json.Decoder(Alert)
    packets = mqtt.Packets()
    line = mqtt.connect(broker_port, f"bench-subscriber-{table}")
    mqtt.subscribe(line, f"floorcall/v1/{script.SITE}/{table}/alerts/floor/#")
    line.settimeout(START_S)
    gc.disable()
    while len(seen) < count:
        try:
            received = line.recv(mqtt.RECEIVE_BYTES)
        except TimeoutError:
            break
        at_ns = time.monotonic_ns()
        for packet in packets.feed(received):
            if packet.kind == mqtt.SUBACK:
                print("ready", flush=True)
            elif packet.kind == mqtt.PUBLISH:
                line.settimeout(IDLE_S)
                line.sendall(mqtt.puback(packet.number))
                if packet.payload:
                    alert = decoder.decode(packet.payload)
                    if alert.irregularity == script.IRREGULARITY:
                        seen.setdefault(alert.hand, at_ns)
        if not received:
            break
    print(msgspec.json.encode(seen).decode(), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
