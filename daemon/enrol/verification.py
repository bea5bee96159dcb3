"""A deck being checked: sightings in, cards counted, what is missing, foreign or badly read out.

Cards may be passed over the antenna or lie on it all together. A card that is missed for more than
`AWAY_POLLS` is taken to have been lifted; what is missed between two sightings is bad reading.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from daemon.enrol.enrolment import ORDER
from drivers.readings import Inventory, Reading, TagSeen

LISTEN_MS = 2000  # how long the last card is listened to, so that it is judged as the others are
AWAY_POLLS = 20
JUDGED_POLLS = 8  # fewer prove nothing of how a card reads
WELL_READ_PERCENT = 60
FOREIGN_POLLS = 2  # a half or shifted UID is told once
FOREIGN_MAX = 1024
NAMED_MAX = 10  # with more cards missing than these a name would tell the card that was laid


@dataclass(slots=True)
class _Sightings:
    """One tag: the poll in which it was seen last, in how many it was seen, of how many."""

    last: int
    seen: int = 1
    of: int = 1


@dataclass(frozen=True, slots=True)
class Result:
    """What was found: cards by name (`missing` None: too many to be named), tags by number."""

    seen: int
    missing_count: int
    missing: tuple[str, ...] | None
    badly_read: tuple[str, ...]
    foreign: int
    other_decks: Mapping[str, int]

    @property
    def is_good(self) -> bool:
        return not (self.missing_count or self.foreign or self.other_decks)


class Verification:
    """The check of one deck: `tags` are UID to card, `decks` the UIDs of the table's others."""

    def __init__(
        self,
        tags: Mapping[str, str],
        decks: Mapping[str, Collection[str]],
        antennas: Collection[int] = (),
    ) -> None:
        self._tags = tags
        self._decks = decks
        self._antennas = frozenset(antennas)
        self._poll = 0
        self._seen: dict[str, _Sightings] = {}
        self._foreign: dict[str, _Sightings] = {}
        self._whole_ms: int | None = None
        self._polled = False

    @property
    def count(self) -> int:
        """How many cards of the deck were seen."""
        return len(self._seen)

    def hear(self, reading: Reading, now_ms: int) -> None:
        """Take what the reader said."""
        match reading:
            case Inventory(tags):
                self._poll += 1
                self._polled = True
                self._sight(tags)
            case TagSeen(antenna, uid):
                self._poll += 1
                self._sight(((antenna, uid),))
            case _:
                return
        if self._whole_ms is None and self.count == len(self._tags):
            self._whole_ms = now_ms

    def is_over(self, now_ms: int) -> bool:
        """Whether every card was seen, and the last one listened to."""
        return self._whole_ms is not None and now_ms - self._whole_ms >= LISTEN_MS

    def result(self) -> Result:
        """What was found up to now."""
        seen = {self._tags[uid] for uid in self._seen}
        missing = tuple(card for card in ORDER if card not in seen)
        bad = {self._tags[uid] for uid, one in self._seen.items() if self._is_bad(one)}
        can_name = len(missing) <= NAMED_MAX
        needed = FOREIGN_POLLS if self._polled else 1
        foreign = [uid for uid, one in self._foreign.items() if one.seen >= needed]
        others = {deck: sum(uid in uids for uid in foreign) for deck, uids in self._decks.items()}
        return Result(
            seen=len(seen),
            missing_count=len(missing),
            missing=missing if can_name else None,
            badly_read=tuple(card for card in ORDER if card in bad) if can_name else (),
            foreign=len(foreign) - sum(others.values()),
            other_decks={deck: number for deck, number in others.items() if number},
        )

    def _sight(self, tags: tuple[tuple[int, str], ...]) -> None:
        here = {uid for antenna, uid in tags if not self._antennas or antenna in self._antennas}
        for uid in sorted(here):
            known = self._seen if uid in self._tags else self._foreign
            if uid in known:
                self._again(known[uid])
            elif known is self._seen or len(known) < FOREIGN_MAX:
                known[uid] = _Sightings(self._poll)

    def _again(self, one: _Sightings) -> None:
        away = self._poll - one.last
        one.of += away if away <= AWAY_POLLS else 1
        one.seen += 1
        one.last = self._poll

    def _is_bad(self, one: _Sightings) -> bool:
        if not self._polled or one.of < JUDGED_POLLS:
            return False
        return one.seen * 100 < one.of * WELL_READ_PERCENT
