"""What lies face up at the table at every moment, out of the script that was played alone."""

from __future__ import annotations

from msgspec.structs import replace

from daemon.table import events as dealing
from daemon.table.places import plain
from tests.laws.secrecy import Publicity


class FaceUp:
    """Told each event in the moment in which hands do it, in virtual time.

    Readers see no faces: a board card that was dealt face down counts as seen two seconds after
    its street is complete, or at the next act (docs/secrecy.md), as one whose face is not known.
    """

    def __init__(self):
        self._law = Publicity([])

    def __call__(self, event, now_ms):
        match event:
            case dealing.CardMoved(to=to, face="unknown" | "down") if plain(to) == "board":
                # A spoilt script may move a card from where it does not lie: it came from the stub.
                lay = self._law.place(event.card)
                event = replace(event, face="unknown", source=lay)
            case dealing.CardTurned(face="down" | "unknown"):
                return
            case dealing.HandTabled(seat=seat, cards=()):
                event = replace(event, cards=tuple(self._law.lying(seat)))
            case _:
                pass
        self._law.take(replace(event, at_ms=now_ms))

    def at(self, now_ms):
        """The cards that everybody has seen by now and that were in no shuffle since."""
        self._law.pass_time(now_ms)
        return frozenset(self._law.now)
