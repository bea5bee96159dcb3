"""Draws: what the shoe says has left it, and which landed tag is which draw.

With a shoe the order of the draws is the order of the pitch: a landed card waits until every
earlier draw has landed or has had its time. Without one a card counts as drawn when it is there, so
that two antennas that still contend for it turn no pitch around.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from daemon.table.cards import is_known
from daemon.table.places import OFF, STUB

LANDING_MS = 1500  # a pitched card lies still by then; ours
OPEN_MAX = 120  # two decks and some more: beyond it the oldest draw is given up
NAMES_MAX = 999_999


@dataclass(frozen=True, slots=True)
class Landing:
    """A card out of the stub: its name as drawn, and the tag that landed (None: none did).

    `undrawn`: the tag left the stub, and the shoe, which saw every draw, never drew it. `misread`:
    the shoe drew another card, which nobody saw land: it is one card that the two witnesses name
    differently.
    """

    name: str
    uid: str | None
    place: str
    source: str = STUB
    undrawn: bool = False
    misread: bool = False


@dataclass(slots=True)
class _Draw:
    n: int
    name: str
    due_ms: int
    foreign: bool = False
    came_up: str | None = None
    uid: str | None = None
    landed: str = ""
    place: str = OFF

    @property
    def nameless(self) -> bool:
        """Whether a tag may still tell which card this is."""
        return not self.foreign and not is_known(self.name)

    def fits(self, card: str, uid: str) -> bool:
        """Whether this tag of that card may be what was drawn."""
        named = self.name == card or self.nameless
        return self.uid is None and (named if self.came_up is None else self.came_up == uid)


class Draws:
    """The draws since the last load or shuffle, oldest first.

    `whole` is False once draws may have been missed: then an undrawn card proves nothing.
    """

    def __init__(self) -> None:
        self.whole = True
        self._names = 0
        self._open: deque[_Draw] = deque(maxlen=OPEN_MAX)
        self._late: deque[_Draw] = deque(maxlen=OPEN_MAX)
        self._strays: dict[str, _Draw] = {}
        self._drawn: dict[str, str | None] = {}  # card: the tag it landed with
        self._undrawn: dict[str, str] = {}  # card: the tag that landed without a draw

    @property
    def due_ms(self) -> int | None:
        """When the oldest draw, or the oldest tag that nobody drew, has had its time."""
        if not self._open and not self._strays:
            return None
        dues = [stray.due_ms for stray in self._strays.values()]
        dues += [draw.due_ms for draw in self._open]
        return min(dues, default=None)

    def has_drawn(self, card: str) -> bool:
        """Whether the shoe has drawn a card of this name since the last load or shuffle."""
        return card in self._drawn

    def waits(self, uid: str) -> bool:
        """Whether this tag has landed and is not yet released."""
        return uid in self._strays or any(draw.uid == uid for draw in self._open)

    def awaits(self, card: str) -> bool:
        """Whether the shoe has just drawn a card of this name that has not landed yet."""
        return any(
            draw.name == card and draw.uid is None and draw.came_up is None for draw in self._open
        )

    def nameless(self) -> str:
        """A new name for a card whose identity nobody knows."""
        self._names = self._names % NAMES_MAX + 1
        return f"?{self._names}"

    def draw(
        self, n: int, name: str, at_ms: int, *, foreign: bool = False, awaited: bool = True
    ) -> None:
        """The shoe has drawn its `n`th card; a tag that landed before it said so may be that.

        A card that has landed undrawn and had its time is what the shoe now tells too late.
        `awaited` is False where no sensor could see it land.
        """
        draw = _Draw(n, name, at_ms + LANDING_MS, foreign)
        taken = self._landed_before(draw)
        if taken is not None and taken.uid is not None:
            self._strays.pop(taken.uid, None)
            draw.uid, draw.landed, draw.place = taken.uid, taken.landed, taken.place
            taken.uid = None
        if is_known(name):
            self._drawn[name] = self._undrawn.get(name)
        if awaited and self._undrawn.pop(name, None) is None:
            self._open.append(draw)

    def _landed_before(self, draw: _Draw) -> _Draw | None:
        """A tag that nobody drew until now, or that was taken for an unreadable draw's."""
        strays = (d for d in self._strays.values() if d.landed == draw.name or draw.nameless)
        taken = (d for d in self._open if d.nameless and d.uid and d.landed == draw.name)
        return next(strays, None) or next(taken, None)

    def come_up(self, uid: str, card: str, at_ms: int) -> None:
        """A tag last in the stub is there, wherever that will turn out to be."""
        if not any(uid in {draw.came_up, draw.uid} for draw in self._open):
            self._open.append(_Draw(0, card, at_ms + LANDING_MS, came_up=uid))

    def fade(self, still_up: frozenset[str]) -> None:
        """Tags that were there and did not land are waited for only while they are there."""
        for draw in list(self._open):
            if draw.came_up is not None and draw.uid is None and draw.came_up not in still_up:
                self._open.remove(draw)

    def land(self, uid: str, card: str, place: str, at_ms: int, *, shoe: bool) -> Landing | None:
        """A tag last in the stub lies at a place; its landing, where it has to wait for nothing.

        `shoe` is False where no living shoe could have told of it.
        """
        fits = (d for d in self._open if d.fits(card, uid) and (shoe or d.name == card))
        draw = min(fits, key=lambda draw: draw.name != card, default=None)
        if draw is not None:
            draw.uid, draw.landed, draw.place = uid, card, place
            return None
        if card in self._drawn and self._drawn[card] in {None, uid}:
            self._drawn[card] = uid
            return Landing(card, uid, place)
        if not shoe:
            return Landing(card, uid, place)
        late = next((draw for draw in self._late if draw.nameless), None)
        if late is not None:
            self._late.remove(late)
            return Landing(late.name, uid, place, source=OFF)
        self._strays[uid] = _Draw(0, card, at_ms + LANDING_MS, uid=uid, landed=card, place=place)
        return None

    def drop_stray(self, uid: str) -> None:
        """A tag that nobody drew was in passing: undealt cards are never learned."""
        self._strays.pop(uid, None)

    def released(self) -> list[Landing]:
        """Landings with no open draw before them, in the order of the draws."""
        landings = []
        while self._open and self._open[0].uid is not None:
            draw = self._open.popleft()
            if draw.came_up is None and is_known(draw.name):
                self._drawn[draw.name] = draw.uid
            landings.append(Landing(draw.name, draw.uid, draw.place))
        return landings

    def expired(self, due_ms: int) -> list[Landing]:
        """What `due_ms` brings: draws given up, those they held up, tags that nobody drew."""
        landings = []
        while self._open and self._open[0].due_ms <= due_ms:
            draw = self._open.popleft()
            other = self._landed_instead(draw)
            if other is not None and other.uid is not None:
                del self._strays[other.uid]
                self._drawn.pop(draw.name, None)
                self._undrawn[other.name] = other.uid
                landings.append(Landing(other.name, other.uid, other.place, misread=True))
            elif draw.came_up is None:
                self._late.append(draw)
                landings.append(Landing(draw.name, None, OFF))
            landings += self.released()
        for uid, stray in list(self._strays.items()):
            if stray.due_ms <= due_ms:
                del self._strays[uid]
                self._undrawn[stray.name] = uid
                landings.append(Landing(stray.name, uid, stray.place, undrawn=self.whole))
        return landings

    def _landed_instead(self, draw: _Draw) -> _Draw | None:
        """The one tag that landed undrawn since this draw, whose own card nobody saw land."""
        if not self.whole or draw.came_up is not None or not is_known(draw.name):
            return None
        since = [stray for stray in self._strays.values() if stray.due_ms >= draw.due_ms]
        return since[0] if len(since) == 1 else None

    def push_back(self, n: int) -> str | None:
        """Card `n` is in the shoe again: forget its draw; its name, if it had been given up."""
        for draws in (self._open, self._late):
            for draw in reversed(draws):
                if draw.n == n and draw.uid is None and draw.came_up is None:
                    draws.remove(draw)
                    self._drawn.pop(draw.name, None)
                    return draw.name if draws is self._late else None
        return None

    def end_hand(self) -> None:
        """What did not land in this hand will not be told as landing in the next."""
        self._late.clear()
        self._strays.clear()

    def restart(self) -> list[Landing]:
        """Drawing starts again at 1; draws that have landed by now are released."""
        landed = [draw for draw in self._open if draw.uid is not None]
        for cards in (self._open, self._late, self._drawn, self._undrawn):
            cards.clear()
        self.whole = True
        return [Landing(draw.name, draw.uid, draw.place) for draw in landed]
