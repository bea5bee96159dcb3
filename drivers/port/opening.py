"""How a port is opened and closed: paths, sockets, keyboards, URLs of pyserial; in a thread."""

from __future__ import annotations

import io
import os
import select
import socket
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread

import serial

from drivers.driver import Driver
from drivers.port.addresses import CALLED, LISTENING, host_and_port, scheme
from drivers.port.keyboard import is_input, open_keyboard
from drivers.port.reasons import WORLD

READ_BYTES_MAX = 4096
CONNECT_S_MAX = 5.0
PUMP_S = 0.02
KEEPALIVE = (  # a half-open link is dead after some 15 s
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 3),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 15_000),
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
)


@dataclass(frozen=True, slots=True)
class Line:
    """An open descriptor, not blocking, and how to close it."""

    fd: int
    close: Callable[[], None]


Sight = tuple[int, ...]


def sight(address: str) -> Sight | None:
    """Which device a path stands for, as often as it came and its rights were changed; None: none.

    A node that udev makes anew, a link that leads elsewhere and a group that may open it now each
    give another one. An address that is no path is never seen. The folders of devices are in
    memory, so that looking into them waits for no disk.
    """
    try:
        seen = Path(address).stat()
    except (OSError, ValueError):
        return None
    node = (seen.st_dev, seen.st_ino, seen.st_rdev, seen.st_ctime_ns)
    return (*node, seen.st_mode, seen.st_uid, seen.st_gid)


def open_line(address: str, driver: Driver) -> Line:
    """Open a port; called in a thread. Raises `WORLD`.

    The line of a `listen://` address carries no bytes: it is where callers are taken from.
    """
    if scheme(address) == CALLED:
        return _connected(address)
    if scheme(address) == LISTENING:
        return _listening(address)
    if is_input(address):
        keyboard = open_keyboard(address)
        return Line(keyboard, partial(os.close, keyboard))
    # A pseudo-terminal has no parity bit, and refuses one the second time it is asked.
    is_pty = os.path.realpath(address).startswith("/dev/pts/")
    parity = serial.PARITY_NONE if is_pty else driver.parity
    port = serial.serial_for_url(
        address, baudrate=driver.baud, parity=parity, timeout=0, exclusive=True
    )
    try:
        fd = port.fileno()  # drained by the opening: what lay there is half a frame at best
        os.set_blocking(fd, False)
    except io.UnsupportedOperation:
        return _pumped(port)
    except WORLD:
        port.close()
        raise
    return Line(fd, partial(_closed, port))


def _connected(address: str) -> Line:
    """A socket of our own: pyserial's is not closed when the far end was quicker to."""
    link = socket.create_connection(host_and_port(address), timeout=CONNECT_S_MAX)
    try:
        return watched(link)
    except OSError:  # the far end was gone again at once
        link.close()
        raise


def watched(link: socket.socket) -> Line:
    """A connection as a line that notices a far end that is gone without a word; raises OSError."""
    for option in KEEPALIVE:
        link.setsockopt(*option)
    link.setblocking(False)
    return Line(link.fileno(), link.close)


def _listening(address: str) -> Line:
    host, port = host_and_port(address)
    family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    door = socket.create_server(where[:2], family=family)
    door.setblocking(False)
    return Line(door.fileno(), door.close)


def _pumped(port: serial.Serial) -> Line:
    """A URL without a descriptor (rfc2217://) gets one: a thread carries its bytes over a pair."""
    near, far = socket.socketpair()
    near.setblocking(False)
    port.timeout = PUMP_S
    pump = Thread(target=_pump, args=(port, far), name="port-pump", daemon=True)
    pump.start()

    def close() -> None:
        near.close()
        pump.join(CONNECT_S_MAX)

    return Line(near.fileno(), close)


def _pump(port: serial.Serial, far: socket.socket) -> None:
    with far, suppress(OSError):
        while True:
            if said := port.read(max(1, min(port.in_waiting, READ_BYTES_MAX))):
                far.sendall(said)
            if select.select([far], [], [], 0)[0]:
                asked = far.recv(READ_BYTES_MAX)
                if not asked:
                    break
                port.write(asked)
    with suppress(OSError):
        port.close()


def _closed(port: serial.Serial) -> None:
    """Close a tty without waiting for what it will never take."""
    with suppress(*WORLD):
        port.reset_output_buffer()
    port.close()


def close_line(line: Line) -> None:
    with suppress(*WORLD):
        line.close()


def discard(opening: Future[Line]) -> None:
    """Close what an opening brought that nobody waits for any more."""
    if not opening.cancelled() and opening.exception() is None:
        close_line(opening.result())
