"""The remedy of every departure, done as the alert says it, and with each single step wrong."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from daemon.table.events import CardMoved
from tests.exploration.hands import played, timed
from tests.exploration.heeded import heard, judged, performed, words
from tests.exploration.ids import BURNS, OVER, PREMATURE, TDA
from tests.exploration.test_departures import SEED, departures
from tests.hands.judged import RULEBOOKS, told
from tests.laws.line import SOAK

SOME, SOME_WRONG = 350, 60
# Beside the alert that was heeded: what is no fault of the remedy.
BESIDE = {
    "deal-too-few-button": {"action-before-deal-complete"},  # it acted before its card came: log
    # The pot went before the last street lay, to the hand that was best without it.
    "street-skipped": {"showdown-winner-killed"},
    "board-destroyed": {"flop-undercount"},  # swept with a card too few, and acted upon so
    # A burn lies on the board in a card's place, and the pot finds but four of the stub.
    "turn-multiple-burns": {"street-skipped"},
    # A stray burn stands under the TDA's book. Nobody acts on a hole card that lies in a run-out's
    # flop, and the pot finds but four of the stub.
    "flop-undercount": {"turn-no-burn", "river-no-burn", "street-skipped"},
}
# These need not be left out to be missed: whoever plays on does them.
PLAYED_ON = {"flop", "turn", "river", "flop-without-burn", "turn-without-burn",
             "river-without-burn", "deal"}  # fmt: skip
FAULTS = PREMATURE | BURNS | OVER | {
    "deal-replacement-wrong", "deal-exposed-card-kept", "flop-overcount-5plus",
}  # fmt: skip
STANDS = "the alert itself stands, and says so"
AT_ANY_TIME = "it only holds back the street behind it (SM-1, SM-3, SM-4, RP-5)"
FACES = "nobody mixes faces: a scramble is face down, and the flop is up when the betting goes on"
DRAWS = {("stub", "burn"), ("stub", "board")}
TO_TOP = "burn-to-top before board-to-top"
NO_FAULT = {
    "burn before close": "a burn before the round closes is kept as that street's (2.3)",
    "close before exposed-to-burn": AT_ANY_TIME,
    "exposed-to-burn before replace": AT_ANY_TIME,
    "close before extra-to-burn": AT_ANY_TIME,
    "close before return-board": AT_ANY_TIME,
    "close before set-aside": AT_ANY_TIME,
    "close before shuffle": AT_ANY_TIME,
    "return-aside before close": "a card that waits in the stub is shuffled with it",
    "close before turn-up": FACES,
    "turn-up before top-to-board": FACES,
    "scramble before turn-down": FACES,
    "without turn-down": FACES,
    "without turn-up": FACES,
    "turn-down before floor": "the floor picks the burn, and need not turn the cards",
    "top-to-board before pick-burn": "the burn is one of the three all the same",
    "without top-to-board": "the card that the flop lacks is the top one whenever it comes",
    "shuffle before scramble": "told by nobody: the shuffle is one with it (2.0)",
    "without scramble": "told by nobody: the shuffle is one with it (2.0)",
    "kill-hand before floor": "the hand is dead at its discovery (SM-17)",
    "without kill-hand": STANDS,
    "without floor": STANDS,
    "without button-card": STANDS,
    "without collect": "who collects nothing plays the misdeal on: " + STANDS,
    "without burn": "the same fault once more: " + STANDS,
    "turn before burn": "the same fault once more: " + STANDS,
    "river before burn": "the same fault once more: " + STANDS,
    "without burn-to-top": "once there was action the board stands: " + STANDS,
    "river-without-burn before burn-to-top": "once there was action the board stands: " + STANDS,
    "without set-aside": "a card that left the board unread was set aside all the same",
    "burn before set-aside": "a card that left the board unread was set aside all the same",
}
# Where nobody can bet a burn is the next street's until the fault is put right, or the pot goes.
IN_RUN_OUT = {"burn before board-to-top": "the same fault once more: " + STANDS}
# The TDA has no text for the replacement of an exposed card (2.2).
NO_TEXT = {TDA: {"without replace", "replace before deal", "without exposed-to-burn"}}


def some(book, number):
    """Departures that were heeded, with what was heard of them: all, or so many of them."""
    of_all = list(departures())
    random.Random(f"heeded {SEED}/{book}/{number}").shuffle(of_all)
    found = 0
    for departure in of_all:
        if departure.kind == "word" or (found >= number and not SOAK):
            continue
        if (one := heard(departure, book)) is not None:
            found += 1
            yield departure, one
    print(f"{book}: {found} departures with a remedy, seed {SEED}")


def last_of(alerts, name):
    """The alert as it stands, or the graver one that took it over."""
    alert = alerts[name]
    while alert.state == "withdrawn" and isinstance(alert.superseded_by, str):
        alert = alerts[alert.superseded_by]
    return alert


def new_ones(alerts, one, mine):
    """What else was found since it was heard."""
    known = {alert.irregularity for alert in one.told.values()} | {mine.irregularity}
    return {a.irregularity for a in alerts.values() if a.state != "withdrawn"} - known


def following(departure):
    return played(departure.hand.seats, (), hand="2", button=2).rows


@pytest.mark.parametrize("book", RULEBOOKS)
def test_a_remedy_done_as_it_is_told_ends_the_alert_and_the_next_hand_is_clean(book):
    for departure, one in some(book, SOME):
        rows = performed(departure, one, words(one.alert))
        alerts = judged(rows, book, following(departure))
        mine = last_of(alerts, one.alert.id)
        story = f"{departure.hand.name}: {departure.name}\n{told(timed(rows))}"
        assert mine.state == "remedied", story
        assert new_ones(alerts, one, mine) <= BESIDE.get(mine.irregularity, set()), story


def wrong_ways(steps):
    """Each step left out, and each two that follow each other exchanged."""
    for at, step in enumerate(steps):
        if step not in PLAYED_ON:
            yield f"without {step}", steps[:at] + steps[at + 1 :]
    for at, (first, second) in enumerate(pairwise(steps)):
        yield f"{second} before {first}", (*steps[:at], second, first, *steps[at + 2 :])


def _events(rows):
    """What happens, whatever the pauses: the same two cards to the same seat are no exchange."""
    return [row.event for row in rows]


def _drawn(rows):
    """The cards that came off the stub to burns and board, those of one street together."""
    draws = []
    for event in _events(rows):
        if not isinstance(event, CardMoved) or (event.source, event.to) not in DRAWS:
            continue
        if event.to == "board" and draws and draws[-1][0] == "board":
            draws[-1] = ("board", draws[-1][1] | {event.card})
        else:
            draws.append((event.to, frozenset({event.card})))
    return draws


def is_no_fault(way, book, mine):
    over = mine.state == "remedied" and any(step.state == "void" for step in mine.remedy)
    return over or way in NO_FAULT or way in NO_TEXT.get(book, ())


@pytest.mark.parametrize("book", RULEBOOKS)
def test_a_step_of_a_remedy_left_out_or_exchanged_is_named_or_no_fault(book):
    tried, quiet = 0, set()
    for departure, one in some(book, SOME_WRONG):
        steps = words(one.alert)
        right = performed(departure, one, steps)
        for way, wrong in wrong_ways(steps):
            rows = performed(departure, one, wrong)
            if _events(rows) == _events(right):
                continue
            if way == TO_TOP and _drawn(rows) == _drawn(right):  # all of them are in one flop
                continue
            tried += 1
            alerts = judged(rows, book, following(departure))
            mine = last_of(alerts, one.alert.id)
            found = new_ones(alerts, one, mine) | ({mine.irregularity} - {one.alert.irregularity})
            named = any(name.startswith("remedy-") or name in FAULTS for name in found)
            story = f"{departure.hand.name}: {departure.name}, {way}\n{told(timed(rows))}"
            run_out = departure.hand.name == "all-in" and way in IN_RUN_OUT
            assert named or run_out or is_no_fault(way, book, mine), story
            assert not any(alert.hand == "2" for alert in alerts.values()), story
            quiet |= set() if named else {way}
    print(f"{book}: {tried} remedies done wrong, seed {SEED}; no fault: {sorted(quiet)}")
