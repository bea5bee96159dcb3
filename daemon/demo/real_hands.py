"""A recorded hand becomes a deal: cards and burns that no source records are drawn by seed."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from daemon.demo.deal import BOARD_AFTER, FLOP, RIVER, STREETS, TURN, Act, Deal, Show, stacked
from daemon.table.cards import DECK

Recorded = Mapping[str, Any]  # one line of tests/hands/hands.jsonl.gz, fields as in its README


def deal_of(recorded: Recorded, rng: random.Random) -> Deal:
    """The deal of a recorded hand; unknown hole cards, burns and the stub are drawn from `rng`."""
    order = tuple(recorded["deal_order"])
    hole, rest = _hole(recorded, order, rng)
    shows, folds_shown = _shows(recorded)
    acts, posted = _acts(recorded)
    blinds = {blind["kind"]: blind["seat"] for blind in recorded["blinds"]}
    return Deal(
        hand=hand_name(recorded["id"]),
        seats=tuple(recorded["seats"]["occupied"]),
        button=recorded["button"],
        deal_order=order,
        deck=stacked(order, hole, _streets(recorded["board"]), rest),
        acts=acts,
        board=len(recorded["board"]),
        blinds=_live_blinds(recorded),
        small_blind=blinds.get("sb"),
        big_blind=blinds.get("bb"),
        antes={int(seat): chips for seat, chips in recorded["antes"].items()},
        straddles={},
        all_in=posted,
        shows=shows,
        mucks=tuple((recorded["showdown"] or {}).get("mucks", ())),
        winners=tuple(recorded["result"]["winners"]),
        folds_shown=folds_shown,
        tournament=recorded["tournament"],
    )


def hand_name(name: str) -> str:
    """The recorded hand's id as a hand's name on the wire."""
    return re.sub(r"[^A-Za-z0-9._-]", "-", name)[-32:]


def _live_blinds(recorded: Recorded) -> dict[int, int]:
    live: dict[int, int] = {}
    for blind in recorded["blinds"]:
        if blind["live"]:
            live[blind["seat"]] = live.get(blind["seat"], 0) + blind["live"]
    return live


def _streets(board: list[str]) -> dict[str, tuple[str, ...]]:
    cards = tuple(board)
    return {FLOP: cards[:3], TURN: cards[3:4], RIVER: cards[4:5]}


def _hole(
    recorded: Recorded, order: tuple[int, ...], rng: random.Random
) -> tuple[dict[int, tuple[str, str]], list[str]]:
    known = {int(seat): cards for seat, cards in recorded["hole"].items() if cards}
    used = {card for cards in known.values() for card in cards} | set(recorded["board"])
    rest = [card for card in DECK if card not in used]
    rng.shuffle(rest)
    hole: dict[int, tuple[str, str]] = {}
    for seat in order:
        first, second = known.get(seat) or (rest.pop(), rest.pop())
        hole[seat] = (first, second) if rng.random() < 0.5 else (second, first)
    return hole, rest


def _acts(recorded: Recorded) -> tuple[dict[str, tuple[Act, ...]], tuple[int, ...]]:
    """The acts by street, and the seats whose last chip was posted."""
    acts: dict[str, list[Act]] = {street: [] for street in STREETS}
    for street, seat, word, amount in recorded["actions"]:
        if word in ("fold", "check", "call", "bet", "raise"):
            acts[street].append(Act(seat, word, amount))
    posted = []
    for name, street in recorded["all_in"].items():
        seat = int(name)
        paid = [spot for spot, act in enumerate(acts[street]) if act.seat == seat and act.amount]
        if paid:
            last = acts[street][paid[-1]]
            acts[street][paid[-1]] = Act(seat, last.word, last.amount, all_in=True)
        else:
            posted.append(seat)
    return {street: tuple(done) for street, done in acts.items()}, tuple(sorted(posted))


def _shows(recorded: Recorded) -> tuple[tuple[Show, ...], tuple[int, ...]]:
    """Who tables a hand with how many board cards, and who folds face up."""
    shows, shown_folds, lying = [], [], 0
    folded: set[int] = set()
    for street, seat, word, _ in recorded["actions"]:
        if word == "deal":
            lying = BOARD_AFTER[street]
        elif word == "fold":
            folded.add(seat)
        elif word == "show" and seat in folded:
            shown_folds.append(seat)
        elif word == "show":
            shows.append(Show(seat, lying))
    return tuple(shows), tuple(shown_folds)
