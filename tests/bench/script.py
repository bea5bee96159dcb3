"""What the bench's table does: hand after hand the first card is exposed, which calls the floor.

The shoe deals the first card to the first seat; the dealer's key says that its face was seen. That
key is the trigger: with its last byte the alert is due.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from drivers.framing import line

SITE = "bench"
IRREGULARITY = "deal-first-card-exposed"
CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
SEQ_MODULUS = 65536


class Shot(NamedTuple):
    """The lines that prepare a hand, for the shoe and the keypad, and the key that triggers."""

    keypad_before: bytes
    shoe_before: bytes
    trigger: bytes


# An alert as the floor publishes it: as long as a real one with two languages.
ALERT = (
    (
        b'{"v":1,"id":"lean:bench:%HAND%:1:deal-first-card-exposed:deal","revision":1,"table":"lean",'
        b'"hand":"%HAND%","irregularity":"deal-first-card-exposed","state":"raised","final":false,'
        b'"seen":true,"acknowledged":null,"shelved":null,"severity":"medium","audience":"floor",'
        b'"street":"deal","subject":"deal","seats":[4],"cards":[],"at_ms":32600,"known_ms":32600,'
        b'"at":"2026-11-29T20:14:03.600Z","rulebook":"robert-classic",'
        b'"cite":"Hold\'em irregularities 1","unconfirmed":false,'
        b'"window":{"kind":"substantial-action","open":true},"remedy":['
        b'{"step":"collect","state":"due"},{"step":"shuffle","state":"later"},'
        b'{"step":"cut","state":"later"},{"step":"deal","state":"later"}],"text":{"en":{"title":"'
        b'%TEXT%","ruling":"%TEXT%","remedy":["%STEP%","%STEP%","%STEP%","%STEP%"]},"it":{"title":"'
        b'%TEXT%","ruling":"%TEXT%","remedy":["%STEP%","%STEP%","%STEP%","%STEP%"]}},'
        b'"evidence":[4,5]}'
    )
    .replace(b"%TEXT%", b"The first card dealt was exposed.")
    .replace(b"%STEP%", b"Collect every card")
)


@dataclass(slots=True)
class _Device:
    """Numbers the lines of one device."""

    seq: int = 0

    def say(self, kind: str, at_ms: int, *fields: str) -> bytes:
        self.seq = (self.seq + 1) % SEQ_MODULUS
        return line(",".join((kind, str(self.seq), str(at_ms), *fields)))


def shots(count: int, gap_ms: float) -> list[Shot]:
    """`count` hands of three seats, the trigger of each `gap_ms` after the last."""
    keypad, shoe = _Device(), _Device()
    found = []
    for hand in range(1, count + 1):
        at_ms = round(hand * gap_ms)
        button, first, second = (str(1 + (hand + step) % 3) for step in range(3))  # it moves on
        keypad_before = b"".join((
            keypad.say("KEY", at_ms, "HAND-OVER") if hand > 1 else b"",
            keypad.say("KEY", at_ms, "SHUFFLE"),
            keypad.say("KEY", at_ms, "CUT"),
            keypad.say("KEY", at_ms, "NEW-HAND", str(hand), button, "1+2+3", first, second),
        ))  # fmt: skip
        shoe_before = shoe.say("LOAD", at_ms, "52")
        shoe_before += shoe.say("CARD", at_ms, "1", CARDS[hand % 52], "99", "O")
        found.append(Shot(keypad_before, shoe_before, keypad.say("KEY", at_ms, "EXPOSED", first)))
    return found


def greetings() -> tuple[bytes, bytes]:
    """What the keypad and the shoe say when they are powered up."""
    keypad = line("HELO,0,1,KPD1,0000BEEF,bench,keypad,1,1.0,10,KEY")
    shoe = line("HELO,0,1,CSL1,0000CAFE,bench,shoe,1,1.0,1,CARD+LOAD")
    return keypad, shoe
