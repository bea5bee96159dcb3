"""The steps of a hand and of a remedy: the words, and the plan of an ordinary hand."""

from __future__ import annotations

from msgspec import Struct


class Step(Struct, frozen=True):
    """One due step.

    `seat` is whose card it is (pitch, replace), `cards` the physical cards it is about (set-aside,
    return-board ...), `owners` the remedies it belongs to: (ticket, index in that remedy) each.
    Where `may`, it may be done or left.
    """

    kind: str
    seat: int = 0
    cards: tuple[str, ...] = ()
    owners: tuple[tuple[int, int], ...] = ()
    may: bool = False


# The street that a step deals, and whether a burn belongs before it.
STREET_OF = {
    "flop": "flop",
    "turn": "turn",
    "river": "river",
    "flop-without-burn": "flop",
    "turn-without-burn": "turn",
    "river-without-burn": "river",
    "river-from-saved": "river",
}
STREETS = ("flop", "turn", "river")
SIZE = {"flop": 3, "turn": 1, "river": 1}
WHOLE = {"flop": 3, "turn": 4, "river": 5}  # board cards once that street lies
CARDS_OF_A_HAND = 2
BURNS = {"burn": 1, "double-burn": 2}

# Done at any time after the fault; they only hold back what stands behind them.
FLOATING = frozenset({"close", "floor", "refund", "kill-hand", "exposed-to-burn", "extra-to-burn"})

# Any of what a table must sense to see a step done; steps not named here any card sensor sees.
SENSES_OF = {
    "shuffle": ("shuffle",),
    "cut": ("cut",),
    "floor": ("floor",),
    "burn": ("burn",),
    "double-burn": ("burn",),
    "set-aside": ("board",),
    "return-board": ("board",),
    "board-to-top": ("board",),
    "return-aside": ("aside", "stub"),
    "turn-down": ("face",),
    "scramble": ("face",),
    "pick-burn": ("burn",),
    "top-to-board": ("board",),
    "turn-up": ("face",),
    "rebuild-stub": ("stub", "face"),
}


def pitches(
    deal_order: tuple[int, ...], owners: tuple[tuple[int, int], ...] = ()
) -> tuple[Step, ...]:
    """Two rounds, one card at a time, the button last (rules.md 4)."""
    return tuple(
        Step("pitch", seat=seat, owners=owners)
        for _ in range(CARDS_OF_A_HAND)
        for seat in deal_order
    )


_AFTER_DEAL = tuple(
    Step(kind)
    for kind in (
        *("close", "burn", "flop"),
        *("close", "burn", "turn"),
        *("close", "burn", "river"),
        *("close", "showdown", "collect"),
    )
)


def after(street: str) -> tuple[Step, ...]:
    """The plan from that street's betting round on; any other phase is before the flop."""
    at = STREETS.index(street) + 1 if street in STREETS else 0
    return _AFTER_DEAL[3 * at :]


def ordinary(deal_order: tuple[int, ...], *, with_cut: bool) -> tuple[Step, ...]:
    """The plan of a hand from the pitch on; the cut stands before it where it is still due."""
    cut = (Step("cut"),) if with_cut else ()
    return (*cut, *pitches(deal_order), *_AFTER_DEAL)
