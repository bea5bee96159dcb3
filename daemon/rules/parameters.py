"""The parameters of a rulebook, each with its type, its bounds and the founding text's value."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from daemon.rules.vocabulary import Audience

Seconds = Annotated[int, Meta(ge=0, le=86_400)] | Annotated[float, Meta(ge=0, le=86_400)]
Rate = Annotated[int, Meta(ge=0, le=1000)] | Annotated[float, Meta(ge=0, le=1000)]
Count = Annotated[int, Meta(ge=1, le=1000)]


class Parameters(Struct, frozen=True, kw_only=True):
    """What a card room decides once for all irregularities; a table's `[house]` overrides by name.

    The defaults are those of the older Hold'em section of Robert's Rules of Poker; where that text
    is silent they are this program's own and want measuring at a real table.
    """

    first_cards_misdeal: Literal[0, 1, 2] = 1
    substantial_action: Literal["two-acts", "tda36"] = "two-acts"
    skipped_window: Literal["three-behind", "sa-out-of-turn"] = "three-behind"
    burn_on_redeal: bool = False
    cut_on_premature: bool = True
    boxed_misdeal_at: Count = 2
    foreign_back_fouls: bool = True
    scrap_joker: bool | Literal["after-sa"] = False
    dropped_own_card: Literal["plays", "floor"] = "plays"
    allin_hands_tabled: bool = False
    absent_plays_redeal: bool = False

    self_correction_s: Seconds = 5
    misdeal_s: Seconds = 15
    overcount_s: Seconds = 6
    sweep_s: Seconds = 10
    count_hands: Count = 2
    skipped_time_s: Seconds = 3
    board_public_s: Seconds = 2

    burn_pile: Literal["own", "muck", "pot"] = "own"
    button_rule: Literal["moving", "dead"] = "moving"
    single_blind_first: Literal["left-of-blind", "left-of-button"] = "left-of-blind"
    cut_min_cards: Annotated[int, Meta(ge=0, le=52)] = 10
    shuffle_sequence: Literal["off"] = "off"
    deck_life_days: Annotated[int, Meta(ge=0, le=36500)] = 0
    doubt_audience: Audience = "maintenance"
    sensor_identification: Literal["never", "floor"] = "never"

    escalate_critical_s: Seconds = 30
    escalate_high_s: Seconds = 120
    shelve_max_min: Count = 60
    stale_h: Count = 24
    chatter_per_min: Count = 3
    flood_start_in_10_min: Count = 10
    flood_end_in_10_min: Count = 5
    budget_in_10_min: Rate = 0.1
    sensor_grace_s: Seconds = 5
