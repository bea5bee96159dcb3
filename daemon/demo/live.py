"""A demo table on real lines: each device on a pty of its own, the hands in real time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from daemon.demo.stage import Pause, Polled, Stage, Wait
from daemon.demo.table_fit import Devices, Reader, configuration, decks, write_configuration
from daemon.table.places import SEATS_MAX
from drivers.simulated.device import Device
from drivers.simulated.rig import Faults, Rig, on_pty

Outlet = Callable[[Path, Faults | None], Rig]

_READY_POLLS = 3  # a reader that was polled so often is being listened to


class LiveTable:
    """A table's devices, plugged in; `configuration` is the file `floorcall run` needs for it.

    `devices` and, under their sensors' names, `rigs` are there for whoever makes a line go wrong.
    `events` that its daemon tells the dealing events.
    `stage` gives the hands that perform events on them; `perform` lets the time pass they ask for.
    """

    def __init__(  # noqa: PLR0913 - how a table may be
        self,
        name: str,
        folder: Path,
        broker_url: str,
        rng: random.Random,
        seat_count: int = SEATS_MAX,
        *,
        events: bool = False,
    ) -> None:
        self.name = name
        self.configuration = folder / "table.toml"
        self._rng = rng
        self.devices = Devices(seat_count)
        self.rigs: dict[str, Rig] = {}
        self._decks = decks(rng)
        self._polled = asyncio.Event()
        self._folder = folder
        self._broker_url = broker_url
        self._events = events

    @asynccontextmanager
    async def plugged(
        self, faults: Faults | None = None, outlet: Outlet = on_pty
    ) -> AsyncIterator[LiveTable]:
        """Write the configuration and plug every device in; leaving it unplugs them.

        `outlet` is given a path in the table's folder and says what each is plugged into.
        """
        async with AsyncExitStack() as stack:
            for name, device in self.devices.named().items():
                rig = await stack.enter_async_context(outlet(self._folder / name, faults))
                await rig.plug(_Watched(device, self._polled.set))
                self.rigs[name] = rig
            ports = {name: rig.address for name, rig in self.rigs.items()}
            text = configuration(
                self.name, self._broker_url, ports, self._decks, events=self._events
            )
            write_configuration(self.configuration, text)
            yield self

    def stage(self, speed: float) -> Stage:
        """Empty hands at this table."""
        return Stage(self.devices, self._decks, self._rng, speed)

    async def ready(self) -> None:
        """Until every reader is being polled."""
        for reader in self._readers():
            await self._until(Polled(reader, _READY_POLLS))

    async def perform(self, waits: Iterable[Wait]) -> None:
        """Let the time pass that a stage asks for; what its hands do is said at once."""
        for wait in waits:
            self._poke()
            if isinstance(wait, Pause):
                await asyncio.sleep(wait.ms / 1000)
            else:
                await self._until(wait)
        self._poke()

    def _readers(self) -> list[Reader]:
        return [self.devices.felt, *self.devices.seats.values()]

    def _poke(self) -> None:
        for rig in self.rigs.values():
            rig.poke()

    async def _until(self, wait: Polled) -> None:
        while wait.reader.polls < wait.polls:
            self._polled.clear()
            await self._polled.wait()


class _Watched:
    """A device that tells when the host has asked it something."""

    def __init__(self, device: Device, asked: Callable[[], None]) -> None:
        self._device = device
        self._asked = asked

    def hear(self, data: bytes, now_ms: int) -> bytes:
        said = self._device.hear(data, now_ms)
        self._asked()
        return said

    def wake(self, now_ms: int) -> bytes:
        return self._device.wake(now_ms)

    @property
    def next_ms(self) -> int | None:
        return self._device.next_ms
