"""Spots: antennas that read no cards. The dealer's badge, and chips before the seats.

Chips in a stack are read badly: two on a 13.56 MHz antenna, more only by chance. So nothing is made
of how many there are, and a chip that is read again after it was not has not come again.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from daemon.table.events import ChipsMoved, DealerChanged, DealingEvent, Rival
from daemon.table.figures import Figures
from daemon.table.layout import Layout
from daemon.table.places import SEATS_MAX
from daemon.table.presence import Tags

BADGE = "badge"
BET = {f"bet:{seat}": seat for seat in range(1, SEATS_MAX + 1)}
TAGS_MAX = 512  # of one poll, and of one hand at one spot
ONE_BET_MS = 2000  # chips that come so soon after others are of the same bet; ours
UNREAD = Rival(instead="unread-chips")  # they may have lain there all the time

_Poll = tuple[tuple[int, str], ...]


class _Others:
    """Every tag but these."""

    def __init__(self, cards: dict[str, str]) -> None:
        self._cards = cards

    def __contains__(self, uid: object) -> bool:
        return uid not in self._cards


class Spots:
    """What lies on the antennas of one table that read no cards.

    `figures` takes `unknown-badge`, each time a badge that is not enrolled lies there: a checksum
    does not prove a badge, and cheap readers see ghosts with a right one.
    """

    def __init__(self, layout: Layout, figures: Figures) -> None:
        self._figures = figures
        self._badges = layout.badges
        self._antennas = {sensor.name: sensor.spots for sensor in layout.sensors}
        fitted = tuple(replace(sensor, places=sensor.spots) for sensor in layout.sensors)
        known, spotted = _Others(layout.tags), replace(layout, sensors=fitted)
        self._tags = Tags(spotted, Figures(spotted), known)  # nobody asks how chips are read
        self._dealer: str | None = None
        self._lies: dict[str, int] = {}  # chip: the seat at whose spot it lies
        self._lay: dict[int, dict[str, None]] = {}  # seat: the chips that were there in this hand
        self._came_ms: dict[int, int] = {}

    def parted(self, sensor: str, tags: _Poll) -> tuple[_Poll, _Poll]:
        """The tags of a poll on antennas for cards, and those on spots."""
        spots = self._antennas[sensor]
        if not spots:
            return tags, ()
        cards = tuple(tag for tag in tags if tag[0] not in spots)
        return cards, tuple(tag for tag in tags if tag[0] in spots)

    def poll(self, sensor: str, tags: _Poll, at_ms: int) -> list[DealingEvent]:
        """One whole poll of a sensor's spots."""
        if not self._antennas[sensor]:
            return []
        changed = self._tags.poll(sensor, tuple(sorted(tags))[:TAGS_MAX])
        places = {uid: self._tags.place(uid) for uid in changed}
        at_badge = [uid for uid, place in places.items() if place == BADGE]
        chips = {uid: BET.get(place or "", 0) for uid, place in places.items()}
        return [*self._dealers(sensor, at_badge, at_ms), *self._bets(chips, at_ms)]

    def begin_hand(self) -> None:
        """A chip that lay at a spot in the last hand may come again in this one."""
        self._lay.clear()
        for uid, seat in self._lies.items():
            self._lay.setdefault(seat, {})[uid] = None

    def lost(self, sensor: str) -> None:
        """The sensor is gone: its silence proves nothing."""
        self._tags.lost(sensor)

    def _dealers(self, sensor: str, badges: list[str], at_ms: int) -> Iterator[DealingEvent]:
        for uid in badges:
            key = self._badges.get(uid)
            if key is None:
                self._figures.note(sensor, "unknown-badge")
            elif uid != self._dealer:
                self._dealer = uid
                yield DealerChanged(at_ms=at_ms, dealer=key)

    def _bets(self, chips: dict[str, int], at_ms: int) -> Iterator[DealingEvent]:
        """Of chips whose spot has changed: the seat at which each lies now, 0 for none."""
        before = frozenset(self._lies.values())
        came: dict[int, None] = {}
        for uid, seat in chips.items():
            self._lies.pop(uid, None)
            if seat and uid not in self._badges:
                self._lies[uid] = seat
                lay = self._lay.setdefault(seat, {})
                if uid not in lay and len(lay) < TAGS_MAX:
                    lay[uid] = None
                    came[seat] = None
        now = frozenset(self._lies.values())
        for seat in sorted(before - now):
            yield ChipsMoved(at_ms=at_ms, seat=seat, change="left")
        for seat in sorted(came):
            last_ms = self._came_ms.get(seat)
            self._came_ms[seat] = at_ms
            if last_ms is None or at_ms - last_ms >= ONE_BET_MS:
                doubt = UNREAD if seat in before else None
                yield ChipsMoved(at_ms=at_ms, seat=seat, change="came", doubt=doubt)
