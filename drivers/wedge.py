"""Keyboards that are none: card scanners, dealers' number pads, tag readers on USB that type.

Read as Linux hands out their keys (`keyboard`), from /dev/input/by-id/..-event-kbd. Three rows:

`wedge-card`, a card scanner: four digits and Enter, a card that leaves the shoe or the dealer's
hand; suit (1 spades, 2 hearts, 3 clubs, 4 diamonds), rank (01 ace to 13 king), a zero:

    1 0 1 0 Enter       ace of spades                2 1 0 0 Enter       ten of hearts

`wedge-keys`, a number pad as the dealer's keys. Only `*` has a meaning here, `KeyPressed`
`shuffle`; the studio's other keys are passed over:

    *     the shuffle dialog        +  Enter    next step       .    log out
    -     cancel                    0           reload

`wedge-tag`, a tag reader: the tag's number and Enter, as `TagSeen` on antenna 1, in lower case:

    0 0 0 7 6 5 4 3 2 1 Enter       8 or 10 digits, hex or decimal: nobody can tell which
    0 4 e 7 1 6 d 2 2 f 6 6 8 0     14, 16 or 20 digits of hex: UIDs of 7, 8 and 10 bytes

The keys are those of a US keyboard, from the digits' row or the pad; hex letters count in either
case. Enter alone is nothing: some send it before the code (keyscannerjs 1). A line of another
length is refused, never filled up. Where keys were lost, the line that is being typed is worthless
up to its Enter, and `EventsLost(0, 0)` tells that the device saw what nobody knows; so does a
scanner's line that is no card. A scanner does not number its cards: they are numbered here, from
the opening of the port; behind the thousandth it is 1 again, which too is told as a loss.

Sources: card codes and number pad, kitsagorn-suk/Pretty_Dealer (js/card.js, Baccarat.html: pages of
a live studio). NOT CONFIRMED: that other studios use that code; that `*` comes when the shuffle is
done and not when it begins; whether a tag reader turns the bytes round or leaves some out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Protocol

from drivers.driver import Driver
from drivers.keyboard import (
    DIGITS,
    ENTERS,
    HEX_LETTERS,
    PAD_0,
    PAD_DIGITS,
    PAD_DOT,
    PAD_MINUS,
    PAD_PLUS,
    PAD_STAR,
    SHIFTS,
    Keys,
    Pressed,
)
from drivers.readings import CardDrawn, EventsLost, Garbled, KeyPressed, Reading, TagSeen
from drivers.uids import uid_of

LINE_KEYS_MAX = 32  # ours; the longest UID has 20
NUMBER_DIGITS = 10  # of a 125 kHz tag, or of a four-byte UID in decimal
ANTENNA = 1
DRAWS_MAX = 1000  # the greatest number a draw can have
SUITS = {"1": "s", "2": "h", "3": "c", "4": "d"}
RANKS = "A23456789TJQK"
LOST = EventsLost(0, 0)

_LETTERS = DIGITS | PAD_DIGITS | HEX_LETTERS
_CARD = re.compile(r"([1-4])(0[1-9]|1[0-3])0")


class Typed(Protocol):
    """What the lines of one kind of device say."""

    def read(self, line: str) -> list[Reading]:
        """What this line says; nothing where it makes no sense."""
        ...

    def refused(self) -> list[Reading]:
        """What follows from a line that made no sense."""
        ...


class Wedge:
    """Decoder of a device that types lines; keeps one line of at most `LINE_KEYS_MAX` keys.

    Its law: a loss costs the line in which it falls, and if it swallowed that line's Enter the one
    behind it; every further line is read.
    """

    def __init__(self, typed: Callable[[], Typed]) -> None:
        self._keys = Keys()
        self._says = typed()
        self._line = ""
        self._spoilt = False

    def feed(self, data: bytes) -> list[Reading]:
        readings: list[Reading] = []
        for item in self._keys.feed(data):
            readings += self._pressed(item.key) if isinstance(item, Pressed) else self._lost(item)
        return readings

    def _pressed(self, key: int) -> list[Reading]:
        if key in ENTERS:
            return self._entered()
        if key in SHIFTS or self._spoilt:
            return []
        if key not in _LETTERS:
            return self._refuse("unknown key")
        self._line += _LETTERS[key]
        return self._refuse("line too long") if len(self._line) > LINE_KEYS_MAX else []

    def _entered(self) -> list[Reading]:
        line, spoilt = self._line, self._spoilt
        self._line, self._spoilt = "", False
        if spoilt or not line:
            return []
        return self._says.read(line) or [Garbled("bad line", line.encode()), *self._says.refused()]

    def _refuse(self, reason: str) -> list[Reading]:
        line, self._line, self._spoilt = self._line, "", True
        return [Garbled(reason, line.encode()), *self._says.refused()]

    def _lost(self, loss: Garbled) -> list[Reading]:
        told = [] if self._spoilt else [LOST]
        self._line, self._spoilt = "", True
        return [loss, *told]


class Cards:
    """Lines of a card scanner; numbers the cards."""

    def __init__(self) -> None:
        self._n = 0

    def read(self, line: str) -> list[Reading]:
        code = _CARD.fullmatch(line)
        if code is None:
            return []
        begins_anew = self._n == DRAWS_MAX
        self._n = self._n % DRAWS_MAX + 1
        drawn = CardDrawn(self._n, RANKS[int(code[2]) - 1] + SUITS[code[1]])
        return [LOST, drawn] if begins_anew else [drawn]

    def refused(self) -> list[Reading]:
        return [LOST]  # a card has been drawn, and nobody knows which


class Tags:
    """Lines of a tag reader."""

    def read(self, line: str) -> list[Reading]:
        uid = line if len(line) == NUMBER_DIGITS else _uid(line)
        return [] if uid is None else [TagSeen(ANTENNA, uid)]

    def refused(self) -> list[Reading]:
        return []  # a tag of some other kind is not broken


def _uid(line: str) -> str | None:
    return uid_of(bytes.fromhex(line)) if len(line) % 2 == 0 else None


class NumberPad:
    """Decoder of the dealer's number pad: each key counts at once."""

    def __init__(self) -> None:
        self._keys = Keys()
        self._at_a_loss = False

    def feed(self, data: bytes) -> list[Reading]:
        readings: list[Reading] = []
        for item in self._keys.feed(data):
            was_lost, self._at_a_loss = self._at_a_loss, isinstance(item, Garbled)
            if isinstance(item, Pressed):
                readings += _key(item.key)
            else:
                readings += [item] if was_lost else [item, LOST]
        return readings


KEYS = {PAD_STAR: "shuffle"}
PASSED_OVER = ENTERS | SHIFTS | {PAD_PLUS, PAD_MINUS, PAD_DOT, PAD_0}


def _key(key: int) -> list[Reading]:
    if key in KEYS:
        return [KeyPressed(KEYS[key])]
    return [] if key in PASSED_OVER else [Garbled("unknown key", key.to_bytes(2, "big"))]


CARD_DRIVER = Driver(
    name="wedge-card",
    title="Card scanner that types, four digits a card (USB keyboard)",
    decoder=partial(Wedge, Cards),
    senses=("order", "identity"),
)
KEYS_DRIVER = Driver(
    name="wedge-keys",
    title="Number pad as the dealer's keys: * is the shuffle (USB keyboard)",
    decoder=NumberPad,
    senses=("shuffle",),
)
TAG_DRIVER = Driver(
    name="wedge-tag",
    title="Tag reader that types, such as for dealers' badges (USB keyboard)",
    decoder=partial(Wedge, Tags),
    antennas_max=1,
    senses=("identity", "place", "board", "aside"),
    tags=("iso14443a", "iso15693", "lf"),
    presence=(1, 1, 1),  # it types once, when the tag comes
    polled=False,
)
