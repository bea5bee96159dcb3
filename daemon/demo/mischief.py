"""One irregularity in an otherwise lawful hand, and how the dealer then handles it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from daemon.demo.board_faults import BOARD_FAULTS
from daemon.demo.board_slips import BOARD_SLIPS
from daemon.demo.deal import Deal
from daemon.demo.deal_faults import DEAL_FAULTS
from daemon.demo.deal_slips import DEAL_SLIPS
from daemon.demo.dealing import Dealer
from daemon.demo.deck_faults import DECK_FAULTS
from daemon.demo.end_faults import END_FAULTS
from daemon.demo.hand_faults import HAND_FAULTS
from daemon.demo.odd_cards import ODD_CARDS
from daemon.demo.outcome import Mischief
from daemon.demo.premature import PREMATURE
from daemon.demo.stub_slips import STUB_SLIPS
from daemon.table.events import Betting, DealingEvent

# Keyed by the irregularity, and its variant where it has one (`turn-premature no-burn`).
MISCHIEF: Mapping[str, Mischief] = {
    **DEAL_FAULTS,
    **DEAL_SLIPS,
    **DECK_FAULTS,
    **ODD_CARDS,
    **PREMATURE,
    **BOARD_FAULTS,
    **BOARD_SLIPS,
    **STUB_SLIPS,
    **HAND_FAULTS,
    **END_FAULTS,
}
_FEWEST_SEATS = 2
HANDS_TABLED = frozenset({"tda-2024"})  # books whose dealer tables all-in hands (rule 16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A hand with one irregularity: its events, and every irregularity that must be found in it.

    `found` maps each to its last state (`any` where the book is silent) under `rulebook`;
    `stated` is False where the book leaves room, and then only `irregularity` is certain.
    `betting` is what the table must know of the betting for this.
    """

    irregularity: str
    handling: str
    events: list[DealingEvent]
    found: Mapping[str, str]
    self_corrected: bool
    stated: bool
    betting: Betting
    rulebook: str


def kinds() -> Iterator[tuple[str, str]]:
    """Every mischief with each of its handlings."""
    for name, mischief in MISCHIEF.items():
        for handling in mischief.handlings:
            yield name, handling


def incident(
    name: str, handling: str, deal: Deal, rng: random.Random, at_ms: int = 0
) -> Incident | None:
    """The hand with this mischief, handled so; None where the hand gives no room for it."""
    if len(deal.deal_order) < _FEWEST_SEATS:
        return None
    mischief = MISCHIEF[name]
    hands_tabled = mischief.rulebook in HANDS_TABLED
    dealer = Dealer(deal, rng, at_ms, acts=mischief.acts_seen, hands_tabled=hands_tabled)
    outcome = mischief.commit(dealer, handling)
    if outcome is None:
        return None
    return Incident(
        irregularity=name.split(maxsplit=1)[0],
        handling=handling,
        events=dealer.events,
        found=outcome.found,
        self_corrected=outcome.self_corrected,
        stated=outcome.stated,
        betting=Betting(level="acts" if mischief.acts_seen else "none"),
        rulebook=mischief.rulebook,
    )
