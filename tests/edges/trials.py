"""What the trials of the way to the broker share."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from daemon.messages import Address, Message
from tests.conftest import LOOPBACK, mosquitto_program
from tests.edges.test_mqtt import Table

NOT_AUTHORISED = b"\x20\x03\x00\x87\x00"


def at(port: int, host: str = LOOPBACK, *, tls: bool = False) -> Address:
    return Address(host, port, tls=tls)


def bare(payload: bytes) -> bytes:
    """A line as it was decided."""
    return payload.replace(b',"late":true', b"")


def number_of(table: Table, number: int) -> Message:
    return Message(table.topics.at("log", "floor"), b'{"n":%d}' % number, key=str(number))


@contextmanager
def mosquitto(folder: Path, host: str, port: int, more: str = "") -> Iterator[subprocess.Popen]:
    conf = folder / f"{host}.conf"
    conf.write_text(f"listener {port} {host}\nallow_anonymous true\nuser root\n{more}")
    with subprocess.Popen(
        [mosquitto_program(), "-c", str(conf)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


class Names:
    """A name server: what it says of `broker.house`; it may fail, or hang until it `goes_on`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.says = LOOPBACK
        self.fails = False
        self.asked = 0
        self.goes_on = threading.Event()
        self.goes_on.set()
        self._resolve = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self)

    def __call__(self, host: str, *args: object, **given: object) -> object:
        if host != "broker.house":
            return self._resolve(host, *args, **given)
        self.asked += 1
        self.goes_on.wait()
        if self.fails:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return self._resolve(self.says, *args, **given)
