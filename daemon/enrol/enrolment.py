"""A deck being enrolled: what lies on the antenna and what the operator says in, words out.

A card is enrolled when a tag lies there that is no card yet and a card is named: by the order of
the suits, or by the operator. Words name cards and never tags.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from daemon.table.cards import CARDS, DECK, RANKS, SUITS
from daemon.table.decks import is_uid
from daemon.table.fitting import kind_of

ORDER = tuple(rank + suit for suit in SUITS for rank in RANKS)
UNDO = ("undo", "u", "annulla")
MISSING = ("missing", "m", "mancanti")
SINGLE_DIGITS = 8  # a UID of four bytes
# ISO/IEC 14443-3, 6.5.4: a single size UID that begins with 08 is drawn anew at each activation,
# and 88 is the cascade tag: what follows is the first half of a longer UID.
RANDOM, CASCADE = "08", "88"

Entry = tuple[str, str]  # card, UID


@dataclass(frozen=True, slots=True)
class Asked:
    """This card is to be laid next; None: any, and the operator names it."""

    card: str | None


@dataclass(frozen=True, slots=True)
class Which:
    """A tag lies there that is no card yet; the operator is to say which card it is."""


@dataclass(frozen=True, slots=True)
class Enrolled:
    """The card has its tag; so many cards have one."""

    card: str
    count: int


@dataclass(frozen=True, slots=True)
class Double:
    """What was laid is a card already: which one, None where that was before an interruption."""

    card: str | None


@dataclass(frozen=True, slots=True)
class Refused:
    """What was laid cannot be a card of this deck: why, and the deck or sensor that it is about.

    Reasons: `other-deck`, `other-length`, `unreadable`, `random`, `half`, `odd`.
    """

    why: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Several:
    """More than one new tag lies there: which is which cannot be known."""


@dataclass(frozen=True, slots=True)
class Undone:
    """The card has no tag any more."""

    card: str


@dataclass(frozen=True, slots=True)
class NothingToUndo:
    """No card is enrolled, or not the one named."""


@dataclass(frozen=True, slots=True)
class HasTag:
    """The card that was named has its tag already."""

    card: str


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """The operator's line is neither a card nor a word that is known."""


@dataclass(frozen=True, slots=True)
class StillMissing:
    """The cards without a tag."""

    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """Every card has its tag."""


Word = (
    Asked | Which | Enrolled | Double | Refused | Several | Undone | NothingToUndo | HasTag
    | NotUnderstood | StillMissing | Whole
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a tag is held against.

    `decks` are the UIDs of the table's other decks by name, `readers` the kinds of tags that each
    of its sensors for cards reads; `by_suit` asks for the cards in `ORDER`, without it the operator
    names each.
    """

    decks: Mapping[str, Collection[str]]
    readers: Mapping[str, Collection[str]]
    by_suit: bool = True


class Enrolment:
    """One deck being enrolled; `entries` are those of an interrupted enrolment to go on with."""

    def __init__(self, terms: Terms, entries: Iterable[Entry] = ()) -> None:
        self._terms = terms
        self._tags: dict[str, str] = {uid: card for card, uid in entries}
        self._before = set(self._tags)
        self._settled: set[str] = set()  # tags lying there of which all is said
        self._lying: frozenset[str] = frozenset()
        self._wanted: str | None = None  # the card that the operator named
        self._laid: str | None = None  # the tag that waits for its name

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Card and UID in the order in which they were enrolled."""
        return tuple((card, uid) for uid, card in self._tags.items())

    @property
    def missing(self) -> tuple[str, ...]:
        """The cards without a tag, in `ORDER`."""
        there = set(self._tags.values())
        return tuple(card for card in ORDER if card not in there)

    @property
    def is_whole(self) -> bool:
        return not self.missing

    @property
    def due(self) -> str | None:
        """The card that the next tag will be, None while nobody has named one."""
        first = next(iter(self.missing), None) if self._terms.by_suit else None
        return self._wanted or first

    def begin(self) -> list[Word]:
        """What is said first."""
        return [Whole()] if self.is_whole else self._next()

    def look(self, lying: Mapping[str, bool]) -> list[Word]:
        """What lies on the antenna now (UID, whether it is steady); call it at every change."""
        self._lying = frozenset(lying)
        self._settled &= self._lying
        if self._laid not in lying:
            self._laid = None
        fresh = [uid for uid, steady in lying.items() if steady and uid not in self._settled]
        known = [uid for uid in fresh if uid in self._tags]
        new = [uid for uid in fresh if uid not in self._tags and uid != self._laid]
        words: list[Word] = []
        if known:
            self._settled |= set(known)
            if len(known) == 1 and not new:
                words.append(self._double(known[0]))
        if len(new) > 1 or (new and self._laid):
            self._settled |= {*new, *([self._laid] if self._laid else [])}
            self._laid = None
            return [*words, Several()]
        return [*words, *self._lay(new[0])] if new else words

    def take(self, line: str) -> list[Word]:
        """A line of the operator's: a card, `undo`, `undo Td`, `missing`."""
        said = line.split()
        match said:
            case []:
                return self._next()
            case [word] if word.lower() in MISSING:
                return [StillMissing(self.missing)]
            case [word] if word.lower() in UNDO:
                return self._undo(next(reversed(self._tags), None))
            case [word, name] if word.lower() in UNDO:
                card = card_named(name)
                return self._undo(next((uid for uid, c in self._tags.items() if c == card), None))
            case [name] if (card := card_named(name)) is not None:
                return self._name(card)
            case _:
                return [NotUnderstood()]

    def _name(self, card: str) -> list[Word]:
        if card in self._tags.values():
            return [HasTag(card)]
        self._wanted = card
        return self._enrol(self._laid) if self._laid else [Asked(card)]

    def _lay(self, uid: str) -> list[Word]:
        refused = None if self.is_whole else self._refused(uid)
        if self.is_whole or refused is not None:
            self._settled.add(uid)
            return [] if refused is None else [refused]
        if self.due is None:
            self._laid = uid
            return [Which()]
        return self._enrol(uid)

    def _enrol(self, uid: str) -> list[Word]:
        card = self.due
        assert card is not None
        self._tags[uid] = card
        self._settled.add(uid)
        self._wanted = self._laid = None
        done = Enrolled(card, len(self._tags))
        return [done, Whole()] if self.is_whole else [done, *self._next()]

    def _undo(self, uid: str | None) -> list[Word]:
        if uid is None:
            return [NothingToUndo()]
        card = self._tags.pop(uid)
        self._before.discard(uid)
        if uid in self._lying:  # it has to be lifted before it is a card again
            self._settled.add(uid)
        self._wanted = card
        return [Undone(card), Asked(card)]

    def _next(self) -> list[Word]:
        return [Asked(self.due)]

    def _double(self, uid: str) -> Double:
        return Double(None if uid in self._before else self._tags[uid])

    def _refused(self, uid: str) -> Refused | None:
        """Why this tag cannot be a card of the deck, None where it can."""
        if not is_uid(uid):
            return Refused("odd")
        for deck, uids in self._terms.decks.items():
            if uid in uids:
                return Refused("other-deck", deck)
        if len(uid) == SINGLE_DIGITS and uid[:2] in (RANDOM, CASCADE):
            return Refused("random" if uid.startswith(RANDOM) else "half")
        kind = kind_of(uid)
        for sensor, kinds in self._terms.readers.items():
            if kind is not None and kind not in kinds:
                return Refused("unreadable", sensor)
        if any(len(uid) != len(other) for other in self._tags):
            return Refused("other-length")
        return None


def card_named(name: str) -> str | None:
    """The card that an operator means by `td`, `TD` or `10d`, None where it is none."""
    match = re.fullmatch(r"(10|[2-9TJQKA])([CDHS])", name.upper())
    if match is None:
        return None
    card = match[1].replace("10", "T") + match[2].lower()
    return card if card in CARDS else None


def as_map(entries: Sequence[Entry]) -> dict[str, str]:
    """UID to card in the order of the deck, whatever the order of laying was."""
    by_card = dict(entries)
    return {by_card[card]: card for card in DECK if card in by_card}
