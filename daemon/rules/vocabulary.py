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
    "cut-skipped",
    "deal-first-card-exposed",
    "deal-single-card-exposed",
    "deal-multiple-cards-exposed",
    "deal-replacement-wrong",
    "deal-replacement-exposed",
    "deal-exposed-card-kept",
    "deal-wrong-first-seat",
    "deal-out-of-sequence",
    "deal-unentitled-seat",
    "deal-extra-card-first-player",
    "deal-extra-card-other",
    "deal-multiple-extra-cards",
    "flop-premature",
    "flop-overcount",
    "flop-no-burn",
    "flop-multiple-burns",
    "turn-premature",
    "turn-no-burn",
    "turn-multiple-burns",
    "river-premature",
    "river-no-burn",
    "river-multiple-burns",
    "board-card-withdrawn",
    "burn-premature",
    "showdown-board-undeclared",
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
    "flop-premature", "turn-premature", "river-premature", "board-card-withdrawn",
})  # fmt: skip
"""The irregularities whose cut the parameter `cut_on_premature` decides."""

STREETS = ("flop", "turn", "river")
WITHOUT_BURN = {f"{street}-without-burn": street for street in STREETS}
