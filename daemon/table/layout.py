"""How a table is fitted: sensors, places of antennas, the deck's tags, the betting's source."""

from __future__ import annotations

from msgspec import Struct

from daemon.table.events import Betting


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

    `tags` maps a UID (lower-case hex) to its card; `decks` names the decks they belong to; `badges`
    maps the UID of a dealer's badge to the dealer's key.
    """

    table: str
    site: str
    seat_count: int
    sensors: tuple[Sensor, ...]
    tags: dict[str, str] = {}
    badges: dict[str, str] = {}
    decks: tuple[str, ...] = ()
    betting: Betting = Betting()
    opened: str | None = None
    rulebook: str = "robert-classic"
    languages: tuple[str, ...] = ("en", "it")
