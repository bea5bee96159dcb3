"""What the tests of the talks with Feig readers that read by themselves share."""

from __future__ import annotations

from hypothesis import strategies as st

from drivers.driver import Driver
from drivers.feig_frames import ask
from drivers.readings import (
    Answered,
    Beat,
    DeviceFault,
    EventsLost,
    Garbled,
    Inventory,
    TagSeen,
)
from drivers.simulated.feig_kept import KeepingFeig
from drivers.simulated.virtual import VirtualLine

AS, KD = "e00401000a1b2c3d", "e00401000a1b2c3e"
DECK = [f"e0040150{card:08x}" for card in range(52)]
DELETE = ask(0x32)
IDENTIFIED_MS = 50
UNTIMED = 0x11  # TR-DATA1 without the timer
TIMED = 0x31

HAPPENINGS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                Garbled("stray bytes"),
                Inventory(()),
                Beat(),
                EventsLost(0, 0),
                TagSeen(1, AS),
                DeviceFault(0x93, "warning"),
                DeviceFault(0x80, "error"),
                Answered(0x22, b"\x94\x00\x01"),
                Answered(0x22, b"\x94\x00\x00"),
                Answered(0x22, b""),
                *(Answered(control) for control in (0x63, 0x65, 0x66, 0x32, 0x33)),
            ]
        ),
        st.integers(0, 2000),
    ),
    max_size=60,
)


def reading(reader: KeepingFeig, driver: Driver, **line) -> VirtualLine:
    """A line whose reader has been identified and is being read."""
    virtual = VirtualLine(driver, reader, **line)
    virtual.run(IDENTIFIED_MS)
    return virtual


def seen(read: list) -> list[tuple[int, str]]:
    return [(one.antenna, one.uid) for _, one in read if isinstance(one, TagSeen)]


def losses(read: list) -> int:
    return sum(isinstance(one, EventsLost) for _, one in read)


def commands(line: VirtualLine) -> list[bytes]:
    return [sent for _, sent in line.sent]
