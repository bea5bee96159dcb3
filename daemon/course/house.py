"""The house's parameters that the course asks for."""

from __future__ import annotations

from msgspec import Struct


class House(Struct, frozen=True):
    """The house's parameters that decide what departs from the course."""

    first_cards: int = 1
    substantial_action: str = "two-acts"
    overcount_ms: int = 6000
    boxed_misdeal_at: int = 2
    count_hands: int = 2
    cut_cards_min: int = 10
    hands_tabled: bool = False
    button_rule: str = "moving"
    single_from_button: bool = False
    absent_plays_redeal: bool = False
    skipped_window: str = "three-behind"
    skipped_ms: int = 3000
