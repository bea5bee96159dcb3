"""What goes wrong, when and for how long, from the seed alone."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from time import monotonic

Wrong = Callable[[], AbstractAsyncContextManager[None]]

# The fault: what it is done to, of which there is one; two faults of one place follow each other.
OF_A_TABLE = {
    "kill -9": "daemon",
    "SIGTERM": "daemon",
    "disk full": "disk",
    "refused port": "way",
    "half-open": "way",
    "slow": "way",
    "cut": "way",
    "recorder away": "recorder",
    "hour forth": "clock",
    "hour back": "clock",
}
OF_THE_BROKER = dict.fromkeys(("broker SIGTERM", "broker SIGKILL", "broker hung"), "broker")
QUIET_S = 2.0  # at the beginning: how it is when all is well
LONGEST_S = 8.0  # longer than a confirmation may take, so that connections are given up
LASTING_S = 25.0  # of what must meet other faults to be one
LASTING = {"recorder away", "hour forth", "hour back"}
APART_S = 0.3


@dataclass(frozen=True, slots=True)
class Fault:
    at_s: float
    name: str
    for_s: float


def plan(seed: str, kinds: Mapping[str, str], seconds: float, every_s: float) -> Iterator[Fault]:
    """Every kind once, in some order, before any comes again; short ones more often than long."""
    chance = random.Random(seed)
    free_s = dict.fromkeys(kinds.values(), QUIET_S)
    at_s = QUIET_S
    while True:
        for name in chance.sample(list(kinds), len(kinds)):
            at_s += chance.expovariate(1 / every_s)
            longest_s = LASTING_S if name in LASTING else LONGEST_S
            for_s = longest_s * chance.random() * chance.random()
            begins_s = max(at_s, free_s[kinds[name]])
            if begins_s >= seconds:
                return
            free_s[kinds[name]] = begins_s + for_s + APART_S
            yield Fault(begins_s, name, for_s)


class Weather:
    """Faults as they come, over one table or over the broker of all.

    `kinds` gives each fault as a context, as long as which it is so; `heed` is told what happens.
    """

    def __init__(
        self,
        faults: Iterable[Fault],
        places: Mapping[str, str],
        kinds: Mapping[str, Wrong],
        heed: Callable[[str], None],
    ) -> None:
        self.seen: Counter[str] = Counter()
        self._faults = list(faults)
        self._places = places
        self._kinds = kinds
        self._heed = heed
        self._locks = {place: asyncio.Lock() for place in places.values()}
        self._under_way = 0
        self._changes = 1

    @property
    def calm(self) -> int:
        """The number of this time between two faults; 0 while something is wrong."""
        return 0 if self._under_way else self._changes

    async def run(self) -> None:
        """All of them, each at its time."""
        began_s = monotonic()
        async with asyncio.TaskGroup() as group:
            for fault in self._faults:
                group.create_task(self._befall(began_s, fault))

    async def _befall(self, began_s: float, fault: Fault) -> None:
        await asyncio.sleep(began_s + fault.at_s - monotonic())
        async with self._locks[self._places[fault.name]]:
            self.seen[fault.name] += 1
            self._under_way += 1
            self._changes += 1
            self._heed(f"{fault.name} for {fault.for_s:.2f} s")
            async with self._kinds[fault.name]():
                await asyncio.sleep(fault.for_s)
            self._under_way -= 1
            self._changes += 1
            self._heed(f"{fault.name} over")
