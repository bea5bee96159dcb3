"""The names that the oracle knows, why a departure is lawful, and what follows unheeded ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

STREETS = ("flop", "turn", "river")
FOLLOWING = {"preflop": "flop", "flop": "turn", "turn": "river"}
GONE_MS = 5000  # self_correction_s
SWEEP_MS = 10_000  # sweep_s
TDA = "tda-2024"
SECOND_CARD_COUNTS = {"robert", TDA}  # first_cards_misdeal = 2

EXTRA = frozenset({
    "deal-extra-card-first-player", "deal-extra-card-other", "deal-multiple-extra-cards",
})  # fmt: skip
SHORT = frozenset({
    "deal-too-few-button", "deal-too-few-cards", "deal-entitled-seat-skipped",
    "hand-wrong-count-after-window",
})  # fmt: skip
ORDER = frozenset({"deal-wrong-first-seat", "deal-out-of-sequence"})
PREMATURE = frozenset({
    *(f"{street}-premature" for street in STREETS), "flop-premature-partial", "player-skipped",
    "premature-acted-on", "streets-premature-multiple",
})  # fmt: skip
BURNS = frozenset(f"{s}-{what}" for s in STREETS for what in ("no-burn", "multiple-burns"))
OVER = frozenset({f"{street}-overcount" for street in STREETS})

# Why nothing is said: the rule that keeps it quiet.
WHY = {
    "unnamed": "no irregularity of the catalogue is about it (2.1: no shuffle is missed by a key)",
    "unkeyed": "not sensed, not judged: a key that was not pressed is nothing that was not done",
    "said-again": "a word said twice says nothing new",
    "by-the-cards": "the fold is seen by its cards as well (formats: folds)",
    "turn-of-act": "an act out of turn binds as it stands (53-A)",
    "together": "three flop cards come in any order",
    "passage": "a card of a hand or the muck is in passage over the board (2.0)",
    "counted-by-draws": "a hand's cards are counted by draws, not by its antenna (2.2)",
    "not-live": "it is no live seat that the card came to",
    "nothing-owed": "no board card is owed from the stub, or the deck is still being made ready",
    "not-in": "an act of a seat without cards changes nothing",
    "over": "one live hand is left, the hands are shown or the pot went: nothing is owed",
    "swept": "board and burns may be swept within ten seconds (2.0)",
    "burns-anywhere": "where burns lie is the room's own; only muck, stub and hands matter",
    "stopped": "no pot was pushed: the last folds may not have been seen (2.3 street-skipped)",
    "folded-first": "the hand was folded, or over, before its cards were counted",
    "run-out-shown": "the hands lie open after a run-out: the board may be swept with the stub",
    "gathered": "before the flop the cards may be gathered for a misdeal",
    "called": "a misdeal was called: what comes before the cards are gathered is not judged (2.0)",
    "nothing-dealt": "no card has been dealt: the deck is gathered for the deal",
    "ended": "the hand is decided, or hands lie open: gathering the cards is its end (2.3)",
    "chopped": "only the blinds are left: they may have chopped (2.7)",
    "no-ground-needed": "only the TDA's book asks for the ground of a misdeal",
    "unpitched": "not sensed, not judged: of a deal of which no pitch is seen no hand is counted",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One of each of `must` stands, `may` beside it; `why` where nothing need be.

    Of `told` one was told, whatever took it over since.
    """

    must: tuple[frozenset[str], ...] = ()
    told: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    why: str = ""


def lawful(why: str, *may: str) -> Verdict:
    return Verdict(may=frozenset(may), why=WHY[why])


def named(*must: Iterable[str] | str, may: Iterable[str] = ()) -> Verdict:
    sets = tuple(frozenset([one] if isinstance(one, str) else one) for one in must)
    return Verdict(sets, may=frozenset(may))


# What follows when nobody heeds the first: faults of its remedy, and what it leaves to be done.
_UNREPLACED = frozenset({
    "action-before-deal-complete", "deal-replacement-wrong", "remedy-wrong-branch",
})  # fmt: skip
_STOOD = frozenset({"remedy-no-option"})
AFTERMATH: dict[str, frozenset[str]] = {
    "deal-single-card-exposed": _UNREPLACED,
    "deal-card-off-table": _UNREPLACED,
    "deal-too-few-button": frozenset({"action-before-deal-complete"}),
    "deal-extra-card-first-player": frozenset({"remedy-wrong-branch"}),
    "deal-extra-card-other": frozenset({
        "remedy-wrong-branch", "flop-no-burn", "remedy-burn-missing", *_STOOD,
    }),
    "street-skipped": frozenset({"remedy-unsupervised"}),
    "stub-disordered": frozenset({"remedy-no-shuffle"}),
    "stub-mixed-with-muck": frozenset({"remedy-no-shuffle"}),
    "board-card-flashed": frozenset({"remedy-no-shuffle"}),
    "flop-overcount": _STOOD | {"remedy-burned-when-forbidden", "remedy-unsupervised"},
    "board-card-withdrawn": _STOOD | {
        "remedy-burned-when-forbidden", "remedy-burn-missing", "remedy-no-shuffle",
        "remedy-wrong-branch",
    },
    "flop-no-burn": _STOOD | {"flop-undercount", "remedy-burn-missing", "remedy-wrong-branch"},
    # Under the TDA's book it stands, and the burn that comes after it is the river's.
    "turn-no-burn": _STOOD | {"burn-premature", "remedy-burn-missing", "river-multiple-burns"},
    "river-no-burn": _STOOD,
    "flop-multiple-burns": _STOOD,
    "turn-multiple-burns": _STOOD | {"river-no-burn"},  # the river's came before the turn
    "flop-premature": _STOOD,
    "flop-premature-partial": _STOOD | {"remedy-wrong-branch"},
    "turn-premature": _STOOD,
    "river-premature": _STOOD,
    "player-skipped": _STOOD | {"pot-pushed-early"},
    "streets-premature-multiple": frozenset({"pot-pushed-early"}),
}  # fmt: skip
