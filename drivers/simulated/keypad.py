"""A dealer's console that speaks KEY messages."""

from __future__ import annotations

from typing import TypedDict, Unpack

from drivers.keypad import PROTOCOL
from drivers.readings import KeyPressed
from drivers.simulated.line import LineDevice, OnLine


class Fields(TypedDict, total=False):
    """What a key press carries beside key and seat, as in `KeyPressed`."""

    seats: tuple[int, ...]
    all_in: bool
    amount: int | None
    blinds: tuple[int, ...]
    text: str | None


class Keypad(OnLine):
    """A console for ten seats; `line` is its protocol side with the switches for faults."""

    def __init__(self, *, seq: int = 0, up_ms: int = 0) -> None:
        """Be ready."""
        self.line = LineDevice(_introduction, seq=seq, up_ms=up_ms)

    def press(self, key: str, seat: int | None = None, **fields: Unpack[Fields]) -> None:
        """Have a key pressed; the names of keys are those of `drivers.keypad`."""
        self.line.count += 1
        self.line.say("KEY", said(KeyPressed(key, seat, **fields)))

    def restart(self) -> None:
        """Lose power and come back."""
        self.line.count = 0
        self.line.restart()


def said(pressed: KeyPressed) -> str:
    """Return the KEY message's fields for this press, the empty ones at the end left out."""
    seat = "" if pressed.seat is None else str(pressed.seat)
    seats = "+".join(map(str, pressed.seats))
    match pressed.key:
        case "new-hand":
            fields = [pressed.text or "", seat, seats, *map(str, pressed.blinds)]
        case "pot" | "bets-returned":
            fields = [seats]
        case "deck-changed":
            fields = [pressed.text or ""]
        case _:
            amount = "" if pressed.amount is None else str(pressed.amount)
            fields = [seat, "A" if pressed.all_in else "", amount]
    return ",".join([pressed.key.upper(), *fields]).rstrip(",")


def _introduction(boot: str) -> str:
    return f"{PROTOCOL},{boot},ACME,DEALERPAD,KP0042,1.0,10,KEY+RSND"
