"""A demo table in virtual time: every byte as on real lines, no line and no waiting.

Each sensor's device, its talker and the talker's decoder are stepped through a time that passes
only as far as somebody waits; what the devices say becomes the signals that ports would bring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from daemon.demo.stage import Pause, Wait
from daemon.signals import Chunk, PortBack, Signal, Tick
from daemon.table.layout import Layout
from drivers.catalog import DRIVERS
from drivers.driver import Driver
from drivers.simulated.device import Device

TICK_MS = 250
NEVER = 1 << 62
REPLIES_MS = 500  # longer than any device takes to answer


class VirtualTable:
    """A layout's devices on lines that take no time; `take` gets each signal as it comes."""

    def __init__(
        self, layout: Layout, devices: dict[str, Device], take: Callable[[Signal], None]
    ) -> None:
        self.now_ms = 0
        self._take = take
        rows = {driver.name: driver for driver in DRIVERS}
        self._lines = [
            _Line(sensor.name, rows[sensor.driver], devices[sensor.name], sensor.antennas)
            for sensor in layout.sensors
        ]
        self._tick_ms = TICK_MS
        for line in self._lines:
            take(PortBack(0, line.port))
            self._say(line, line.start(0))

    def perform(self, waits: Iterable[Wait]) -> None:
        """Let time pass for all that a stage waits for."""
        for wait in waits:
            self._poke()
            if isinstance(wait, Pause):
                self._run_to(self.now_ms + wait.ms)
            else:
                while wait.reader.polls < wait.polls:
                    self._step(NEVER)
        self._poke()

    def reopen(self, port: str) -> None:
        """A port opens anew: what was on its way is lost, and the host asks from the beginning."""
        line = next(line for line in self._lines if line.port == port)
        line.cut(self.now_ms)
        self._say(line, line.start(self.now_ms))

    def _poke(self) -> None:
        """What a hand has just done is said at once."""
        for line in self._lines:
            self._say(line, line.device.wake(self.now_ms))

    def _run_to(self, until_ms: int) -> None:
        while self._step(until_ms):
            pass
        self.now_ms = until_ms

    def _step(self, until_ms: int) -> bool:
        """Go on to the next thing that happens by then, if there is one."""
        line = min(self._lines, key=lambda line: line.next_ms)
        due_ms = min(line.next_ms, self._tick_ms)
        if due_ms > until_ms:
            return False
        self.now_ms = max(self.now_ms, due_ms)
        if self._tick_ms <= self.now_ms:
            self._tick_ms += TICK_MS
            self._take(Tick(self.now_ms))
            return True
        self._say(line, line.wake(self.now_ms))
        return True

    def _say(self, line: _Line, said: bytes) -> None:
        while said:
            self._take(Chunk(self.now_ms, line.port, said))
            said = line.answer(said, self.now_ms)


class _Line:
    """One sensor: the device, and the host's asking half."""

    def __init__(
        self, port: str, driver: Driver, device: Device, antennas: tuple[int, ...]
    ) -> None:
        assert driver.talker is not None, f"{driver.name} does not ask"
        self.port = port
        self.device = device
        self._driver, self._antennas = driver, antennas
        self._decoder = driver.decoder()
        self._talker = driver.talker(antennas)
        self.next_ms = 0

    def cut(self, now_ms: int) -> None:
        """What the device is about to say is lost, and what the host had half heard."""
        assert self._driver.talker is not None
        self.device.wake(now_ms + REPLIES_MS)
        self._decoder = self._driver.decoder()
        self._talker = self._driver.talker(self._antennas)

    def start(self, now_ms: int) -> bytes:
        return self._ask(self._talker.start(now_ms), now_ms)

    def wake(self, now_ms: int) -> bytes:
        said = self.device.wake(now_ms)
        return said + self._ask(self._talker.wake(now_ms), now_ms)

    def answer(self, said: bytes, now_ms: int) -> bytes:
        """What the device says to what the host asks because of these bytes."""
        asked = b"".join(self._talker.hear(reading, now_ms) for reading in self._decoder.feed(said))
        return self._ask(asked, now_ms)

    def _ask(self, asked: bytes, now_ms: int) -> bytes:
        said = self.device.hear(asked, now_ms) if asked else b""
        dues = [due for due in (self._talker.next_ms, self.device.next_ms) if due is not None]
        self.next_ms = min(dues, default=NEVER)
        return said
