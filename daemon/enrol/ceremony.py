"""The enrolment from its first word to its last: one person, or two of whom the second checks.

With two persons the first gives a name and lays the deck; the second gives another name and lays
cards that chance has drawn, each by its face and without seeing what was enrolled. A card that is
not what was enrolled twice running ends it, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from daemon.enrol.enrolment import Enrolment, Several, Word

NAME_LETTERS_MAX = 40
TRIES_MAX = 2


class Phase(Enum):
    """What is going on."""

    FIRST = auto()
    LAYING = auto()
    SECOND = auto()
    SAMPLE = auto()
    DONE = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class NameAsked:
    """Who lays the deck (`second` False), or who checks it."""

    second: bool


@dataclass(frozen=True, slots=True)
class NameRefused:
    """No name, or that of the one who laid the deck."""


@dataclass(frozen=True, slots=True)
class SampleAsked:
    """The second person is to lay this card; it is number `nth` of `of`."""

    card: str
    nth: int
    of: int


@dataclass(frozen=True, slots=True)
class SampleWrong:
    """What was laid is not what was enrolled as this card."""

    card: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The check failed: nothing is written."""


Said = Word | NameAsked | NameRefused | SampleAsked | SampleWrong | Failed


class Ceremony:
    """One enrolment; `sample` are the cards the second person lays, empty where one is enough.

    `laid_by` are those who laid the deck before an interruption.
    """

    def __init__(
        self, enrolment: Enrolment, sample: Sequence[str] = (), laid_by: Sequence[str] = ()
    ) -> None:
        self.enrolment = enrolment
        self.laid_by = list(laid_by)
        self.checked_by = ""
        self.phase = Phase.FIRST if sample else Phase.LAYING
        self._sample = list(sample)
        self._passed = 0
        self._tries = 0
        self._settled: set[str] = set()

    @property
    def is_over(self) -> bool:
        return self.phase in (Phase.DONE, Phase.FAILED)

    def begin(self) -> list[Said]:
        """What is said first."""
        if self.phase is Phase.FIRST:
            return [NameAsked(second=False)]
        return self._on(self.enrolment.begin())

    def look(self, lying: Mapping[str, bool]) -> list[Said]:
        """What lies on the antenna now (UID, whether it is steady)."""
        match self.phase:
            case Phase.LAYING:
                said = self._on(self.enrolment.look(lying))
                self._settled = set(lying)  # the last card laid is not the first one checked
                return said
            case Phase.SAMPLE:
                return self._check(lying)
            case _:
                return []

    def take(self, line: str) -> list[Said]:
        """A line of the operator's."""
        match self.phase:
            case Phase.FIRST if name := self._name(line):
                self.laid_by = list(dict.fromkeys([*self.laid_by, name]))
                self.phase = Phase.LAYING
                return self._on(self.enrolment.begin())
            case Phase.SECOND if name := self._name(line):
                self.checked_by = name
                self.phase = Phase.SAMPLE
                return [self._asked()]
            case Phase.FIRST | Phase.SECOND:
                return [NameRefused(), NameAsked(second=self.phase is Phase.SECOND)]
            case Phase.LAYING:
                return self._on(self.enrolment.take(line))
            case Phase.SAMPLE:
                return [self._asked()]
            case Phase.DONE | Phase.FAILED:
                return []

    def _name(self, line: str) -> str:
        """The name in this line, empty where it is none or, of the second person, no other's."""
        name = " ".join(line.split())[:NAME_LETTERS_MAX]
        taken = [one.casefold() for one in self.laid_by] if self.phase is Phase.SECOND else []
        return name if name.isprintable() and name.casefold() not in taken else ""

    def _on(self, words: Sequence[Word]) -> list[Said]:
        """These words, and what comes next once every card has its tag."""
        if not self.enrolment.is_whole:
            return [*words]
        self.phase = Phase.SECOND if self._sample else Phase.DONE
        return [*words, *([NameAsked(second=True)] if self._sample else [])]

    def _asked(self) -> SampleAsked:
        return SampleAsked(self._sample[self._passed], self._passed + 1, len(self._sample))

    def _check(self, lying: Mapping[str, bool]) -> list[Said]:
        self._settled &= lying.keys()
        fresh = [uid for uid, steady in lying.items() if steady and uid not in self._settled]
        self._settled |= set(fresh)
        if len(fresh) > 1:
            return [Several()]
        if not fresh:
            return []
        card = self._sample[self._passed]
        if (card, fresh[0]) not in self.enrolment.entries:
            return self._miss(card)
        self._tries = 0
        self._passed += 1
        if self._passed < len(self._sample):
            return [self._asked()]
        self.phase = Phase.DONE
        return []

    def _miss(self, card: str) -> list[Said]:
        self._tries += 1
        if self._tries < TRIES_MAX:
            return [SampleWrong(card)]
        self.phase = Phase.FAILED
        return [SampleWrong(card), Failed()]
