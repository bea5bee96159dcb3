"""Non-interference of the sensors' figures, with tags and antennas so bad that all is told."""

from __future__ import annotations

import json
from random import Random

from daemon.table.cards import DECK
from daemon.table.figures import Figures
from daemon.table.layout import Layout, Sensor
from tests.laws.line import SOAK

EVENINGS = 400 if SOAK else 40
HANDS = 12
UIDS = [f"04{number:012x}" for number in range(52)]
CARDS = dict(zip(UIDS, DECK, strict=True))
ANTENNAS = [("felt", 1), ("felt", 2), ("seat-1", 1), ("seat-2", 1)]
LAYOUT = Layout(
    table="t", site="s", seat_count=2,
    sensors=(Sensor(name="felt", driver="feig", places={1: "board", 2: "muck"}),
             Sensor(name="seat-1", driver="pn532", places={1: "seat:1"}),
             Sensor(name="seat-2", driver="pn532", places={1: "seat:2"})),
    tags=CARDS, deck_of=dict.fromkeys(UIDS, "red"),
)  # fmt: skip


def _evening(rng):
    """Deals as (tags on antennas, cards that all have seen, whether the hand ends with it).

    Some tags are missed in most of their polls, and some antennas miss a lot.
    """
    worn = set(rng.sample(UIDS, 3))
    weak = rng.choice(ANTENNAS)
    deals = []
    for _ in range(HANDS):
        lying = []
        for uid in rng.sample(UIDS, 30):
            antenna = rng.choice(ANTENNAS)
            chance = 0.02 if antenna != weak else 0.15
            most = 4 if uid in worn else 1
            missed = [
                rng.randint(0, most) if uid in worn or rng.random() < chance else 0
                for _ in range(80)
            ]
            lying.append((antenna, uid, missed))
        seen = {uid for _, uid, _ in lying if rng.random() < 0.6}
        deals.append((lying, seen, rng.random() < 0.8))
    return deals


def _exchanged(deals, rng):
    """The same evening with the unseen tags of each deal exchanged among themselves."""
    for lying, seen, ends in deals:
        hidden = [uid for uid in UIDS if uid not in seen]
        names = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
        yield [(where, names.get(uid, uid), reads) for where, uid, reads in lying], seen, ends


def _told(deals):
    figures, told = Figures(LAYOUT), []
    for lying, seen, ends in deals:
        for antenna, uid, reads in lying:
            figures.came(antenna, uid)
            for missed in reads:
                figures.read(antenna, uid, missed)
        public = frozenset(CARDS[uid] for uid in seen)
        figures.end_hand(public) if ends else figures.close(public)
        told.append(json.dumps([figures.told, figures.troubles, figures.hands]))
    return told, figures


def test_no_figure_told_depends_on_a_tag_that_nobody_has_seen():
    decks = antennas = 0
    for number in range(EVENINGS):
        rng = Random(f"figures/{number}")
        deals = _evening(rng)
        told, figures = _told(deals)
        again, others = _told(list(_exchanged(deals, rng)))
        assert told == again
        assert figures.ledger() != others.ledger()
        decks += any(words.startswith("deck") for words in figures.troubles)
        antennas += any("antenna" in words for words in figures.troubles)
    assert decks > EVENINGS / 2, "no evening in which tags were told: nothing was tried"
    assert antennas > EVENINGS / 2
