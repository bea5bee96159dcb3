"""What was read on one port, counted and put into words; no card, and no tag unless asked for.

Readings and times (ms since the start) in, lines out: no port, no clock, no terminal. Bounded,
whatever a device says.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from drivers.readings import (
    Acked,
    Answered,
    Beat,
    CardDrawn,
    CardPushedBack,
    CutCardCame,
    DeviceFault,
    EventsLost,
    FacesSeen,
    Garbled,
    Inventory,
    KeyPressed,
    LidMoved,
    Missing,
    Reading,
    ShoeEmpty,
    ShoeLoaded,
    Shuffled,
    Started,
    TagGone,
    TagSeen,
)

TAGS_MAX = 1024  # that get a name of their own
ANTENNAS_MAX = 64
REASONS_MAX = 32
RATE_MS = 5_000  # over how long polls a second are counted
POLLS_MAX = 2_048  # in that time
AGAIN_MS = 1_000  # noise of one kind is worth a line in this time
UNTOLD_MS = 2_000  # a tag told one by one is news again when it was not told for so long
WORD_MAX = 60


class Names:
    """Tags by numbers in the order in which they came, or by UID where that was asked for."""

    def __init__(self, *, show_uids: bool = False) -> None:
        self._show_uids = show_uids
        self._numbers: dict[str, int] = {}

    def __call__(self, uid: str) -> str:
        if self._show_uids:
            return uid
        if uid not in self._numbers and len(self._numbers) >= TAGS_MAX:
            return "another tag"
        return f"tag {self._numbers.setdefault(uid, len(self._numbers) + 1)}"

    def listed(self, uids: Iterable[str]) -> list[str]:
        """The names of these tags, in the order of their numbers."""
        return sorted(map(self, uids), key=lambda name: (len(name), name))


@dataclass(slots=True)
class Antenna:
    """What one antenna has read: how often, which tags at all, which lie there now."""

    reads: int = 0
    tags: set[str] = field(default_factory=set)
    now: tuple[str, ...] = ()

    def read(self, uid: str) -> None:
        self.reads += 1
        if len(self.tags) < TAGS_MAX:
            self.tags.add(uid)


class Notebook:
    """All that one port has said.

    `places` are where its antennas lie, as far as that is known. `good_ms` is the time of the last
    reading that made sense, None before the first.
    """

    def __init__(self, names: Names, places: Mapping[int, str]) -> None:
        self.names = names
        self.places = places
        self.antennas: dict[int, Antenna] = {antenna: Antenna() for antenna in sorted(places)}
        self.kinds: Counter[str] = Counter()
        self.garbled: Counter[str] = Counter()
        self.chunks = self.octets = self.losses = 0
        self.good_ms: int | None = None
        self._polls: deque[int] = deque(maxlen=POLLS_MAX)
        self._told: dict[str, int] = {}  # when a kind of noise was last worth a line
        self._seen: dict[tuple[int, str], int] = {}  # when a tag told one by one was last told

    def chunk(self, data: bytes) -> None:
        """Bytes came."""
        self.chunks += 1
        self.octets += len(data)

    def polls_s(self, now_ms: int) -> float:
        """Polls a second, over the last seconds."""
        while self._polls and self._polls[0] < now_ms - RATE_MS:
            self._polls.popleft()
        return len(self._polls) * 1000 / max(1, min(now_ms, RATE_MS))

    def take(self, reading: Reading, at_ms: int) -> list[str]:
        """A reading came: the lines that it is worth, none where it is no news."""
        self.kinds[_KINDS[type(reading)]] += 1
        if not isinstance(reading, Garbled | Missing):
            self.good_ms = at_ms
        match reading:
            case Inventory(tags):
                self._polls.append(at_ms)
                return self._inventory(tags)
            case TagSeen(antenna, uid, rssi_dbm):
                return self._tag_seen(antenna, uid, rssi_dbm, at_ms)
            case TagGone(antenna, uid):
                self._seen.pop((antenna, uid), None)
                return [f"{self.antenna_name(antenna)}: {self.names(uid)} gone"]
            case Garbled(reason):
                known = reason in self.garbled or len(self.garbled) < REASONS_MAX
                self.garbled[reason if known else "other"] += 1
                return self._noise(f"garbled: {reason}", at_ms)
            case Beat() | Acked(ok=True) | Answered():
                return []
            case _:
                return [_printable(_words(reading))]

    def antenna_name(self, antenna: int) -> str:
        place = self.places.get(antenna)
        return f"antenna {antenna}" + (f" ({place})" if place else "")

    def _inventory(self, tags: Iterable[tuple[int, str]]) -> list[str]:
        here: dict[int, list[str]] = {antenna: [] for antenna in self.antennas}
        for antenna, uid in tags:
            if (one := self._antenna(antenna)) is not None:
                one.read(uid)
                here.setdefault(antenna, []).append(uid)
        lines = []
        for antenna, uids in here.items():
            one, now = self.antennas[antenna], tuple(sorted(uids))
            if one.now != now:
                one.now = now
                told = ", ".join(self.names.listed(now)) or "nothing"
                lines.append(f"{self.antenna_name(antenna)}: {told}")
        return lines

    def _tag_seen(self, antenna: int, uid: str, rssi_dbm: int | None, at_ms: int) -> list[str]:
        one = self._antenna(antenna)
        if one is None:
            return self._noise("too many antennas", at_ms)
        one.read(uid)
        last_ms = self._seen.pop((antenna, uid), None)
        if len(self._seen) >= TAGS_MAX:
            del self._seen[next(iter(self._seen))]
        self._seen[antenna, uid] = at_ms
        if last_ms is not None and at_ms - last_ms < UNTOLD_MS:
            return []
        loud = "" if rssi_dbm is None else f" ({rssi_dbm} dBm)"
        return [f"{self.antenna_name(antenna)}: {self.names(uid)} seen{loud}"]

    def _antenna(self, antenna: int) -> Antenna | None:
        if antenna not in self.antennas and len(self.antennas) < ANTENNAS_MAX:
            self.antennas[antenna] = Antenna()
        return self.antennas.get(antenna)

    def _noise(self, words: str, at_ms: int) -> list[str]:
        told_ms = self._told.get(words)
        if told_ms is not None and at_ms - told_ms < AGAIN_MS:
            return []
        if len(self._told) < REASONS_MAX or words in self._told:
            self._told[words] = at_ms
        return [words]

    def summary(self, for_ms: int) -> list[str]:
        """All of it in a few lines, after so long."""
        seconds = max(1, for_ms) / 1000
        polls = self.kinds[_KINDS[Inventory]]
        lines = [f"{seconds:.1f} s, {self.octets} bytes in {self.chunks} pieces"]
        lines += [f"lost {self.losses} times"] if self.losses else []
        if polls:
            lines.append(f"polls: {polls}, {polls / seconds:.1f} a second")
        for antenna, one in sorted(self.antennas.items()):
            lines.append(f"{self.antenna_name(antenna)}: {one.reads} reads of {len(one.tags)} tags")
        others = [f"{kind} {n}" for kind, n in sorted(self.kinds.items()) if kind != "polls"]
        lines += [f"readings: {', '.join(others)}"] if others else []
        lines.append(f"garbled: {self.garbled_words() or 'nothing'}")
        return lines

    def garbled_words(self) -> str:
        return ", ".join(f"{reason} {count}" for reason, count in sorted(self.garbled.items()))


_KINDS: Mapping[type[Reading], str] = {
    Inventory: "polls", TagSeen: "tags seen", TagGone: "tags gone", FacesSeen: "pictures",
    CardDrawn: "cards drawn", CardPushedBack: "cards pushed back", CutCardCame: "cut cards",
    ShoeLoaded: "loads", ShoeEmpty: "empty", Shuffled: "shuffler's words", LidMoved: "lid",
    KeyPressed: "keys", DeviceFault: "device faults", Beat: "heartbeats", Started: "greetings",
    Missing: "gaps", EventsLost: "events lost", Acked: "acknowledged", Answered: "answers",
    Garbled: "garbled",
}  # fmt: skip


def _words(
    reading: FacesSeen | CardDrawn | CardPushedBack | CutCardCame | ShoeLoaded | ShoeEmpty
    | Shuffled | LidMoved | KeyPressed | DeviceFault | Started | Missing | EventsLost | Acked,
) -> str:  # fmt: skip
    """What it says, but for the card."""
    match reading:
        case FacesSeen(faces):
            zones = Counter(clean(face.zone) for face in faces)
            where = ", ".join(f"{zone} {count}" for zone, count in sorted(zones.items()))
            return f"picture: {len(faces)} faces" + (f" ({where})" if where else "")
        case CardDrawn(n, card, foreign, quality):
            how = "of no deck" if foreign else "not read" if card is None else "read"
            return f"card {n} drawn: {how}, quality {quality}"
        case CardPushedBack(n):
            return f"card {n} pushed back"
        case CutCardCame(n):
            return f"cut card behind card {n}"
        case ShoeLoaded(count):
            return f"loaded: {count} cards"
        case ShoeEmpty():
            return "empty"
        case Shuffled(phase, count):
            return f"shuffler: {phase}" + ("" if count is None else f", {count} cards")
        case LidMoved(is_open):
            return f"lid {'open' if is_open else 'closed'}"
        case KeyPressed():
            return _key(reading)
        case DeviceFault(code, severity, text):
            return f"device {severity} {code}: {clean(text)}"
        case Started(model, firmware):
            return f"greeting: {clean(model)} {clean(firmware)}".rstrip()
        case Missing(first, last) | EventsLost(first, last):
            what = "missing" if isinstance(reading, Missing) else "lost"
            return f"events {first} to {last} {what}"
        case Acked():
            return "a command was refused"
        case _:
            assert_never(reading)


def _key(key: KeyPressed) -> str:
    words = [f"key {key.key}"]
    words += [f"seat {key.seat}"] if key.seat is not None else []
    words += [f"seats {' '.join(map(str, key.seats))}"] if key.seats else []
    words += ["all-in"] if key.all_in else []
    words += [f"amount {key.amount}"] if key.amount is not None else []
    words += [clean(key.text)] if key.text else []
    return ", ".join(words)


def clean(text: str) -> str:
    """A device's own words, fit for a terminal."""
    return _printable(text[:WORD_MAX])


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)
