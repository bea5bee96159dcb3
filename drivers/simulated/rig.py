"""Simulated devices on real lines: a pty under a name that stays, TCP that is called or calls."""

from __future__ import annotations

import asyncio
import errno
import os
import pty
import socket
import struct
import tty
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol, Self

from drivers.port.reasons import HUNG_UP
from drivers.simulated.contact import Contact, Faults
from drivers.simulated.device import Device

OUT_BYTES_MAX = 1 << 20
__all__ = ["LOOPBACK", "Faults", "Rig", "on_dial", "on_pty", "on_tcp"]

LOOPBACK = "127.0.0.1"
REDIAL_S = 0.05


class _Socket(Protocol):
    """Where a device can be plugged in: gives descriptors of the device's side, and hangs up."""

    def address(self) -> str: ...
    def plug(self, rig: Rig) -> None: ...
    def unplug(self, *, abrupt: bool) -> None: ...


class Rig:
    """A device to be plugged in, unplugged and plugged in again.

    It is made by `on_pty`, `on_tcp` or `on_dial`. Use it as an async context; leaving it unplugs.
    What the device itself raises is raised by `hung_up` and by `unplug`.
    """

    def __init__(self, outlet: _Socket, faults: Faults | None = None) -> None:
        self.faults = faults or Faults()
        self._outlet = outlet
        self._device: Device | None = None
        self._device_last: Device | None = None
        self._bug: BaseException | None = None
        self._contact: Contact | None = None

    @property
    def address(self) -> str:
        """What a port is to be given: the same through every replug."""
        return self._outlet.address()

    @property
    def is_connected(self) -> bool:
        """Whether there is a line between the device and the host's side."""
        return self._contact is not None and not self._contact.over.done()

    async def plug(self, device: Device) -> None:
        """Put this device on the line."""
        await self.unplug()
        self._device = self._device_last = device
        self._outlet.plug(self)

    async def unplug(self, *, abrupt: bool = False) -> None:
        """Hang up, in the middle of whatever is said. Does nothing where nothing is plugged in.

        An `abrupt` end of a TCP line is a reset and not an end of file; a pty knows one end only.
        """
        self._device = None
        self.disconnect()
        self._outlet.unplug(abrupt=abrupt)
        if self._bug is not None:
            bug, self._bug = self._bug, None
            raise bug

    async def replug(self, device: Device | None = None) -> None:
        """Hang up and plug in again, on a pty of another number: the same device, or another."""
        again = device or self._device_last
        if again is None:
            raise ValueError("no device was ever plugged in")
        await self.plug(again)

    def poke(self) -> None:
        """A verb of the device was used: let it say now what it has to say."""
        if self._contact is not None:
            self._contact.poke()

    def spoil(self, faults: Faults) -> None:
        """The line does this from now on, and after each replug."""
        self.faults = faults
        if self._contact is not None:
            self._contact.spoil(faults)

    def utter(self, raw: bytes) -> None:
        """These bytes come down the line now, whatever the device says."""
        if self._contact is not None:
            self._contact.utter(raw)

    async def hung_up(self) -> str:
        """Wait until the present line ends, with the reason; raises what the device raised."""
        return HUNG_UP if self._contact is None else await asyncio.shield(self._contact.over)

    def connect(self, fd: int) -> None:
        """The outlet has a line: the device hears and speaks on this descriptor from now on."""
        if self._device is not None:
            self._contact = Contact(fd, self._device, self.faults)
            self._contact.poke()

    def when_over(self, call: Callable[[], None]) -> None:
        """Call this once the present line has ended by the host's doing."""
        if self._contact is not None:
            over = self._contact.over
            over.add_done_callback(lambda _: None if over.exception() else call())

    def disconnect(self) -> None:
        """The outlet's line is about to be closed."""
        contact, self._contact = self._contact, None
        if contact is not None:
            contact.stop()
            self._bug = self._bug or (contact.over.exception() if contact.over.done() else None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.unplug()


class _Pty:
    """A pty whose slave stands under a symlink; each plug takes another pty than the one before."""

    def __init__(self, link: Path) -> None:
        self._link = link
        self._pair: tuple[int, int] | None = None
        self._last = ""

    def address(self) -> str:
        return str(self._link)

    def plug(self, rig: Rig) -> None:
        master, slave = self._another()
        tty.setraw(slave)
        os.set_blocking(master, False)
        # The slave stays open here too: with no opener at all the master would read EIO, unresting.
        self._pair = (master, slave)
        self._last = os.ttyname(slave)
        fresh = self._link.with_name(self._link.name + ".new")
        fresh.symlink_to(self._last)
        fresh.replace(self._link)
        rig.connect(master)

    def unplug(self, *, abrupt: bool) -> None:  # noqa: ARG002 - a pty knows one end only
        if self._pair is not None:
            pair, self._pair = self._pair, None
            self._link.unlink(missing_ok=True)
            for fd in pair:
                os.close(fd)

    def _another(self) -> tuple[int, int]:
        pair = pty.openpty()
        if os.ttyname(pair[1]) != self._last:
            return pair
        other = pty.openpty()
        for fd in pair:
            os.close(fd)
        return other


class _Tcp:
    """A serial bridge on a loopback port that stays; one caller at a time, the last one counts."""

    def __init__(self) -> None:
        self._listener: socket.socket | None = None
        self._caller: socket.socket | None = None
        with socket.create_server((LOOPBACK, 0)) as probe:
            self._port = probe.getsockname()[1]

    def address(self) -> str:
        return f"socket://{LOOPBACK}:{self._port}"

    def plug(self, rig: Rig) -> None:
        self._listener = listener = socket.create_server((LOOPBACK, self._port))
        listener.setblocking(False)
        asyncio.get_running_loop().add_reader(listener, self._accept, listener, rig)

    def unplug(self, *, abrupt: bool) -> None:
        if self._listener is not None:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
            self._listener = None
        if abrupt and self._caller is not None:
            _reset_on_close(self._caller)
        self._drop()

    def _accept(self, listener: socket.socket, rig: Rig) -> None:
        caller, _ = listener.accept()
        caller.setblocking(False)
        caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rig.disconnect()
        self._drop()
        self._caller = caller
        rig.connect(caller.fileno())

    def _drop(self) -> None:
        if self._caller is not None:
            self._caller.close()
            self._caller = None


def _reset_on_close(link: socket.socket) -> None:
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class _Dial:
    """A device that calls a host, again and again until it is there, and after each hang-up."""

    def __init__(self, host: str, port: int) -> None:
        self._where = (host, port)
        self._rig: Rig | None = None
        self._link: socket.socket | None = None
        self._redial: asyncio.TimerHandle | None = None

    def address(self) -> str:
        return "listen://{}:{}".format(*self._where)

    def plug(self, rig: Rig) -> None:
        self._rig = rig
        self._dial()

    def unplug(self, *, abrupt: bool) -> None:
        self._rig = None
        if abrupt and self._link is not None:
            _reset_on_close(self._link)
        self._drop()

    def _dial(self) -> None:
        self._link = link = socket.socket(
            socket.AF_INET6 if ":" in self._where[0] else socket.AF_INET
        )
        link.setblocking(False)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if link.connect_ex(self._where) in {0, errno.EINPROGRESS}:
            asyncio.get_running_loop().add_writer(link, self._answered, link)
        else:
            self._dial_again()

    def _answered(self, link: socket.socket) -> None:
        asyncio.get_running_loop().remove_writer(link)
        failed = link.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        # Where nobody listens, a call may by chance come from the very port that it goes to.
        if failed or link.getsockname() == link.getpeername():
            self._dial_again()
        elif self._rig is not None:
            self._rig.connect(link.fileno())
            self._rig.when_over(partial(self._hung_up, link))

    def _hung_up(self, link: socket.socket) -> None:
        if self._rig is not None and self._link is link:
            self._rig.disconnect()
            self._dial_again()

    def _dial_again(self) -> None:
        self._drop()
        self._redial = asyncio.get_running_loop().call_later(REDIAL_S, self._dial)

    def _drop(self) -> None:
        if self._redial is not None:
            self._redial.cancel()
            self._redial = None
        if self._link is not None:
            asyncio.get_running_loop().remove_writer(self._link)
            self._link.close()
            self._link = None


def on_pty(link: Path, faults: Faults | None = None) -> Rig:
    """A rig whose slave's path is this symlink; its folder must be there."""
    return Rig(_Pty(link), faults)


def on_tcp(faults: Faults | None = None) -> Rig:
    """A rig on a free port of 127.0.0.1, as a serial bridge is."""
    return Rig(_Tcp(), faults)


def on_dial(host: str, port: int, faults: Faults | None = None) -> Rig:
    """A rig that calls a port of this host, as a reader in notification mode does."""
    return Rig(_Dial(host, port), faults)
