"""A mosquitto of the bench's own on a free port of loopback."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

START_S = 60

CONFIG = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
persistence false
max_queued_messages 100000
log_dest none
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def mosquitto(folder: Path) -> Iterator[int]:
    """Run it; yields its port."""
    program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
    port = free_port()
    config = folder / "mosquitto.conf"
    config.write_text(CONFIG.format(port=port))
    with subprocess.Popen([program, "-c", str(config)], stdin=subprocess.DEVNULL) as broker:
        try:
            deadline = monotonic() + START_S
            while not answers(port):
                if broker.poll() is not None or monotonic() > deadline:
                    raise ConnectionError("mosquitto does not start")
            yield port
        finally:
            broker.terminate()
