"""A simulated device on an open descriptor, and what the line does to its bytes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from drivers.port.wire import Wire
from drivers.simulated.device import Device, Greeter
from drivers.simulated.noise import Noise

OUT_BYTES_MAX = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What the line does to the device's bytes.

    `piece_bytes` cuts each utterance into pieces of that many bytes, sent `gap_ms` apart (0: one
    at a turn of the loop). `joined_ms` holds what is said for so long and sends it as one. Dirt:
    `before` the first utterance after a plug, `between` two of them, `after` the last one, in front
    of the hang-up. `noise` makes what becomes of the device's bytes (`drivers.simulated.noise`),
    the dirt among them, and `noise_back` what becomes of the host's, both anew with each line.
    """

    piece_bytes: int = 0
    gap_ms: int = 0
    joined_ms: int = 0
    before: bytes = b""
    between: bytes = b""
    after: bytes = b""
    noise: Callable[[], Noise] | None = None
    noise_back: Callable[[], Noise] | None = None


class Contact:
    """A device on an open descriptor; its time is the loop's, in milliseconds."""

    def __init__(self, fd: int, device: Device, faults: Faults) -> None:
        self._device = device
        self._pieces: deque[bytes] = deque()
        self._joined = b""
        self._joiner: asyncio.Handle | None = None
        self._timer: asyncio.Handle | None = None
        self.spoil(faults)
        self._dirt = faults.before
        self._wire = Wire(fd, self, OUT_BYTES_MAX)
        self.over = self._wire.over
        if isinstance(device, Greeter):
            device.connected(self._wire.now_ms)

    def spoil(self, faults: Faults) -> None:
        self._faults = faults
        self._noise = _unspoilt if faults.noise is None else faults.noise()
        self._noise_back = _unspoilt if faults.noise_back is None else faults.noise_back()
        self._dirt = faults.between

    def utter(self, raw: bytes) -> None:
        self._wire.send(raw)

    def poke(self) -> None:
        self._say(self._device.wake(self._wire.now_ms))
        self._wire.wake_at(self._device.next_ms)

    def stop(self) -> None:
        self._wire.send(self._faults.after)
        self._hush()
        self._wire.stop()

    def heard(self, data: bytes) -> None:
        self._say(self._device.hear(self._noise_back(data), self._wire.now_ms))
        self._wire.wake_at(self._device.next_ms)

    def sent(self, data: bytes) -> None:
        pass

    def ended(self, _reason: str) -> None:
        self._hush()

    def _hush(self) -> None:
        for timer in (self._joiner, self._timer):
            if timer is not None:
                timer.cancel()

    def due(self) -> None:
        at_ms = self._device.next_ms
        if at_ms is not None and at_ms <= self._wire.now_ms:
            self.poke()
        else:
            self._wire.wake_at(at_ms)

    def _say(self, data: bytes) -> None:
        """Send what the device says; a host that reads nothing for long loses it, as on a UART."""
        if not data:
            return
        whole = self._noise(self._dirt + data)
        self._dirt = self._faults.between
        if self._faults.joined_ms or self._joined:
            self._joined += whole
            if self._joiner is None:
                loop = asyncio.get_running_loop()
                self._joiner = loop.call_later(self._faults.joined_ms / 1000, self._join)
            return
        self._send(whole)

    def _join(self) -> None:
        self._joiner = None
        joined, self._joined = self._joined, b""
        self._send(joined)

    def _send(self, whole: bytes) -> None:
        size = self._faults.piece_bytes or max(len(whole), 1)
        if not self._faults.piece_bytes and not self._pieces:
            self._wire.send(whole)
            return
        self._pieces.extend(whole[at : at + size] for at in range(0, len(whole), size))
        if self._timer is None:
            self._push()

    def _push(self) -> None:
        self._timer = None
        if self._pieces:
            self._wire.send(self._pieces.popleft())
            gap_s = self._faults.gap_ms / 1000
            self._timer = asyncio.get_running_loop().call_later(gap_s, self._push)


def _unspoilt(said: bytes) -> bytes:
    return said
