"""Remedies as lists of steps: which of them can never end a hand, and what the parameters edit."""

from __future__ import annotations

from collections.abc import Iterator

from daemon.rules.parameters import Parameters
from daemon.rules.vocabulary import PREMATURE, STREETS, WITHOUT_BURN

SCRAP = ("scrap", "next-card")
OTHER_BACK = frozenset({"deck-foreign-back", "deck-mixed"})

STEPS_MAX = 24

NEEDS_BEFORE = {
    "return-aside": "set-aside",
    "replace": "deal",
    "river-from-saved": "save-river",
    "pick-burn": "scramble",
    "turn-up": "turn-down",
    "next-card": "scrap",
}
"""A step, and the one that must stand before it."""

NEEDS_AFTER = {
    "collect": frozenset({"deal"}),
    "save-river": frozenset({"river-from-saved"}),
    "return-board": frozenset({*STREETS, *WITHOUT_BURN}),
    "top-to-board": frozenset({"turn-up"}),
}
"""A step, and those of which one must stand after it, or the hand has no way on."""

_STREET_ORDER = {street: n for n, street in enumerate(STREETS)}
_STREET_OF = {street: street for street in STREETS} | WITHOUT_BURN


def dead_ends(remedy: tuple[str, ...]) -> Iterator[str]:
    """Why this remedy can never end the hand, one sentence for each reason; nothing if it can."""
    for n, step in enumerate(remedy):
        before = NEEDS_BEFORE.get(step)
        if before is not None and before not in remedy[:n]:
            yield f"can never end: {step} without {before} before it"
        after = NEEDS_AFTER.get(step)
        if after is not None and after.isdisjoint(remedy[n + 1 :]):
            yield f"can never end: {step} without {' or '.join(sorted(after))} after it"
        if step == "deal" and "collect" in remedy[:n] and "shuffle" not in remedy[:n]:
            yield "can never end: deal after collect without shuffle between them"
    yield from _streets_out_of_order(remedy)


def _streets_out_of_order(remedy: tuple[str, ...]) -> Iterator[str]:
    last = -1
    for n, step in enumerate(remedy):
        street = _STREET_OF.get(step)
        if street is None:
            continue
        if _STREET_ORDER[street] <= last:
            yield f"can never end: {step} after the {STREETS[last]}"
        last = _STREET_ORDER[street]
        if step in WITHOUT_BURN and n and remedy[n - 1] in {"burn", "double-burn"}:
            yield f"can never end: {remedy[n - 1]} right before {step}"


def edited(irregularity: str, remedy: tuple[str, ...], parameters: Parameters) -> tuple[str, ...]:
    """The remedy as the parameters have it.

    `burn_on_redeal` puts a burn before every street redealt after a shuffle; `cut_on_premature`
    puts a cut after every shuffle of a premature street's remedy, or takes it out. Where
    `foreign_back_fouls` is false, or `scrap_joker` true, such a card is a scrap of paper.
    `dropped_own_card` says whether the floor is asked about a card that its player dropped.
    """
    if irregularity in OTHER_BACK and not parameters.foreign_back_fouls:
        return SCRAP
    if irregularity == "deck-joker" and parameters.scrap_joker is True:
        return SCRAP
    if irregularity == "hand-card-dropped":
        asked = remedy if "floor" in remedy else ("floor", *remedy)
        return asked if parameters.dropped_own_card == "floor" else ()
    if irregularity in PREMATURE:
        remedy = _with_cuts(remedy, parameters.cut_on_premature)
    return _with_burns(remedy) if parameters.burn_on_redeal else remedy


def as_dealt(remedy: tuple[str, ...], facts: frozenset[str]) -> tuple[str, ...]:
    """The remedy, where later cards lie in other hands already: replaced after the deal (SM-13)."""
    if "covered" not in facts or "next-card" not in remedy:
        return remedy
    at = remedy.index("next-card")
    return (*remedy[:at], "deal", "replace", *remedy[at + 1 :])


def _with_cuts(remedy: tuple[str, ...], cut: bool) -> tuple[str, ...]:
    steps: list[str] = []
    for step in remedy:
        if step == "cut":
            continue
        steps.append(step)
        if step == "shuffle" and cut:
            steps.append("cut")
    return tuple(steps)


def _with_burns(remedy: tuple[str, ...]) -> tuple[str, ...]:
    steps: list[str] = []
    for step in remedy:
        if step in WITHOUT_BURN and "shuffle" in steps:
            steps += ["burn", WITHOUT_BURN[step]]
        else:
            steps.append(step)
    return tuple(steps)


def silenced(irregularity: str, parameters: Parameters) -> bool:
    """Whether the parameters leave no room for this irregularity, whatever its row says."""
    match irregularity:
        case "deal-first-card-exposed":
            return parameters.first_cards_misdeal < 1
        case "deal-second-card-exposed":
            return parameters.first_cards_misdeal < 2
        case "burn-lost-in-muck":
            return parameters.burn_pile != "own"
        case "showdown-allin-not-tabled":
            return not parameters.allin_hands_tabled
        case _:
            return False
