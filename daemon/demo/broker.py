"""The demo's own broker: iotcore (rumqttd) in a child process, for this machine alone."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LOOPBACK = "127.0.0.1"
_PORT_MAX = 65535

# rumqttd keeps one listener for each version of MQTT. Payloads here are a few kilobytes.
_CONFIGURATION = """\
id = 0

[router]
id = 0
max_connections = 64
max_outgoing_packet_count = 200
max_segment_size = 1048576
max_segment_count = 10

[v5.1]
name = "v5"
listen = "{host}:{port}"
next_connection_delay_ms = 1
[v5.1.connections]
connection_timeout_ms = 10000
max_payload_size = 262144
max_inflight_count = 100
dynamic_filters = true

[v4.1]
name = "v311"
listen = "{host}:{port_older}"
next_connection_delay_ms = 1
[v4.1.connections]
connection_timeout_ms = 10000
max_payload_size = 262144
max_inflight_count = 100
dynamic_filters = true
"""


class BrokerError(Exception):
    """The demo's broker does not start; the text says why."""


@dataclass(frozen=True, slots=True)
class Listeners:
    """Where the broker listens: `port` for MQTT 5, `port_older` for MQTT 3.1.1."""

    port: int
    port_older: int

    @property
    def url(self) -> str:
        return f"mqtt://{LOOPBACK}:{self.port}"


@contextmanager
def running_broker(folder: Path, port: int = 0) -> Iterator[Listeners]:
    """A broker on `port` (0: any free one) and the next for MQTT 3.1.1; raises BrokerError."""
    listeners = Listeners(port, port + 1) if port else Listeners(*_free_ports())
    if listeners.port_older > _PORT_MAX:
        raise BrokerError(f"port {port}: the next one is needed too, for MQTT 3.1.1")
    path = folder / "broker.toml"
    path.write_text(
        _CONFIGURATION.format(host=LOOPBACK, port=listeners.port, port_older=listeners.port_older)
    )
    try:
        from iotcore import Broker  # noqa: PLC0415 - an extra: the table's daemon does without

        broker = Broker(config_path=str(path))
        broker.start()
    except ImportError as error:
        raise BrokerError("the demo needs its extra: pip install 'floorcall[demo]'") from error
    except (OSError, RuntimeError) as error:
        other = "; --port 0 takes any that is free" if port else ""
        raise BrokerError(f"the broker does not start: {error}{other}") from error
    try:
        yield listeners
    finally:
        broker.stop()


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind((LOOPBACK, 0))
        other.bind((LOOPBACK, 0))
        return int(one.getsockname()[1]), int(other.getsockname()[1])
