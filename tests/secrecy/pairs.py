"""Pairs of evenings: the same hands, with the cards that nobody is shown exchanged."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from daemon.table.cards import DECK
from daemon.table.events import DealingEvent
from tests.laws.secrecy import Publicity, exchanged, renamed
from tests.secrecy.played import CALM, ROUGH, Hand, Script, real_hand, sensed
from tests.secrecy.rig import Parts, VirtualDaemon
from tests.secrecy.tables import SEATS_MAX, Fit, Table

CALM_HANDS, ROUGH_HANDS = 10, 4  # of an evening
WHOLE = 60  # more tags than lie anywhere


@dataclass(frozen=True, slots=True)
class Evening:
    """A table's hands, and the events of the same hands exchanged.

    On a calm evening the exchange is another one after each shuffle. On a rough one sensors are
    lost and the process is killed, a shuffle may go unseen, and two deals be one to the daemon: it
    is one exchange of the cards that are public at no time of it. Its readers tell each poll whole:
    which part of one is a repeat that a kill finds not yet written hangs on the tags' order.
    """

    table: Table
    hands: list[Hand]
    others: list[list[DealingEvent]]


def evening(seed, *, rough=False):
    """The evening of this seed."""
    rng = random.Random(f"secrecy/{seed}")
    fit = replace(fit_of(rng), part_tags=WHOLE if rough else 10)
    misread = rng.choice(DECK) if fit.camera and rng.random() < 0.5 else None
    odds, count = (ROUGH, ROUGH_HANDS) if rough else (CALM, CALM_HANDS)
    hands = [real_hand(rng, fit.seat_count, odds) for _ in range(count)]
    seen = [Publicity(list(sensed(hand.events, camera=fit.camera))) for hand in hands]
    if misread:  # what a camera takes another card for is none of the deck's
        for epoch in (epoch for publicity in seen for epoch in publicity.epochs):
            epoch.public.add(misread)
    if rough:
        others = _exchanged_once(hands, seen, rng)
    else:
        others = [exchanged(h.events, rng, one) for h, one in zip(hands, seen, strict=True)]
    return Evening(Table(seed, fit, misread), hands, others)


def fit_of(rng):
    """A table: one in ten with chips at its seats, which are slow; one in four under a camera."""
    if rng.random() < 0.1:
        return Fit(4, chips=True)
    return Fit(rng.choice((6, 6, 7, SEATS_MAX)), camera=rng.random() < 0.25)


def _exchanged_once(hands, seen, rng):
    public = set().union(*(publicity.ever for publicity in seen))
    hidden = [card for card in DECK if card not in public]
    names = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    return [[renamed(event, names) for event in hand.events] for hand in hands]


def played(folder, one, events, parts=Parts()):  # noqa: B008
    """The daemon after such an evening, all that left it kept; `events` are those of each hand."""
    daemon = VirtualDaemon(folder, one.table, parts)
    try:
        for hand, own in zip(one.hands, events, strict=True):
            script = Script(hand)
            daemon.deal(own, script)
            script.over(daemon)
    finally:
        daemon.close()
    return daemon


def both(folder, one, parts=Parts()):  # noqa: B008
    """All that left two daemons, of the evening as it was and of its exchange."""
    mine = played(folder / "a", one, [hand.events for hand in one.hands], parts)
    return mine.left, played(folder / "b", one, one.others, parts).left
