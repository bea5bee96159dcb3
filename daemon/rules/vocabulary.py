"""The words a rulebook is written in: ids, steps, facts, severities, audiences, windows."""

from __future__ import annotations

from typing import Literal, get_args

from daemon.table.events import ALL_SENSES

Severity = Literal["critical", "high", "medium", "low"]
Audience = Literal["floor", "surveillance", "maintenance", "log"]
WindowKind = Literal[
    "substantial-action", "any-action", "subject-acts", "skipped", "until-pot", "until-hand-over",
    "unlimited",
]  # fmt: skip
BettingLevel = Literal["none", "closes", "acts"]

SEVERITIES: tuple[str, ...] = get_args(Severity)
AUDIENCES: tuple[str, ...] = get_args(Audience)
WINDOWS: tuple[str, ...] = get_args(WindowKind)
BETTING_LEVELS: tuple[str, ...] = get_args(BettingLevel)
SENSES = ALL_SENSES

IDS = (
    "deck-duplicate-card",
    "deck-missing-card",
    "deck-foreign-back",
    "deck-mixed",
    "deck-joker",
    "deck-marked-card",
    "deck-cut-card-exposed",
    "shuffle-incomplete",
    "shuffle-card-exposed",
    "cut-skipped",
    "cut-short",
    "boxed-card-at-cut",
    "leftover-card",
    "deck-change-untimely",
    "deal-first-card-exposed",
    "deal-second-card-exposed",
    "deal-single-card-exposed",
    "deal-multiple-cards-exposed",
    "deal-card-off-table",
    "deal-card-flashed",
    "player-exposed-own-card",
    "deal-replacement-undue",
    "deal-replacement-wrong",
    "deal-replacement-exposed",
    "deal-exposed-card-kept",
    "deal-wrong-first-seat",
    "deal-out-of-sequence",
    "deal-entitled-seat-skipped",
    "deal-unentitled-seat",
    "deal-extra-card-first-player",
    "deal-extra-card-other",
    "deal-multiple-extra-cards",
    "deal-too-few-cards",
    "deal-too-few-button",
    "deal-packet",
    "card-passed",
    "deal-boxed-card",
    "deal-boxed-cards-multiple",
    "deal-button-misplaced",
    "deal-blind-misposted",
    "action-before-deal-complete",
    "misdeal-unfounded",
    "hand-dealt-untimely",
    "flop-premature",
    "flop-premature-partial",
    "flop-overcount",
    "flop-overcount-5plus",
    "flop-undercount",
    "flop-no-burn",
    "flop-multiple-burns",
    "turn-premature",
    "turn-no-burn",
    "turn-multiple-burns",
    "turn-overcount",
    "river-premature",
    "river-no-burn",
    "river-multiple-burns",
    "river-overcount",
    "streets-premature-multiple",
    "premature-acted-on",
    "board-card-withdrawn",
    "burn-premature",
    "burn-exposed",
    "burn-lost-in-muck",
    "burn-in-hand",
    "board-card-boxed",
    "board-card-flashed",
    "board-from-muck",
    "board-destroyed",
    "stub-dropped",
    "stub-disordered",
    "stub-mixed-with-muck",
    "stub-set-down-early",
    "card-order-broken",
    "street-skipped",
    "street-after-hand-over",
    "player-skipped",
    "hand-wrong-count-after-window",
    "hand-killed-by-dealer",
    "hand-fouled-by-contact",
    "hand-card-dropped",
    "hand-retrieved-from-muck",
    "showdown-board-undeclared",
    "showdown-partial-muck",
    "showdown-allin-not-tabled",
    "showdown-winner-killed",
    "pot-pushed-early",
    "count-mismatch-at-end",
    "remedy-burned-when-forbidden",
    "remedy-burn-missing",
    "remedy-aside-not-returned",
    "remedy-aside-played",
    "remedy-burns-reshuffled",
    "remedy-muck-reshuffled",
    "remedy-no-shuffle",
    "remedy-no-cut",
    "remedy-shuffle-exposed",
    "remedy-too-early",
    "remedy-wrong-branch",
    "remedy-no-option",
    "remedy-abandoned",
    "remedy-unsupervised",
    "remedy-misdeal-too-late",
)
"""Every irregularity a rulebook has a row for, in the order of a hand."""

OF_THE_TABLE = ("sensor-silent", "sensor-doubt")
"""What may be the matter with the table itself: no rulebook rules on it, but people read of it."""

UNSEEN = {
    "deal-blind-misposted": (
        "a post tells what a seat put in, not what it owed:"
        " straddles, missed blinds and short stacks look the same"
    ),
}
"""Irregularities that no dealing event can show, and why; no rulebook may enable them."""

STEPS = frozenset({
    "floor", "collect", "deck-change", "refund", "shuffle", "cut", "deal", "replace",
    "exposed-to-burn", "extra-to-burn", "close", "burn", "flop", "turn", "river",
    "flop-without-burn", "turn-without-burn", "river-without-burn", "set-aside", "return-aside",
    "return-board", "board-to-top", "turn-down", "scramble", "pick-burn", "turn-up",
    "top-to-board", "save-river", "river-from-saved", "double-burn", "burn-to-top", "scrap",
    "next-card", "rebuild-stub", "button-card", "kill-hand", "award-others",
})  # fmt: skip
"""The steps a remedy is made of."""

FACTS = frozenset({
    "no-burn", "unexposed", "acted", "last-off-deck", "in-sequence", "covered", "mixed",
    "rebuilt", "flop", "turn", "river",
})  # fmt: skip
"""What may change a ruling: the names of the tables under `when`."""

PREMATURE = frozenset({
    "flop-premature", "flop-premature-partial", "turn-premature", "river-premature",
    "streets-premature-multiple", "board-card-withdrawn", "board-card-flashed",
})  # fmt: skip
"""The irregularities whose cut the parameter `cut_on_premature` decides."""

STREETS = ("flop", "turn", "river")
WITHOUT_BURN = {f"{street}-without-burn": street for street in STREETS}
