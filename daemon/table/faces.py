"""Faces: what a camera sees of the cards, held against where the other sensors know them to be.

A camera is a second witness and never the only one: a face moves no card, and none is named unless
another sensor knows that very card at that place. It may misread, and what it misreads for may be
a card that lies face down beside it: so a face that is easily misread names none where cards lie
hidden, whatever lies there. Were it to hang on what lies there, silence would tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from daemon.table.events import CardExposed, CardTurned, DealingEvent, Rival
from daemon.table.figures import Figures
from daemon.table.places import ASIDE, BOARD, BURN, MUCK, SEAT, plain, seat_of
from drivers.readings import Face

# All numbers here are ours; no camera was tried. A detector flickers from picture to picture, and a
# misreading rarely lasts, so that most of the last pictures must agree; at five pictures a second
# that is 0.8 s, and a card in flight is in one or two.
SURE_PERCENT = 80  # what the camera is less sure of is not looked at
SEEN, WINDOW = 4, 5  # a face is steady after so many of the last pictures
BOARD_MS = 400  # and after this time, whatever the pictures' rate: a board card lies there for all
LYING_MS = 1000  # elsewhere a hand may only be passing with it
FRESH_MS = 1000  # how old the last picture may be
UNSEEN_MS = 2000  # out of sight for so long it is a new sight: it was turned down, or taken
# Readers are slow (passage, an open draw: 1.5 s each), so that a face alone is none before that.
ALONE_MS = 5000
OTHER_CARD = Rival(instead="camera-other-card")

_MASK = (1 << WINDOW) - 1
_RED = {"h": "d", "d": "h"}
_TURNED_ROUND = {"6": "9", "9": "6"}


@dataclass(slots=True)
class _Sight:
    """One face in one zone: a bit for each of the last pictures, the youngest lowest."""

    camera: str
    since_ms: int
    last_ms: int
    pictures: int = 0
    told: bool = False
    alone: bool = False

    @property
    def steady(self) -> bool:
        return bool(self.pictures & 1) and self.pictures.bit_count() >= SEEN


class Faces:
    """The faces that the cameras of one table see, and which of them were told.

    `figures` takes `unknown-zone` (each face of a picture in a zone that the table does not have)
    and `face-unsure` (each face that stays, and names no card).
    """

    def __init__(self, seat_count: int, figures: Figures) -> None:
        self._figures = figures
        self._seat_count = seat_count
        self._zones = frozenset((BOARD, BURN, ASIDE, MUCK, *SEAT[1 : seat_count + 1]))
        self._sights: dict[str, dict[tuple[str, str], _Sight]] = {}

    def see(self, camera: str, faces: tuple[Face, ...], at_ms: int) -> None:
        """One whole picture of a camera."""
        sights = self._sights.setdefault(camera, {})
        hits = frozenset(self._sure(camera, faces))
        for hit in sorted(hits - sights.keys()):
            sights[hit] = _Sight(camera, at_ms, at_ms)
        for key, sight in list(sights.items()):
            sight.pictures = (sight.pictures << 1 | (key in hits)) & _MASK
            if key in hits:
                sight.last_ms = at_ms
            elif at_ms - sight.last_ms >= UNSEEN_MS:
                del sights[key]
            elif not sight.pictures:
                sight.since_ms = at_ms

    def lost(self, camera: str) -> None:
        """The camera is gone: what it saw is worth nothing when it is back."""
        self._sights.pop(camera, None)

    def tell(self, lying: Mapping[str, Mapping[str, bool]], at_ms: int) -> list[DealingEvent]:
        """What the faces say beside the cards that other sensors know; each sight is told once.

        `lying`: of every place its cards, each with whether a reader there has it now.
        """
        steady = [seen for seen in self._steady(at_ms) if at_ms >= seen[2].since_ms + BOARD_MS]
        faces = Counter(place for place, _, _ in steady)
        events: list[DealingEvent] = []
        for place, card, sight in steady:
            here = lying.get(place, {})
            if card in here and (place == BOARD or not _alike(card)):
                if not sight.told and _lies_face_up(place, at_ms - sight.since_ms, here[card]):
                    sight.told = True
                    events.append(_face_up(card, place, at_ms))
                continue
            sight.told = False
            near = self._is_near(card, place, lying)
            alone = bool(here) and faces[place] <= len(here) and not near
            if alone and not sight.alone and at_ms - sight.since_ms >= ALONE_MS:
                sight.alone = True
                self._figures.note(sight.camera, "face-unsure")
                events += _unsure(card, place, here, at_ms)
        return events

    @property
    def steady(self) -> bool:
        """Whether there is anything to tell."""
        return any(sight.steady for sights in self._sights.values() for sight in sights.values())

    def _sure(self, camera: str, faces: tuple[Face, ...]) -> Iterator[tuple[str, str]]:
        for face in faces:
            place = plain(face.zone)
            if place not in self._zones:  # the stub among them: undealt cards are never learned
                self._figures.note(camera, "unknown-zone")
            elif face.sure_percent >= SURE_PERCENT:
                yield place, face.card

    def _steady(self, at_ms: int) -> Iterator[tuple[str, str, _Sight]]:
        for sights in self._sights.values():
            for (place, card), sight in sights.items():
                if sight.steady and at_ms - sight.last_ms <= FRESH_MS:
                    yield place, card, sight

    def _is_near(self, card: str, place: str, lying: Mapping[str, Mapping[str, bool]]) -> bool:
        """Whether the card lies at the next seat: zones are drawn by hand, cards pushed about."""
        seat = seat_of(place)
        return seat is not None and any(
            card in lying.get(other, {}) for other in self._neighbours(seat)
        )

    def _neighbours(self, seat: int) -> tuple[str, str]:
        count = self._seat_count
        return SEAT[(seat - 2) % count + 1], SEAT[seat % count + 1]


def _alike(card: str) -> frozenset[str]:
    """The cards that a camera takes this one for: red suits, and 6 and 9 (hardware notes)."""
    ranks = {card[0], _TURNED_ROUND.get(card[0], card[0])}
    suits = {card[1], _RED.get(card[1], card[1])}
    return frozenset(rank + suit for rank in ranks for suit in suits) - {card}


def _lies_face_up(place: str, for_ms: int, on_reader: bool) -> bool:
    """Whether all can have seen it.

    A hole card must lie on its antenna: in a hand that lifts it, a face that the camera catches is
    no face that was shown.
    """
    if place == BOARD:
        return True
    return for_ms >= LYING_MS and (on_reader or seat_of(place) is None)


def _face_up(card: str, place: str, at_ms: int) -> DealingEvent:
    """At a seat nobody knows who turned it; elsewhere it is turned up where it lies."""
    if seat_of(place) is not None:
        return CardExposed(at_ms=at_ms, place=place, card=card)
    return CardTurned(at_ms=at_ms, card=card, face="up", place=place)


def _unsure(card: str, place: str, here: Mapping[str, bool], at_ms: int) -> Iterator[DealingEvent]:
    """A face that names no card: misread, or a tag on another card.

    Where it is, or is easily taken for, one that lies there, that is agreement all the same.
    """
    like = bool((_alike(card) | {card}) & here.keys())
    if seat_of(place) is not None or (place == BOARD and not like):
        doubt = None if like else OTHER_CARD
        yield CardExposed(at_ms=at_ms, place=place, sure=False, doubt=doubt)
