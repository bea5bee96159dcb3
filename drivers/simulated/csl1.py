"""A card shoe that speaks CSL1."""

from __future__ import annotations

from drivers.csl1 import PROTOCOL
from drivers.lines import FAULTS
from drivers.simulated.line import LineDevice, OnLine

_ABILITIES = "CARD+CUT+LID+RSND"


class Shoe(OnLine):
    """A shoe of one deck; `line` is its protocol side with the switches for faults."""

    def __init__(self, *, seq: int = 0, up_ms: int = 0, serial: str = "SN001234") -> None:
        """Be empty and closed."""
        self._serial = serial
        self.line = LineDevice(self._introduction, seq=seq, up_ms=up_ms)

    def _introduction(self, boot: str) -> str:
        return f"{PROTOCOL},{boot},ACME,OPTISHOE,{self._serial},1.4.2,1,{_ABILITIES}"

    def load(self, count: int) -> None:
        """Have cards put in; drawing starts again at 1."""
        self.line.say("LOAD", str(count))
        self.line.state, self.line.count = "RUN", 0

    def draw(self, card: str | None, *, foreign: bool = False, quality: int = 98) -> None:
        """Let a card out; `card` such as `Td`, None where it cannot be read."""
        self.line.count += 1
        face = "XX" if foreign else "??" if card is None else card.upper()
        quality = 0 if card is None and not foreign else quality
        self.line.say("CARD", f"{self.line.count},{face},{quality},O")

    def push_back(self) -> None:
        """Have the last card pushed back: the next one out has its number again."""
        self.line.say("BACK", str(self.line.count))
        self.line.count -= 1

    def shuffle(self, count: int) -> None:
        """Shuffle `count` cards; drawing starts again at 1."""
        self.line.say("SHUF", "START")
        self.line.say("SHUF", f"DONE,{count}")
        self.line.count = 0

    def cut_card(self) -> None:
        """Let the cut card out."""
        self.line.say("CUT", str(self.line.count))

    def run_empty(self) -> None:
        """Have no card left."""
        self.line.say("EMPT", "")
        self.line.state = "IDLE"

    def lid(self, *, is_open: bool) -> None:
        """Have the lid moved."""
        self.line.say("LID", "O" if is_open else "C")

    def button(self, name: str) -> None:
        """Have a button pressed."""
        self.line.say("BTN", name.upper())

    def fault(self, code: int, severity: str) -> None:
        """Report a fault; `severity` is I, W or E."""
        self.line.say("ERR", f"{code:02d},{severity},{FAULTS.get(code, 'unknown')}")

    def restart(self) -> None:
        """Lose power and come back, empty as far as it knows."""
        self.line.state, self.line.count = "IDLE", 0
        self.line.restart()
