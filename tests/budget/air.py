"""Readers in noisy air: tags missed, overheard from the antenna beside, told late and twice."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.demo.table_fit import FELT, FELT_PLACES, seat_sensor
from daemon.table.places import ASIDE, BOARD, BURN, MUCK, SEAT, STUB
from drivers.pn532 import POLL_MS, TARGETS_MAX
from drivers.readings import Inventory
from drivers.simulated.csl1 import Shoe
from drivers.simulated.keypad import Keypad

# Which antennas lie side by side on the felt; seats are neighbours of the seats beside them.
BESIDE = {
    BOARD: (BURN, STUB, ASIDE),
    BURN: (BOARD, STUB),
    STUB: (BURN, MUCK),
    MUCK: (STUB, ASIDE),
    ASIDE: (MUCK, BOARD),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How often, of one: a tag on an antenna is missed in a poll, a tag on the antenna beside is
    heard in a poll, a poll is told twice. A poll comes up to `jitter` of its period late."""

    misreads: float = 0.01
    ghosts: float = 0.01
    repeats: float = 0.01
    jitter: float = 0.4


class Air:
    """What lies on which antenna of a table, by place."""

    def __init__(self, noise: Noise, rng) -> None:
        self.noise = noise
        self.rng = rng
        self.lies: dict[str, dict[str, None]] = {}  # in the order in which they were laid

    def heard(self, place, beside):
        """The tags that one poll of the antenna at this place hears."""
        draw, noise = self.rng.random, self.noise
        tags = [uid for uid in self.lies.get(place, ()) if draw() >= noise.misreads]
        for other in beside:
            tags += [uid for uid in self.lies.get(other, ()) if draw() < noise.ghosts]
        return tags


class AirReader:
    """A reader whose antennas lie at these places; tells at most `tags_max` tags a poll."""

    def __init__(self, name, places, air, tags_max) -> None:
        self.name = name
        self.polls = 0
        self.next_ms = air.rng.randrange(POLL_MS)
        self._air = air
        self._places = places
        self._beside = {place: _beside(place) for place in places.values()}
        self._tags_max = tags_max

    def lay(self, uid, antenna=1):
        self._air.lies.setdefault(self._places[antenna], {})[uid] = None

    def lift(self, uid, antenna=1):
        self._air.lies.get(self._places[antenna], {}).pop(uid, None)

    def poll(self, now_ms):
        """The inventories of the poll that is due now: one, or the same one twice."""
        air = self._air
        self.polls += 1
        self.next_ms = now_ms + POLL_MS + round(POLL_MS * air.noise.jitter * air.rng.random())
        seen = []
        for antenna, place in self._places.items():
            tags = sorted(air.heard(place, self._beside[place]))
            seen += [(antenna, uid) for uid in tags[: self._tags_max]]
        return [Inventory(tuple(seen))] * (1 + (air.rng.random() < air.noise.repeats))


class AirDevices:
    """A demo table's devices, as a stage wants them, with readers in noisy air."""

    def __init__(self, seat_count, noise, rng) -> None:
        air = Air(noise, rng)
        self.shoe, self.console = Shoe(), Keypad()
        felt = AirReader(FELT, dict(FELT_PLACES), air, tags_max=len(FELT_PLACES) * 52)
        seats = {
            seat: AirReader(seat_sensor(seat), {1: SEAT[seat]}, air, TARGETS_MAX)
            for seat in range(1, seat_count + 1)
        }
        self.readers = [felt, *seats.values()]
        self._antennas = {place: (felt, antenna) for antenna, place in FELT_PLACES.items()} | {
            SEAT[seat]: (reader, 1) for seat, reader in seats.items()
        }

    def antennas(self):
        return self._antennas


def _beside(place):
    if place in BESIDE:
        return BESIDE[place]
    seat = SEAT.index(place)
    return tuple(SEAT[other] for other in (seat - 1, seat + 1) if 1 <= other < len(SEAT))
