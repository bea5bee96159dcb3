"""The dealer's console: keys for what no sensor sees. Talks unasked, 115200 8N1 or TCP.

Lines, sum, SEQ, T, HELO, HB, ERR, NAK and the host's RSND, PING and HELO? are those of `csl1`;
the greeting's first field is KPD1 and its decks field holds the number of seats. Its own message:

    $KEY,SEQ,T,NAME,fields*CCCC CR LF       a key was pressed
    $KEY,41,61000,RAISE,4,,250*....         seat 4 raised to 250
    $KEY,42,63500,CALL,10,A*....            seat 10 called, all-in
    $KEY,43,90000,NEW-HAND,118,3,1+2+3+5,5,1*....

NAME is upper-case; fields left empty at the end may be left out, further ones are ignored.

    seat      1 to 10                       all-in  A, or empty
    amount    the seat's total on this street, up to nine digits, or empty
    seats     joined by +, such as 1+2+10
    hand      the hand's name or number, [A-Za-z0-9._-], up to 32; empty where it is not told
    small     seat of the small blind, 0 for none; small and big are both there or both left out
    big       seat of the big blind, 0 for none
    deck      the deck's name, as hands are named

| key                 | fields                          | meaning                                  |
|---------------------|---------------------------------|------------------------------------------|
| `post`              | seat, all-in, amount            | put up a blind, an ante or a straddle    |
| `fold`              | seat                            | folded                                   |
| `check`             | seat                            | checked                                  |
| `call`              | seat, all-in, amount            | called                                   |
| `bet`               | seat, all-in, amount            | opened the betting                       |
| `raise`             | seat, all-in, amount            | raised                                   |
| `all-in`            | seat, A, amount                 | all-in, no telling whether call or raise |
| `betting-closed`    |                                 | the round is over                        |
| `exposed`           | seat                            | the dealer exposed the seat's last card  |
| `exposed-by-player` | seat                            | the player exposed a card                |
| `board-declared`    | seat                            | said "I play the board"                  |
| `tabled`            | seat                            | laid the hand face up                    |
| `floor`             | seat or empty                   | the floor is called                      |
| `misdeal`           | seat or empty                   | a misdeal is declared                    |
| `premature`         | seat or empty                   | a board card came too early              |
| `shuffle`           |                                 | what lies in the stub was shuffled       |
| `cut`               |                                 | and was cut                              |
| `new-hand`          | hand, button, seats, small, big | a new hand for these seats               |
| `hand-over`         |                                 | the hand has ended                       |
| `pot`               | seats                           | a pot was pushed to these seats          |
| `bets-returned`     | seats or empty                  | chips of this hand were given back       |
| `collected`         |                                 | every card is back in the stub           |
| `deck-changed`      | deck                            | another deck is whole in the stub        |
| `table-open`        |                                 | the table is open                        |
| `table-paused`      |                                 | the table is paused                      |
| `table-closed`      |                                 | the table is closed                      |
| `undo`              |                                 | the key before this one was a mistake    |

In `KeyPressed`: `new-hand` has the hand in `text`, the button in `seat`, those dealt in in `seats`,
small and big in `blinds`; `deck-changed` has the deck in `text`; `all-in` always has `all_in`. A
second `undo` takes back the key before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from drivers.driver import Driver
from drivers.lines import ERR, NAK, LineDecoder, LineTalker, Message, Said, number
from drivers.readings import KeyPressed, Reading

PROTOCOL = "KPD1"

_SEAT_NUMBER = r"(?:10|[1-9])"
_SEATS = rf"(?P<seats>{_SEAT_NUMBER}(?:\+{_SEAT_NUMBER}){{0,9}})"
_BARE = ""
_SEAT = rf"(?P<seat>{_SEAT_NUMBER})"
_SEAT_OR_NONE = rf"(?:{_SEAT})?"
_SEATS_OR_NONE = rf"(?:{_SEATS})?"
_ACT = rf"{_SEAT}(?:\Z|,(?P<all_in>A?)(?:\Z|,(?P<amount>\d{{0,9}})))"
_BLINDS = rf"(?P<small>0|{_SEAT_NUMBER}),(?P<big>0|{_SEAT_NUMBER})"
_DECK = r"(?P<text>[A-Za-z0-9._-]{1,32})"
_HAND = rf"(?P<text>[A-Za-z0-9._-]{{0,32}}),{_SEAT},{_SEATS}(?:\Z|,(?:{_BLINDS}|,?))"

# fmt: off
KEYS: Mapping[str, str] = {
    "post": _ACT, "fold": _ACT, "check": _ACT, "call": _ACT, "bet": _ACT, "raise": _ACT,
    "all-in": _ACT, "betting-closed": _BARE,
    "exposed": _SEAT, "exposed-by-player": _SEAT, "board-declared": _SEAT, "tabled": _SEAT,
    "floor": _SEAT_OR_NONE, "misdeal": _SEAT_OR_NONE, "premature": _SEAT_OR_NONE,
    "shuffle": _BARE, "cut": _BARE, "collected": _BARE,
    "new-hand": _HAND, "hand-over": _BARE, "pot": _SEATS, "bets-returned": _SEATS_OR_NONE,
    "deck-changed": _DECK,
    "table-open": _BARE, "table-paused": _BARE, "table-closed": _BARE, "undo": _BARE,
}
# fmt: on
_FIELDS = {key: re.compile(rf"(?:{pattern})(?:,.*)?") for key, pattern in KEYS.items()}


def _pressed(said: Said) -> tuple[Reading, ...] | None:
    key = said["key"].lower()
    pattern = _FIELDS.get(key)
    match = None if pattern is None else pattern.fullmatch(said["fields"])
    if match is None:
        return None
    fields = {"small": "", **match.groupdict("")}
    pressed = KeyPressed(
        key,
        seat=number(fields.get("seat", "")),
        seats=_seats(fields.get("seats", "")),
        all_in=key == "all-in" or fields.get("all_in") == "A",
        amount=number(fields.get("amount", "")),
        blinds=(int(fields["small"]), int(fields["big"])) if fields["small"] else (),
        text=fields.get("text") or None,
    )
    return (pressed,)


def _seats(field: str) -> tuple[int, ...]:
    return tuple(int(seat) for seat in field.split("+")) if field else ()


MESSAGES = {
    "KEY": Message(r"(?P<key>[A-Z-]{1,20})(?:,(?P<fields>.*))?", _pressed),
    "ERR": ERR,
    "NAK": NAK,
}

DRIVER = Driver(
    name="keypad",
    title="Dealer's console, csl1 lines with KEY messages",
    decoder=partial(LineDecoder, PROTOCOL, MESSAGES),
    talker=LineTalker,
    senses=("floor", "declare", "tabled", "face", "shuffle", "cut", "pot"),
    silent_after_ms=5000,
)
