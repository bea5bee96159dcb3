"""What the course asks of a house, from its parameters."""

from __future__ import annotations

from daemon.course.house import House
from daemon.rules.parameters import Parameters


def house_of(house: Parameters) -> House:
    """The parameters that decide what departs from the course; seconds become milliseconds."""
    return House(
        first_cards=house.first_cards_misdeal,
        substantial_action=house.substantial_action,
        overcount_ms=round(house.overcount_s * 1000),
        boxed_misdeal_at=house.boxed_misdeal_at,
        count_hands=house.count_hands,
        cut_cards_min=house.cut_min_cards,
        hands_tabled=house.allin_hands_tabled,
        button_rule=house.button_rule,
        single_from_button=house.single_blind_first == "left-of-button",
        absent_plays_redeal=house.absent_plays_redeal,
        skipped_window=house.skipped_window,
        skipped_ms=round(house.skipped_time_s * 1000),
    )
