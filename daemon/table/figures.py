"""Figures: what each sensor reads badly, told by its own play; numbers in, figures out.

A tag that an antenna has is expected in each of its polls. Polls that missed it between two that
read it are misreads; those behind the last one are its departure and count as nothing. Where an
antenna loses a tag for longer and then has it again, it came *back*: at a seat a player's look at
his cards, elsewhere a card badly read.

What is told of it is taken at hand ends only, and depends on no card that nobody has seen: antennas
are summed over their tags, those of sensors at seats over all seats, and of the tags only those
count whose cards all have seen, each until its next shuffle. `ledger` has everything, tag by tag,
and is for a file that its owner alone may read.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from daemon.payloads import Reads, SeatsReads, SensorReads
from daemon.table.layout import Layout, Sensor, at_seats
from daemon.table.places import BOARD, BURN, MUCK, plain, seat_of

Antenna = tuple[str, int]

NO_SENSOR = ""
SEATS = "seats"  # what all sensors at seats are told of under
HANDS_KEPT = 20  # how many hands back antennas are weighed
CELLS_MAX = 4096  # tags on antennas between two shuffles
TAG_POLLS_MAX = 20_000  # beyond this what is older counts half

# Ours, and measured on no real antenna. With one poll in ten missed by chance, a resting card is
# missed three times in a row, and so lost, each hundred seconds at ten polls a second.
MISSED_MAX = 0.1
ANTENNA_POLLS_LEAST = 500  # fewer tell nothing
TAG_POLLS_LEAST = 200
TAG_TIMES_WORSE = 3  # than the other tags of its deck: else it is the antennas
BACK_MAX = 0.5  # of the cards that came, at antennas other than seats
CAME_LEAST = 10
IDLE_HANDS = {"seat": 20, BOARD: 40, BURN: 40, MUCK: 40}  # a hand may end before its first flop


@dataclass(slots=True)
class Tally:
    """What antennas read: polls in which a tag was expected, how many missed it, cards that came.

    `back` counts those of `came` that the same antenna had lost before.
    """

    polls: int = 0
    missed: int = 0
    came: int = 0
    back: int = 0

    def add(self, other: Tally) -> None:
        self.polls += other.polls
        self.missed += other.missed
        self.came += other.came
        self.back += other.back

    def is_bad(self, polls_least: int) -> bool:
        """Whether more was missed than may be, of polls enough to tell."""
        return self.polls >= polls_least and self.missed > MISSED_MAX * self.polls


@dataclass(slots=True)
class _Reader:
    """One antenna: this hand, the hands before, and for how many no card came to it."""

    place: str
    hand: Tally = field(default_factory=Tally)
    hands: deque[Tally] = field(default_factory=lambda: deque(maxlen=HANDS_KEPT))
    idle: int = 0

    @property
    def kept(self) -> Tally:
        return _sum(self.hands)

    def end_hand(self, *, expected: bool) -> None:
        """`expected`: a card should have come in this hand."""
        if self.hand.came:
            self.idle = 0
        elif expected:
            self.idle += 1
        self.hands.append(self.hand)
        self.hand = Tally()

    def faults(self) -> list[str]:
        """What is wrong with it, in words that follow its name."""
        kept, found = self.kept, []
        is_seat = seat_of(self.place) is not None
        if kept.is_bad(ANTENNA_POLLS_LEAST):
            found.append("misses more than one poll in ten")
        if not is_seat and kept.came >= CAME_LEAST and kept.back > BACK_MAX * kept.came:
            found.append("loses cards that lie still")
        hands = IDLE_HANDS.get("seat" if is_seat else plain(self.place))
        if hands is not None and self.idle >= hands:
            found.append(f"has read no new card for {hands} hands")
        return found


class Figures:
    """The figures of one table: fed while it plays, closed at each shuffle and each hand's end.

    `told` has the payload's part for each sensor's topic, `troubles` what is worth a warning, both
    as at the end of the last hand; `hands` counts those. Bounded, without a clock.
    """

    def __init__(self, layout: Layout) -> None:
        self.hands = 0
        self.troubles: tuple[str, ...] = ()
        self._sensors = layout.sensors
        self._cards = layout.tags
        self._decks = layout.deck_of
        self._readers = {
            (sensor.name, antenna): _Reader(place)
            for sensor in layout.sensors
            for antenna, place in sensor.places.items()
        }
        self._noise = {sensor.name: Counter[str]() for sensor in layout.sensors}
        self._noise[NO_SENSOR] = Counter()
        self._cells: dict[tuple[Antenna, str], list[int]] = {}
        self._last: dict[str, Antenna] = {}
        self._tags: dict[str, Tally] = {}
        self._seen: dict[str, Tally] = {}  # the part of it that was read while all knew the card
        self._seats: frozenset[int] = frozenset()
        self._gone: set[str] = set()
        self._unseen: set[str] = set()  # sensors gone at some moment of this hand
        self.told = self._tell()

    # --- while the table plays ---

    def note(self, sensor: str, kind: str) -> None:
        """Noise of this kind came from this sensor."""
        self._noise.get(sensor, self._noise[NO_SENSOR])[kind] += 1

    def read(self, antenna: Antenna, uid: str, missed: int) -> None:
        """The antenna that has this tag has read it, after so many polls that missed it."""
        cell = self._cells.get((antenna, uid))
        if cell is None:
            if len(self._cells) >= CELLS_MAX:
                return
            cell = self._cells[antenna, uid] = [0, 0]
        cell[0] += 1 + missed
        cell[1] += missed

    def came(self, antenna: Antenna, uid: str) -> None:
        """The antenna has this tag from now on."""
        hand = self._readers[antenna].hand
        hand.came += 1
        hand.back += self._last.get(uid) == antenna
        if uid in self._last or len(self._last) < CELLS_MAX:
            self._last[uid] = antenna

    def lost(self, sensor: str) -> None:
        """The sensor is gone."""
        self.note(sensor, "lost")
        self._gone.add(sensor)
        self._unseen.add(sensor)

    def back(self, sensor: str) -> None:
        """The sensor is there again."""
        self._gone.discard(sensor)

    # --- the marks ---

    def begin_hand(self, seats: Iterable[int]) -> None:
        """A hand begins; these seats are dealt in."""
        self._seats = frozenset(seats)

    def close(self, public: frozenset[str]) -> None:
        """The stub is shuffled, or the hand has ended: these cards have been seen by all."""
        for (antenna, uid), (polls, missed) in self._cells.items():
            self._readers[antenna].hand.add(Tally(polls, missed))
            self._add(self._tags, uid, polls, missed)
        for uid in self._shown(public):
            for (_, tag), (polls, missed) in self._cells.items():
                if tag == uid:
                    self._add(self._seen, uid, polls, missed)
        self._cells.clear()
        self._last.clear()

    def end_hand(self, public: frozenset[str]) -> None:
        """The hand has ended: what is told changes now, and only now."""
        self.close(public)
        for (sensor, _), reader in self._readers.items():
            seat = seat_of(reader.place)
            expected = sensor not in self._unseen and (seat is None or seat in self._seats)
            reader.end_hand(expected=expected)
        self._unseen = set(self._gone)
        self.hands += 1
        self.told = self._tell()
        self.troubles = tuple(dict.fromkeys(self._warnings()))

    # --- what comes of it ---

    def totals(self) -> dict[str, int]:
        """Noise by kind since the start; no identities."""
        every = sum(self._noise.values(), Counter[str]())
        return dict(sorted(every.items()))

    def ledger(self) -> dict[str, Any]:
        """Everything, tag by tag: for a file of the daemon's own user. Taken at a hand's end."""
        antennas = {
            f"{sensor}/{antenna}": {
                "place": reader.place,
                "idle": reader.idle,
                **_shape(reader.kept),
                "faults": reader.faults(),
            }
            for (sensor, antenna), reader in self._readers.items()
        }
        bad = set(self._bad(self._tags))
        tags = {
            uid: {"card": self._cards[uid], "deck": self._decks.get(uid, "")}
            | {"polls": tally.polls, "missed": tally.missed, "bad": uid in bad}
            for uid, tally in sorted(self._tags.items())
        }
        return {"v": 1, "hands": self.hands, "antennas": antennas, "tags": tags}

    def _tell(self) -> dict[str, SensorReads | SeatsReads]:
        hands = min(self.hands, HANDS_KEPT)
        told: dict[str, SensorReads | SeatsReads] = {
            sensor.name: {
                "hands": hands,
                "errors": dict(sorted(self._noise[sensor.name].items())),
                "antennas": {
                    str(antenna): {"place": reader.place, **_shape(reader.kept)}
                    for antenna, reader in self._of(sensor)
                },
            }
            for sensor in self._sensors
            if not at_seats(sensor)
        }
        seated = [sensor for sensor in self._sensors if at_seats(sensor)]
        if seated:
            errors = sum((self._noise[sensor.name] for sensor in seated), Counter[str]())
            kept = _sum(reader.kept for sensor in seated for _, reader in self._of(sensor))
            told[SEATS] = {
                "hands": hands,
                "errors": dict(sorted(errors.items())),
                "polls": kept.polls,
                "missed": kept.missed,
            }
        return told

    def _warnings(self) -> Iterable[str]:
        for sensor in self._sensors:
            for antenna, reader in self._of(sensor):
                for fault in reader.faults():
                    if at_seats(sensor):
                        yield f"sensors at seats: an antenna {fault}"
                    else:
                        yield f"sensor {sensor.name}: antenna {antenna} ({reader.place}) {fault}"
        by_deck = Counter(self._decks.get(uid, "") for uid in self._bad(self._seen))
        for deck, count in sorted(by_deck.items()):
            yield f"deck {deck}: {count} {'tag reads' if count == 1 else 'tags read'} badly"

    def _of(self, sensor: Sensor) -> list[tuple[int, _Reader]]:
        return [(antenna, self._readers[sensor.name, antenna]) for antenna in sorted(sensor.places)]

    def _shown(self, public: frozenset[str]) -> list[str]:
        """The tags of these cards; a card of which two tags were read tells of neither."""
        read: dict[str, set[str]] = {}
        for _, uid in self._cells:
            if self._cards[uid] in public:
                read.setdefault(self._cards[uid], set()).add(uid)
        return sorted(uid for uids in read.values() if len(uids) == 1 for uid in uids)

    def _bad(self, tags: dict[str, Tally]) -> list[str]:
        """The tags that are missed far oftener than the others of their deck, sorted."""
        decks: dict[str, Tally] = {}
        for uid, tally in tags.items():
            decks.setdefault(self._decks.get(uid, ""), Tally()).add(tally)
        found = []
        for uid, tally in sorted(tags.items()):
            deck = decks[self._decks.get(uid, "")]
            polls, missed = deck.polls - tally.polls, deck.missed - tally.missed
            worse = tally.missed * polls > TAG_TIMES_WORSE * missed * tally.polls
            if worse and tally.is_bad(TAG_POLLS_LEAST):
                found.append(uid)
        return found

    @staticmethod
    def _add(tags: dict[str, Tally], uid: str, polls: int, missed: int) -> None:
        tally = tags.setdefault(uid, Tally())
        tally.add(Tally(polls, missed))
        if tally.polls > TAG_POLLS_MAX:
            tally.polls //= 2
            tally.missed //= 2


def _sum(tallies: Iterable[Tally]) -> Tally:
    total = Tally()
    for tally in tallies:
        total.add(tally)
    return total


def _shape(tally: Tally) -> Reads:
    return {
        "polls": tally.polls,
        "missed": tally.missed,
        "came": tally.came,
        "back": tally.back,
    }
