"""How the tables are fitted at which secrecy is tried: what reads the seats, and who watches."""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.demo.table_fit import CONSOLE, FELT, FELT_PLACES, SHOE, Devices, configuration
from daemon.table.places import SEAT
from drivers.simulated.csl1 import Shoe
from drivers.simulated.feig import SimulatedFeig
from drivers.simulated.keypad import Keypad

TABLE = "poker-1"
RAIL, EYE = "rail", "eye"
BADGE_ANTENNA = 6  # of the felt's reader
SEATS_MAX = 8  # antennas of one rail
BROKER = "mqtt://127.0.0.1:1883"


@dataclass(slots=True)
class Railed:
    """Devices as the demo's, but that one reader with many antennas has all the seats."""

    seat_count: int
    shoe: Shoe = field(default_factory=Shoe)
    console: Keypad = field(default_factory=Keypad)
    felt: SimulatedFeig = field(default_factory=SimulatedFeig)
    rail: SimulatedFeig = field(default_factory=SimulatedFeig)

    def named(self):
        return {SHOE: self.shoe, CONSOLE: self.console, FELT: self.felt, RAIL: self.rail}

    def antennas(self):
        felt = {place: (self.felt, antenna) for antenna, place in FELT_PLACES.items()}
        return felt | {SEAT[seat]: (self.rail, seat) for seat in range(1, self.seat_count + 1)}


@dataclass(frozen=True, slots=True)
class Fit:
    """A table's devices: PN532s at the seats or one rail, and a camera over all of it or none.

    `part_tags` is how many tags a Feig reader tells in one answer, the lowest numbers first;
    `events` that the dealing events are told.
    """

    seat_count: int
    chips: bool = False
    camera: bool = False
    part_tags: int = 10
    events: bool = True

    def devices(self):
        devices = Devices(self.seat_count) if self.chips else Railed(self.seat_count)
        devices.felt = SimulatedFeig(sets_max=self.part_tags)
        if not self.chips:
            devices.rail = SimulatedFeig(sets_max=self.part_tags)
        return devices

    def configured(self, devices, decks, badge):
        """The table's configuration file; `badge` is the UID of a dealer's."""
        ports = {name: f"/dev/serial/by-id/{name}" for name in devices.named() if name != RAIL}
        text = configuration(TABLE, BROKER, ports, decks, events=self.events)
        head, tags = text.split("[decks.", 1)
        if not self.chips:
            head = head.replace("seat_count = 0", f"seat_count = {self.seat_count}")
            places = [f'"{seat}" = "{SEAT[seat]}"' for seat in range(1, self.seat_count + 1)]
            head += _sensor(RAIL, "feig") + f"antennas = {{ {', '.join(places)} }}\n"
        if self.camera:
            head += _sensor(EYE, "camera")
        head = head.replace('"5" = "muck"', f'"5" = "muck", "{BADGE_ANTENNA}" = "badge"')
        badges = f'legal_basis = "none: a test"\nbadges = {{ "{badge}" = "w17" }}\n'
        staff = f'[staff]\ndealer_identity = "pseudonym"\n{badges}'
        return f"{head}{staff}[decks.{tags}"


@dataclass(frozen=True, slots=True)
class Table:
    """One table; `misread` is what its camera takes a card for."""

    seed: object
    fit: Fit
    misread: str | None = None


def _sensor(name, driver):
    return f'[[sensors]]\nname = "{name}"\ndriver = "{driver}"\nport = "/dev/serial/by-id/{name}"\n'
