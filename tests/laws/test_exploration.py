"""Every single departure from a short lawful hand: named, or silent for a reason."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daemon.alarms.alert import line
from daemon.demo.ranking import strength
from daemon.table import events as dealing
from daemon.table.cards import DECK
from daemon.table.events import TableBegan
from tests.laws.line import judgement
from tests.laws.schema import watched
from tests.laws.streams import in_time

STREETS = {"flop": 3, "turn": 1, "river": 1}
# No rule asks about these being left out, but for what is below.
UNNAMED = ("shuffle", "flop1", "flop2", "flop3", "river1", "river@", "table@", "pot",
           "collect", "end")  # fmt: skip


# Beside what leaving the step out is called itself.
MORE = {
    "turn1": {"street-skipped"},
    "river1": {"street-skipped"},
    **{f"flop{card}": {"flop-undercount"} for card in (1, 2, 3)},
    **{f"river@{seat}": {"pot-pushed-early"} for seat in (1, 2, 3, 4)},
}
# Of three and four hands: the acts behind a seat that owes tell of it, and a winner who shows
# nothing leaves the best tabled hand without a share.
OF_SEATS = {
    (4, "pre@4"): {"player-skipped"},
    (4, "river@2"): {"player-skipped", "pot-pushed-early"},
    (3, "table@3"): {"showdown-winner-killed"},
    (4, "table@2"): {"showdown-winner-killed"},
}


class Script:
    """A hand for so many seats in which nobody bets; each event with its name."""

    def __init__(self, seats):
        self.rows = []
        self._now_ms = 0
        self._deck = iter(DECK[at * 7 % 52] for at in range(52))
        order = [*range(2, seats + 1), 1]
        hole = {seat: [] for seat in order}
        self._say("start", 0, dealing.HandStarted, hand="1", button=1, seats=tuple(sorted(order)))
        self._say("shuffle", 100, dealing.DeckShuffled)
        self._say("cut", 900, dealing.DeckCut)
        for turn in (1, 2):
            for seat in order:
                hole[seat].append(self._draw(f"pitch{turn}@{seat}", 400, f"seat:{seat}"))
        self._acts("pre", order[2:] + order[:2] if seats > 2 else [1, 2], "call")
        board = []
        for name, size in STREETS.items():
            self._draw(f"burn-{name}", 1200, "burn")
            for card in range(1, size + 1):
                pause_ms = 600 if card == 1 else 150
                board.append(self._draw(f"{name}{card}", pause_ms, "board", "up"))
            self._acts(name, order, "check")
        for seat in order:
            cards = tuple(hole[seat])
            self._say(f"table@{seat}", 1500, dealing.HandTabled, seat=seat, cards=cards)
        value = {seat: strength([*hole[seat], *board]) for seat in order}
        best = tuple(seat for seat in order if value[seat] == max(value.values()))
        self._say("pot", 2000, dealing.PotPushed, seats=best)
        self._say("collect", 2500, dealing.CardsCollected)
        self._say("end", 500, dealing.HandEnded)

    def _say(self, name, after_ms, kind, **fields):
        self._now_ms += after_ms
        self.rows.append((name, kind(at_ms=self._now_ms, **fields)))

    def _draw(self, name, after_ms, to, face="down"):
        card = next(self._deck)
        self._say(name, after_ms, dealing.CardMoved, card=card, source="stub", to=to, face=face)
        return card

    def _acts(self, name, seats, word):
        for seat in seats:
            action = "check" if seat == seats[-1] else word
            self._say(f"{name}@{seat}", 2500, dealing.Acted, seat=seat, action=action)


def _found(events):
    """The names of what stands at the end; asserts that the lines obey the format."""
    judge = judgement()
    judge.take(TableBegan(table="t"), 1)
    register = watched(judge, in_time(events), line)
    assert not register.wrong
    return {a["irregularity"] for a in register.last.values() if a["state"] != "withdrawn"}


def _due(name):
    """What leaving this step out must be called."""
    if name == "cut":
        return "cut-skipped"
    if name == "pitch2@1":
        return "deal-too-few-button"
    if name.startswith("pitch"):
        return "deal-wrong-first-seat" if name == "pitch1@2" else "deal-out-of-sequence"
    if name.startswith("burn-"):
        return f"{name.removeprefix('burn-')}-no-burn"
    if name == "turn1":
        return "turn-multiple-burns"
    street = name.partition("@")[0]
    return {"pre": "flop", "flop": "turn", "turn": "river"}[street] + "-premature"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_hand_itself_is_lawful(seats):
    assert _found([event for _, event in Script(seats).rows]) == set()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_step_left_out_is_called_by_its_name(seats):
    rows = Script(seats).rows
    for at, (name, _) in enumerate(rows[1:], 1):
        events = [event for _, event in rows[:at] + rows[at + 1 :]]
        expected = set() if name.startswith(UNNAMED) else {_due(name)}
        expected = OF_SEATS.get((seats, name), expected | MORE.get(name, set()))
        found = {what for what in _found(events) if not what.startswith("remedy-")}
        early = {what for what in expected if what.endswith("-premature")}
        if found == {"premature-acted-on"} and early:  # acts that only the new street can have
            found = early
        assert found == expected, name


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_word_said_twice_is_no_fault(seats):
    rows = Script(seats).rows
    for at, (name, event) in enumerate(rows[1:], 1):
        events = [event for _, event in rows[: at + 1] + rows[at:]]
        twice = isinstance(event, dealing.CardMoved)  # a second one of the card left the stub
        assert _found(events) == ({"deck-duplicate-card"} if twice else set()), name


@pytest.mark.parametrize("seats", [2, 3])
def test_two_departures_break_nothing(seats):
    """Any two events left out, or one left out and another exchanged with the next."""
    rows = [event for _, event in Script(seats).rows]
    for first in range(1, len(rows)):
        for second in range(first + 1, len(rows), 3 if seats == 3 else 2):
            left = rows[:first] + rows[first + 1 : second] + rows[second + 1 :]
            _found(left)
            later = replace(rows[first], at_ms=rows[second].at_ms)
            _found([*rows[:first], *rows[first + 1 : second + 1], later, *rows[second + 1 :]])
