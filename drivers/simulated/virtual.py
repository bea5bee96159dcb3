"""A driver and a simulated device on one line, in time that passes only when it is told to."""

from __future__ import annotations

from drivers.driver import Driver
from drivers.readings import Reading
from drivers.simulated.device import Device, Greeter


class VirtualLine:
    """Decoder, talker and device; `run` lets time (ms) pass and returns what was read, with times.

    The talker's bytes are in `sent`, with their times. The line takes no time of its own and hands
    over the device's bytes in pieces of `piece_bytes` (0: whole).
    """

    def __init__(
        self, driver: Driver, device: Device, antennas: tuple[int, ...] = (1,), piece_bytes: int = 0
    ) -> None:
        if driver.talker is None:
            raise TypeError(f"{driver.name} does not ask")
        self.now_ms = 0
        self.sent: list[tuple[int, bytes]] = []
        self._decoder = driver.decoder()
        self._talker = driver.talker(antennas)
        self._device = device
        self._piece_bytes = piece_bytes
        self._read: list[tuple[int, Reading]] = []
        if isinstance(device, Greeter):
            device.connected(self.now_ms)
        self._to_device(self._talker.start(self.now_ms))

    def run(self, for_ms: int) -> list[tuple[int, Reading]]:
        until_ms = self.now_ms + for_ms
        while (next_ms := self._next_ms()) is not None and next_ms <= until_ms:
            self.now_ms = max(self.now_ms, next_ms)
            self._to_host(self._device.wake(self.now_ms))
            self._to_device(self._talker.wake(self.now_ms))
        self.now_ms = until_ms
        read, self._read = self._read, []
        return read

    def _next_ms(self) -> int | None:
        times = [at for at in (self._talker.next_ms, self._device.next_ms) if at is not None]
        return min(times, default=None)

    def _to_device(self, said: bytes) -> None:
        if said:
            self.sent.append((self.now_ms, said))
            self._to_host(self._device.hear(said, self.now_ms))

    def _to_host(self, said: bytes) -> None:
        size = self._piece_bytes or max(len(said), 1)
        for at in range(0, len(said), size):
            for reading in self._decoder.feed(said[at : at + size]):
                self._read.append((self.now_ms, reading))
                self._to_device(self._talker.hear(reading, self.now_ms))
