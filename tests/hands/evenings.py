"""Whole evenings: hands of every kind, one after the other, with what happens between them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from daemon.demo.deal import BOARD_AFTER, PREFLOP, RIVER, STREETS
from daemon.demo.dealing import Dealer, lawful
from daemon.demo.evening import evening
from daemon.demo.mischief import incident, kinds
from daemon.table import events as dealing
from daemon.table.places import BOARD, MUCK, SEAT


@dataclass(frozen=True, slots=True)
class Told:
    """One hand: how it was dealt, its events, and what must be found in it by its last state."""

    kind: str
    events: list
    found: dict


def lawful_hands_of(rng, seat_count, hands_tabled, hands):
    """So many lawful hands in a row, of all the kinds that an evening brings."""
    at_ms = 0
    for _, deal in zip(range(hands), evening(rng, seat_count), strict=False):
        events = between(rng, at_ms)
        kind = rng.choice((plain, plain, run_twice, blinds_chopped, absent))
        start_ms = at_ms + 2000
        told = kind(deal, rng, start_ms, hands_tabled)
        if told is None:
            kind, told = plain, plain(deal, rng, start_ms, hands_tabled)
        yield Told(kind.__name__, events + told, {})
        at_ms = told[-1].at_ms + rng.randint(1000, 4000)


def mixed_hands(rng, seat_count, hands):
    """Lawful hands, and among them some with a mischief that the house's book judges."""
    at_ms = 0
    faults = [
        (name, handling)
        for name, handling in kinds()
        if name not in ("deck-missing-card", "deck-change-untimely", "leftover-card")
    ]
    for _, deal in zip(range(hands), evening(rng, seat_count), strict=False):
        told = None
        if rng.random() < 0.4:
            told = _incident(deal, rng, faults, at_ms)
        if told is None:
            told = Told("lawful", plain(deal, rng, at_ms, False), {})
        yield told
        at_ms = told.events[-1].at_ms + rng.randint(1000, 4000)


PLAIN_TABLE = dealing.TableBegan(table="poker-1")


def _incident(deal, rng, faults, at_ms):
    for _ in range(8):
        name, handling = rng.choice(faults)
        happened = incident(name, handling, deal, rng, at_ms)
        plainly = happened and happened.rulebook == "robert-classic"
        if plainly and happened.table == PLAIN_TABLE:
            return Told(f"{name} {handling}", happened.events, dict(happened.found))
    return None


def between(rng, at_ms):
    """Decks and dealers change, a break begins and ends; mostly nothing happens."""
    match rng.randrange(8):
        case 0:
            deck = rng.choice(("red", "blue"))
            return [dealing.DeckChanged(at_ms=at_ms, deck=deck, reason=rng.choice(REASONS))]
        case 1:
            return [dealing.DealerChanged(at_ms=at_ms, dealer=f"k{rng.randrange(9)}")]
        case 2:
            return [
                dealing.TableState(at_ms=at_ms, state="paused"),
                dealing.TableState(at_ms=at_ms + 900, state="open"),
            ]
        case 3:
            return [dealing.DeckCounted(at_ms=at_ms, count=52, of="deck", by="shuffler")]
        case _:
            return []


REASONS = ("push", "level", "house")


def plain(deal, rng, at_ms, hands_tabled):
    """Dealt as it was played."""
    return lawful(deal, rng, at_ms, hands_tabled=hands_tabled)


def run_twice(deal, rng, at_ms, hands_tabled):
    """All-in, and the rest of the board is run twice by agreement."""
    spent = {a.seat for acts in deal.acts.values() for a in acts if a.all_in} | {*deal.all_in}
    able = [seat for seat in deal.survivors() if seat not in spent]
    acted = [street for street in STREETS if deal.acts[street]]
    if len(deal.survivors()) < 2 or len(able) > 1 or not acted or acted[-1] == RIVER:
        return None
    if deal.tournament:  # a cash game's custom
        return None
    dealer = Dealer(deal, rng, at_ms, hands_tabled=hands_tabled)
    dealer.advance(acted[-1]) if acted[-1] != PREFLOP else _opened(dealer)
    dealer.acts(acted[-1])
    for seat in dealer.live:
        if seat not in dealer.tabled:
            dealer.table(seat)
    dealer.say(dealing.BoardsAgreed(at_ms=dealer.now_ms, boards=2))
    following = STREETS[STREETS.index(acted[-1]) + 1 :]
    for street in following:
        dealer.street(street)
    lying = BOARD_AFTER[acted[-1]]
    for street in following:
        dealer.burn()
        for slot in range(lying + 1, BOARD_AFTER[street] + 1):
            dealer.wait(200, 500)
            dealer.move(dealer.stub[0], f"{BOARD}:2/{slot}", "up")
        lying = BOARD_AFTER[street]
    dealer.say(dealing.PotPushed(at_ms=dealer.now_ms, seats=tuple(dealer.live)))
    dealer.end()
    return dealer.events


def _opened(dealer):
    dealer.open()
    dealer.pitch_all()


def blinds_chopped(deal, rng, at_ms, hands_tabled):
    """All fold to the blinds, who take back what they posted."""
    blinds = [seat for seat in (deal.small_blind, deal.big_blind) if seat is not None]
    if len(blinds) < 2 or deal.straddles or deal.tournament or deal.all_in:
        return None
    dealer = Dealer(replace(deal, folds_shown=()), rng, at_ms, hands_tabled=hands_tabled)
    _opened(dealer)
    opener = (deal.deal_order.index(deal.big_blind) + 1) % len(deal.deal_order)
    for seat in deal.deal_order[opener:] + deal.deal_order[:opener]:
        if seat not in blinds:
            dealer.wait(700, 3000)
            dealer.fold(seat)
    for seat in blinds:
        dealer.muck(seat)
    if rng.random() < 0.5:
        chop = dealing.PotPushed(at_ms=dealer.now_ms, seats=tuple(blinds), chop=True)
        dealer.say(chop)
    dealer.collect()
    dealer.say(dealing.HandEnded(at_ms=dealer.now_ms))
    return dealer.events


def absent(deal, rng, at_ms, hands_tabled):
    """A player of a tournament is not there: dealt in, and killed at the last pitch (rule 30)."""
    first = {act.seat: act.word for act in reversed(deal.acts[PREFLOP])}
    away = [seat for seat, word in first.items() if word == "fold" and seat not in deal.blinds]
    if not deal.tournament or not away or len(deal.deal_order) < 4:
        return None
    seat = rng.choice(away)
    acts = tuple(act for act in deal.acts[PREFLOP] if act.seat != seat)
    deal = replace(deal, acts={**deal.acts, PREFLOP: acts}, folds_shown=())
    dealer = Dealer(deal, rng, at_ms, hands_tabled=hands_tabled)
    _opened(dealer)
    dealer.wait(100, 400)
    for card in dealer.at(SEAT[seat]):
        dealer.move(card, MUCK, by="dealer")
    dealer.live.remove(seat)
    dealer.play_on(PREFLOP)
    return [_with_absent(event, seat) for event in dealer.events]


def _with_absent(event, seat):
    if isinstance(event, dealing.HandStarted):
        return msgspec.structs.replace(event, dead_seats=(seat,))
    return event
