"""How a hand is keyed in: its seats, blinds, button, and what may be left unsaid."""

from __future__ import annotations

import random
from collections.abc import Mapping

from msgspec import UNSET, UnsetType

from daemon.demo.deal import Deal
from daemon.table.events import HandStarted


def default_blinds(seats: tuple[int, ...], button: int) -> tuple[int, int] | None:
    """The two blinds where nobody says otherwise; None where that is not plain."""
    if len(seats) == 2:
        return (button, seats[1 - seats.index(button)]) if button in seats else None
    ring = clockwise(seats, button)
    return (ring[0], ring[1]) if len(ring) > 1 else None


def clockwise(seats: tuple[int, ...], after: int) -> tuple[int, ...]:
    """The seats clockwise from the left of `after`."""
    return tuple(sorted(seats, key=lambda seat: (seat - after - 1) % 10))


def hand_started(deal: Deal, rng: random.Random, at_ms: int) -> HandStarted:
    """The event that begins the hand; what the defaults say already is said now and then."""
    small: int | UnsetType | None = deal.small_blind
    big: int | UnsetType | None = deal.big_blind
    plainly = default_blinds(deal.seats, deal.button) == (small, big)
    if plainly and rng.random() < 0.5:
        small = big = UNSET
    ordered = clockwise(deal.seats, deal.button) != deal.deal_order
    return HandStarted(
        at_ms=at_ms,
        hand=deal.hand,
        button=deal.button,
        seats=deal.seats,
        deal_order=deal.deal_order if ordered or rng.random() < 0.2 else (),
        small_blind=small,
        big_blind=big,
        blinds=_by_name(deal.blinds),
        antes=_by_name(deal.antes),
        straddles=_by_name(deal.straddles),
        all_in=deal.all_in,
        game="tournament" if deal.tournament else "cash",
    )


def _by_name(chips: Mapping[int, int]) -> dict[str, int]:
    return {str(seat): amount for seat, amount in chips.items()}
