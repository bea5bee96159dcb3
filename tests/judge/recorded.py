"""A recorded hand as plain lines of events, in the several ways in which a table may tell it."""

from __future__ import annotations

import random
import re

from tests.judge.streams import DECK, Stream

FLAGS = (
    "no blinds", "no amounts", "all-in as act", "folds as acts", "folds as cards", "cards first",
    "closes", "acts and closes", "slots", "posts", "no faces", "no pot", "no end", "deal order",
)  # fmt: skip


def told(recorded, *flags, table=None):
    """The hand's events; each of `flags` changes how the table tells them."""
    return _Telling(recorded, frozenset(flags), table or {}).stream


class _Telling:
    def __init__(self, recorded, flags, table):
        assert flags <= set(FLAGS)
        self.recorded, self.flags = recorded, flags
        self.stream = Stream("t", **table)
        self.rest = _unused(recorded)
        self.laid = 0
        self.mucked = set()
        self.hole = {
            seat: recorded["hole"].get(str(seat)) or [self.rest.pop(), self.rest.pop()]
            for seat in recorded["deal_order"]
        }
        self._open()
        for number, act in enumerate(recorded["actions"]):
            self._tell(number, *act[1:])
        if flags & {"closes", "acts and closes"}:
            self.stream.say("betting-closed")
        if "no pot" not in flags:
            self.stream.say("pot-pushed", seats=recorded["result"]["winners"])
        self.stream.collect()
        if "no end" not in flags:
            self.stream.say("hand-ended")

    def _open(self):
        recorded, stream = self.recorded, self.stream
        posted, self.all_in = _all_in(recorded)
        facts = {"hand": re.sub(r"[^A-Za-z0-9._-]", "-", recorded["id"])[-32:]}
        facts |= {"button": recorded["button"], "seats": recorded["seats"]["occupied"]}
        blinds = {blind["kind"]: blind["seat"] for blind in recorded["blinds"]}
        live = {}
        for blind in recorded["blinds"]:
            if blind["live"]:
                seat = str(blind["seat"])
                live[seat] = live.get(seat, 0) + blind["live"]
        if "no blinds" not in self.flags:
            facts["blinds"] = live
        if "no blinds" not in self.flags or "sb" not in blinds:
            facts |= {"small_blind": blinds.get("sb"), "big_blind": blinds.get("bb")}
        if "deal order" in self.flags:
            facts["deal_order"] = recorded["deal_order"]
        facts |= {"antes": recorded["antes"], "all_in": posted}
        stream.say("hand-started", **facts).shuffle()
        for seat, amount in live.items() if "posts" in self.flags else ():
            stream.act("post", int(seat), amount=amount, all_in=int(seat) in posted)
        for number in range(2):
            for seat in recorded["deal_order"]:
                stream.pitch(seat, self.hole[seat][number])

    def _tell(self, number, seat, action, detail):
        match action:
            case "deal":
                self._lay(detail)
            case "fold":
                self._fold(seat, self._next_is_show(number, seat))
            case "show" if seat in self.mucked:
                pass
            case "show":
                self.stream.say("hand-tabled", seat=seat, cards=detail)
            case "muck":
                self._muck(seat)
            case _ if "closes" not in self.flags:
                self._act(number, seat, action, detail)

    def _act(self, number, seat, action, amount):
        facts = {}
        if amount is not None and "no amounts" not in self.flags:
            facts["amount"] = amount
        if number in self.all_in:
            if "all-in as act" in self.flags and "amount" in facts:
                action = "all-in"
            else:
                facts["all_in"] = True
        self.stream.act(action, seat, **facts)

    def _lay(self, cards):
        if self.flags & {"closes", "acts and closes"}:
            self.stream.say("betting-closed")
        self.stream.burn(self.rest.pop())
        for card in cards:
            self.laid += 1
            place = f"board:{self.laid}" if "slots" in self.flags else "board"
            self.stream.move(card, place, None if "no faces" in self.flags else "up", 120)

    def _next_is_show(self, number, seat):
        return any(act[1:3] == [seat, "show"] for act in self.recorded["actions"][number:])

    def _fold(self, seat, shown):
        by_cards = self.flags & {"folds as cards", "closes"}
        if "cards first" in self.flags or by_cards:
            self._muck(seat)
        if not by_cards:
            self.stream.act("fold", seat)
        if not shown and "folds as acts" not in self.flags:
            self._muck(seat)

    def _muck(self, seat):
        self.mucked.add(seat)
        self.stream.muck(seat)


def _unused(recorded):
    """The cards that the hand does not use, in an order drawn by its name."""
    known = [cards for cards in recorded["hole"].values() if cards]
    used = {card for cards in known for card in cards} | set(recorded["board"])
    rest = [card for card in DECK if card not in used]
    random.Random(recorded["id"]).shuffle(rest)
    return rest


def _all_in(recorded):
    """The seats all-in from what they posted, and the numbers of the acts that put seats all-in."""
    posted, acts = [], set()
    for seat, street in recorded["all_in"].items():
        paid = [
            number
            for number, act in enumerate(recorded["actions"])
            if act[:2] == [street, int(seat)] and act[2] in ("call", "bet", "raise")
        ]
        if paid:
            acts.add(paid[-1])
        else:
            posted.append(int(seat))
    return posted, acts
