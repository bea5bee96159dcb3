"""Decks for the tests of enrolment: a tag for each card, and what a poll of a reader says."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.enrol.enrolment import ORDER, Terms
from drivers.readings import Inventory

RED = {f"04{0xA1000000 + n:08x}1d80": card for n, card in enumerate(ORDER)}
BLUE = {f"04{0xB1000000 + n:08x}1d80": card for n, card in enumerate(ORDER)}
TAGS = {card: uid for uid, card in RED.items()}
SPARE = "04c10000001d80"  # a tag of no deck
TERMS = Terms(decks={"blue": BLUE}, readers={"felt": ("iso14443a",)})
NAMED = Terms(decks={"blue": BLUE}, readers={"felt": ("iso14443a",)}, by_suit=False)


def steady(*uids: str) -> dict[str, bool]:
    return dict.fromkeys(uids, True)


def poll(uids: Iterable[str] = (), antenna: int = 1) -> Inventory:
    return Inventory(tuple(sorted((antenna, uid) for uid in uids)))
