"""How a table is fitted: sensors, places of antennas, the deck's tags, the betting's source."""

from __future__ import annotations

from msgspec import Struct

from daemon.table.events import Betting
from daemon.table.places import seat_of


class Presence(Struct, frozen=True):
    """A tag is there after `seen` of the last `window` polls, gone after `misses` in a row."""

    seen: int = 2
    window: int = 3
    misses: int = 3


class Sensor(Struct, frozen=True):
    """One device at the table: `places` tells where each of its antennas is (`{1: "seat:4"}`).

    `spots` are its antennas that read no cards (`{9: "bet:4", 10: "badge"}`). A device that is not
    `polled` tells tags one by one; one not told again is gone after `held_ms` (None: never).
    `senses` are those of the dealing events' `sees` that this device lends this table.
    """

    name: str
    driver: str
    places: dict[int, str] = {}
    senses: tuple[str, ...] = ()
    presence: Presence = Presence()
    spots: dict[int, str] = {}
    polled: bool = True
    held_ms: int | None = None

    @property
    def antennas(self) -> tuple[int, ...]:
        """All of them, those that read no cards too, in order."""
        return tuple(sorted({*self.places, *self.spots}))


class Layout(Struct, frozen=True):
    """All the line needs to know of a table before the first byte.

    `tags` maps a UID (lower-case hex) to its card, `deck_of` to the name of its deck, `badges` that
    of a dealer's badge to the dealer's key; `decks` has the names of all decks. `carried` is what a
    line that went before it had to say to this one (`Pipeline.carried`), b"" where none did.
    `tells_events` that the dealing events are to be told, without hidden cards, `tells_dealer` that
    alerts say whose key the dealer's badge has.
    """

    table: str
    site: str
    seat_count: int
    sensors: tuple[Sensor, ...]
    tags: dict[str, str] = {}
    deck_of: dict[str, str] = {}
    badges: dict[str, str] = {}
    decks: tuple[str, ...] = ()
    betting: Betting = Betting()
    opened: str | None = None
    rulebook: str = "robert-classic"
    languages: tuple[str, ...] = ("en", "it")
    carried: bytes = b""
    tells_events: bool = False
    tells_dealer: bool = False


def at_seats(sensor: Sensor) -> bool:
    """Whether this device reads the cards of a seat.

    Who could tell such devices apart could tell who looks at his cards: they are told of together.
    """
    return any(seat_of(place) is not None for place in sensor.places.values())
