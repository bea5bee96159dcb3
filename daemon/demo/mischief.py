"""One irregularity in an otherwise lawful hand, and how the dealer then handles it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from daemon.demo.board_faults import BOARD_FAULTS
from daemon.demo.board_slips import BOARD_SLIPS
from daemon.demo.deal import Deal
from daemon.demo.deal_faults import DEAL_FAULTS
from daemon.demo.deal_slips import DEAL_SLIPS
from daemon.demo.dealing import Dealer
from daemon.demo.deck_faults import DECK_FAULTS
from daemon.demo.deck_slips import DECK_SLIPS
from daemon.demo.end_faults import END_FAULTS
from daemon.demo.hand_faults import HAND_FAULTS
from daemon.demo.odd_cards import ODD_CARDS
from daemon.demo.outcome import Mischief
from daemon.demo.premature import PREMATURE
from daemon.demo.stub_slips import STUB_SLIPS
from daemon.rules.vocabulary import IDS
from daemon.table.events import DEFAULT_SENSES, Betting, DealingEvent, Sense, TableBegan

# Keyed by the irregularity, and its variant where it has one (`turn-premature no-burn`).
MISCHIEF: Mapping[str, Mischief] = {
    **DEAL_FAULTS,
    **DEAL_SLIPS,
    **DECK_FAULTS,
    **DECK_SLIPS,
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

    `found` maps each to its last state (`any` where the book is silent) under `rulebook`; it is
    empty in a near miss. `table` is the line that begins a table as it is needed for this: what it
    senses, and what it knows of the betting.
    """

    irregularity: str
    handling: str
    events: list[DealingEvent]
    found: Mapping[str, str]
    self_corrected: bool
    table: TableBegan
    rulebook: str


def injected(name: str, handling: str) -> str:
    """What was done wrong last: the fault in the remedy, where there is one, else the mischief."""
    return handling if handling in IDS else name.split(maxsplit=1)[0]


def kinds() -> Iterator[tuple[str, str]]:
    """Every mischief with each of its handlings."""
    for name, mischief in MISCHIEF.items():
        for handling in (*mischief.handlings, *mischief.near_misses):
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
        table=_table(mischief),
        rulebook=mischief.rulebook,
    )


def _table(mischief: Mischief) -> TableBegan:
    """The table at which this mischief can be told."""
    sees = tuple(s for s in get_args(Sense) if s in DEFAULT_SENSES or s in mischief.senses)
    return TableBegan(
        table="poker-1",
        betting=Betting(level="acts" if mischief.acts_seen else "none"),
        sees=sees if mischief.senses else None,
    )
