"""Non-interference from bytes to bytes: the same evening with the unseen cards exchanged."""

from __future__ import annotations

import json
import random

import pytest
from msgspec.json import encode
from msgspec.structs import replace

from daemon.alarms.alert import line
from daemon.messages import Announcer, Topics
from daemon.pipeline import Pipeline
from daemon.signals import Chunk, Order, Tick
from daemon.table import events as dealing
from daemon.table.cards import DECK
from daemon.table.layout import Sensor
from daemon.table.places import plain, seat_of
from drivers.readings import Face
from drivers.simulated.camera import picture
from tests.alarms.ordered_table import quarrelsome
from tests.demo.staged import StagedTable, books
from tests.laws.line import SOAK
from tests.laws.secrecy import Publicity, exchanged
from tests.laws.streams import KINDS, hand

TABLES = 60 if SOAK else 1
HANDS = 3  # of one table, one after the other


def _sensed(events, *, camera=False):
    """The stream, event for event, with no face but the board's: keys name no card.

    A camera may read those at seats that lie face up, too.
    """
    for event in events:
        match event:
            case _ if camera and _shown(event):
                yield event
            case dealing.CardMoved(to=to):
                yield replace(event, face="up" if plain(to) == "board" else "unknown")
            case dealing.CardTurned():
                yield replace(event, face="unknown")
            case dealing.CardExposed():
                yield replace(event, card=None)
            case dealing.HandTabled():
                yield replace(event, cards=())
            case _:
                yield event


def _shown(event):
    """The card that lies face up at a seat from now on, None where none does."""
    match event:
        case dealing.CardMoved(card=card, to=to, face="up") if seat_of(to):
            return card
        case dealing.CardExposed(card=str(card), place=place, sure=True) if seat_of(place):
            return card
    return None


def _swept(events):
    """The hand with its cards brought in at its end: else they lie about in the next one."""
    last = events[-1]
    if any(isinstance(event, dealing.CardsCollected) for event in events[-3:]):
        return events
    return [*events[:-1], dealing.CardsCollected(at_ms=last.at_ms), last]


class _Watched(StagedTable):
    """A staged table; `left` is all that leaves it, with the time at which it left.

    `floor` is shown every alert told, and may order something.
    """

    def __init__(self, folder, seed, floor=lambda _: None):
        self.left, self._view, self._floor = [], None, floor
        self._announcer = Announcer(Topics("s", "t"))
        folder.mkdir()
        super().__init__(folder, seed)

    def _take(self, signal):
        alerts = self.line.step(signal)
        for alert in alerts:
            payload = line(alert)
            self.left.append((signal.at_ms, payload))
            self.left += [
                (message.topic, message.payload, message.retain)
                for message in self._announcer.messages(alert, payload)
            ]
        figures = self.line.figures
        of_alarms = [self.line.key_figures, self.line.troubles, encode(self.line.answer).decode()]
        published = json.dumps([self.line.hand_view(), figures.told, of_alarms])
        view = published, self.line.counts
        if view != self._view:
            self.left.append((signal.at_ms, view))
        self._view = view
        for alert in alerts:
            if (command := self._floor(alert)) is not None:
                self._take(Order(signal.at_ms, command, "floor"))


class _Sighted(_Watched):
    """The same under a camera that takes one card on the board, and one at a seat, for `other`."""

    def __init__(self, folder, seed, other):
        super().__init__(folder, seed)
        eye = Sensor(name="eye", driver="camera", senses=("face",))
        sensors = (*self.layout.sensors, eye)
        self.line = Pipeline(replace(self.layout, sensors=sensors), *books())
        self._other, self._frame = other, 0
        self._taken_for = random.Random(seed).choice(("board", "seat:1", "seat:3"))
        self._up = set()

    def deal(self, events):
        def told():
            for event in events:
                if isinstance(event, dealing.CardsCollected | dealing.DeckShuffled):
                    self._up.clear()  # what is dealt anew lies face down
                self._up.discard(getattr(event, "card", None))
                self._up |= {card for card in (_shown(event),) if card}
                yield event
            self._up.clear()

        return super().deal(told())

    def _take(self, signal):
        super()._take(signal)
        if isinstance(signal, Tick) and self._frame >= 0:
            self._frame += 1
            seen = picture(tuple(self._faces()), self._frame)
            super()._take(Chunk(signal.at_ms, "eye", seen))

    def _faces(self):
        stage, missing = self._stage, self._taken_for
        cards = {uid: card for deck in stage._decks.values() for card, uid in deck.items()}
        for uid, place in stage._lies.items():
            if place == missing:
                missing = ""
                yield Face(self._other, place, 95)
            elif place == "board" or (seat_of(place) and cards[uid] in self._up):
                yield Face(cards[uid], place, 95)


def _everything(table, hands):
    for events in hands:
        table.deal(events)
    return table.left


def _hands(rng):
    hands = []
    while len(hands) < HANDS:
        kind = None if rng.random() < 0.2 else rng.choice(KINDS)
        one = hand(rng, kind)
        if "duplicate" not in one.name:
            hands.append(_swept(one.events))
    return hands


def _same(before, after):
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        assert one == other


@pytest.mark.parametrize("seed", range(TABLES))
def test_nothing_that_leaves_depends_on_a_tag_that_nobody_has_seen(seed, tmp_path):
    rng = random.Random(f"signals/{seed}")
    hands = _hands(rng)
    others = [exchanged(events, rng, Publicity(list(_sensed(events)))) for events in hands]
    assert all(other != events for events, other in zip(hands, others, strict=True))
    before = _everything(_Watched(tmp_path / "a", seed), hands)
    after = _everything(_Watched(tmp_path / "b", seed), others)
    _same(before, after)


@pytest.mark.parametrize("seed", range(TABLES))
def test_nor_with_people_who_order_this_and_that(seed, tmp_path):
    rng = random.Random(f"orders/{seed}")
    hands = _hands(rng)
    others = [exchanged(events, rng, Publicity(list(_sensed(events)))) for events in hands]
    before = _everything(_Watched(tmp_path / "a", seed, quarrelsome(seed)), hands)
    after = _everything(_Watched(tmp_path / "b", seed, quarrelsome(seed)), others)
    _same(before, after)


@pytest.mark.parametrize("seed", range(TABLES))
def test_nor_under_a_camera_though_it_misreads_cards_that_nobody_has_seen(seed, tmp_path):
    rng = random.Random(f"sights/{seed}")
    hands, misread = _hands(rng), rng.choice(DECK)
    others = []
    for events in hands:
        publicity = Publicity(list(_sensed(events, camera=True)))
        for epoch in publicity.epochs:
            epoch.public.add(misread)  # what a camera takes another card for is none of the deck's
        others.append(exchanged(events, rng, publicity))
    assert all(other != events for events, other in zip(hands, others, strict=True))
    before = _everything(_Sighted(tmp_path / "a", seed, misread), hands)
    _same(before, _everything(_Sighted(tmp_path / "b", seed, misread), others))
