"""What one sensor said, in device terms: tags on antennas, cards through a shoe, keys.

A reading is a value: no clock, no port, no meaning. All a decoder can return is in `Reading`.
"""

from __future__ import annotations

from msgspec import Struct


class Inventory(Struct, frozen=True):
    """One complete poll of a reader: every tag it saw, as (antenna, UID) pairs, sorted.

    Antennas are numbered from 1; the UID is lower-case hex. An antenna that is polled and not named
    here saw nothing in this poll.
    """

    tags: tuple[tuple[int, str], ...]


class TagSeen(Struct, frozen=True):
    """One tag, seen just now by a device that tells tags one by one and makes no polls.

    `rssi_dbm` is how strong its answer was, None where the device does not tell.
    """

    antenna: int
    uid: str
    rssi_dbm: int | None = None


class TagGone(Struct, frozen=True):
    """The device itself says that this tag has left this antenna."""

    antenna: int
    uid: str


class Face(Struct, frozen=True):
    """A face that a camera knows: the card, the camera's word for where it lies, 0 to 100 sure."""

    card: str
    zone: str
    sure_percent: int


class FacesSeen(Struct, frozen=True):
    """One picture of a camera: every face it knows in it, in the device's order."""

    faces: tuple[Face, ...]


class CardDrawn(Struct, frozen=True):
    """A card has left the shoe: the `n`th since the last load or shuffle.

    `card` is a rank and suit such as `Td`, or None where the shoe could not read it; `foreign` says
    that the shoe does not know the card as one of this deck.
    """

    n: int
    card: str | None
    foreign: bool = False
    quality: int = 100


class CardPushedBack(Struct, frozen=True):
    """Card `n` went back into the shoe."""

    n: int


class CutCardCame(Struct, frozen=True):
    """The cut card came out after card `n`."""

    n: int


class ShoeLoaded(Struct, frozen=True):
    """Cards were put into the shoe; drawing starts again at 1."""

    count: int


class ShoeEmpty(Struct, frozen=True):
    """The shoe has no card left."""


class Shuffled(Struct, frozen=True):
    """A shuffler's phase (`start`, `done`, `fail`) and the cards it counted (None if untold)."""

    phase: str
    count: int | None = None


class LidMoved(Struct, frozen=True):
    """The shoe's lid was opened or closed."""

    is_open: bool


class KeyPressed(Struct, frozen=True):
    """A key of the dealer's console or a button on a shoe.

    `key` is the lower-case name of the key as the driver's docstring lists them (`fold`, `exposed`,
    `new-hand` ...); `seat` is 1 to 10 where the key is about a seat, the button's in new-hand;
    `seats` those dealt in (new-hand) or paid (pot); `amount` the seat's total on this street where
    the console knows it; `blinds` the seats of small and big blind, 0 for none, empty where untold;
    `text` the hand's name, or a deck's.
    """

    key: str
    seat: int | None = None
    seats: tuple[int, ...] = ()
    all_in: bool = False
    amount: int | None = None
    blinds: tuple[int, ...] = ()
    text: str | None = None


class DeviceFault(Struct, frozen=True):
    """The device reports a fault of its own; `severity` is `info`, `warning` or `error`."""

    code: int
    severity: str
    text: str = ""


class Beat(Struct, frozen=True):
    """The device is alive: `state` in its own word."""

    state: str = ""


class Started(Struct, frozen=True):
    """The device has (re)started or introduced itself: what it is, in its own words."""

    model: str
    firmware: str = ""
    boot: str = ""


class Missing(Struct, frozen=True):
    """Events `first` to `last` (by the device's numbers) did not come and can be asked for."""

    first: int
    last: int


class EventsLost(Struct, frozen=True):
    """Events `first` to `last` did not arrive and will not: what the device saw then is unknown.

    A device that numbers nothing loses 0 to 0.
    """

    first: int
    last: int


class Acked(Struct, frozen=True):
    """The device took the last command (or, with `ok` False, refused it)."""

    ok: bool = True


class Answered(Struct, frozen=True):
    """The device answered a command with something that is no news of a card."""

    command: int
    body: bytes = b""


class Garbled(Struct, frozen=True):
    """Bytes without sense: the reason in a few fixed words, and the bytes (journal only)."""

    reason: str
    data: bytes = b""


Reading = (
    Inventory
    | TagSeen
    | TagGone
    | FacesSeen
    | CardDrawn
    | CardPushedBack
    | CutCardCame
    | ShoeLoaded
    | ShoeEmpty
    | Shuffled
    | LidMoved
    | KeyPressed
    | DeviceFault
    | Beat
    | Started
    | Missing
    | EventsLost
    | Acked
    | Answered
    | Garbled
)
