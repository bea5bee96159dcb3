"""What holds whatever happens: random evenings of cards, draws, keys and lost sensors."""

from __future__ import annotations

import json
from itertools import groupby
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.table.cards import DECK
from daemon.table.events import (
    CardDrawn,
    CardExposed,
    CardIdentified,
    CardMoved,
    CardsCollected,
    CardTurned,
    HandEnded,
    HandStarted,
    read,
    write,
)
from daemon.table.interpreter import Interpreter
from daemon.table.layout import Sensor
from drivers import readings
from drivers.readings import Face, FacesSeen, Inventory, KeyPressed, TagGone, TagSeen
from tests.table.felt import UID, WITH_SHOE, WITHOUT_SHOE, Felt, layout

POOL = DECK[:9]
PLACES = ["seat:1", "seat:2", "seat:10", "board", "burn", "muck", "aside", "stub", "nowhere"]
KEYS = ["collected", "shuffle", "hand-over", "betting-closed", "floor"]

cards = st.sampled_from(POOL)
steps = st.one_of(
    st.tuples(st.just("lay"), st.sampled_from(PLACES), cards),
    st.tuples(st.just("draw"), cards),
    st.tuples(st.just("wait"), st.integers(1, 25)),
    st.tuples(st.just("key"), st.sampled_from(KEYS)),
    st.tuples(st.just("new-hand")),
    st.tuples(st.just("load")),
    st.tuples(st.just("push-back"), st.integers(1, 5)),
    st.tuples(st.sampled_from(["lose", "regain"]), st.sampled_from(["shoe", "seats", "felt"])),
    st.tuples(st.just("gap"), st.sampled_from(["shoe", "seats", "felt"])),
)
EYE = Sensor(name="eye", driver="camera", senses=("face",))
SPOTS = Sensor(
    name="spots", driver="x", spots={1: "bet:1", 2: "bet:2", 3: "badge"}, polled=False, held_ms=700
)
PLUS = (EYE, SPOTS)
TAGS = ["c0ffee01", "c0ffee02", UID["2c"]]
witnesses = st.one_of(
    steps,
    st.tuples(
        st.just("faces"),
        st.lists(st.tuples(cards, st.sampled_from([*PLACES, "board:4", "bar"])), max_size=4),
        st.integers(1, 40),
    ),
    st.tuples(st.just("tag"), st.integers(0, 4), st.sampled_from(TAGS)),
    st.tuples(st.just("regain"), st.sampled_from(["eye", "spots"])),
    st.tuples(st.just("lose"), st.sampled_from(["eye", "spots"])),
)
sightings = st.lists(witnesses, max_size=40)
nameless = st.tuples(st.just("draw"), st.none())
tables = st.sampled_from([WITH_SHOE, WITHOUT_SHOE])
evenings = st.lists(steps, max_size=40)


def play(felt: Felt, evening: list, rename=lambda card: card, *, alone: bool = False) -> Felt:
    """Take the steps; a card is drawn at most once from load to load.

    `alone`: a card that is laid down drives others off its place.
    """
    drawn: set[str | None] = set()
    for step in [*evening, ("wait", 40)]:
        match step:
            case "lay", place, card:
                if alone:
                    felt.lift(*[other for other, at in felt.lies.items() if at == place])
                felt.lay(place, rename(card))
            case "draw", card:
                if card is None or card not in drawn:
                    felt.draw(card and rename(card))
                drawn.add(card)
            case "load", *_:
                drawn.clear()
                felt.drawn = 0
                felt.say("shoe", readings.ShoeLoaded(52))
            case "push-back", n:
                felt.say("shoe", readings.CardPushedBack(n))
            case "gap", sensor:
                felt.say(sensor, readings.EventsLost(1, 2))
            case "faces", faces, pictures:
                seen = FacesSeen(tuple(Face(card, zone, 90) for card, zone in faces))
                for _ in range(pictures):
                    felt.say("eye", seen)
                    felt.let_pass(2)
            case "tag", antenna, uid:
                felt.say("spots", TagSeen(antenna, uid))
            case "key", key:
                felt.press(key)
            case "new-hand", *_:
                felt.new_hand((1, 2, 10))
            case "lose", sensor:
                felt.lose(sensor)
            case "regain", sensor:
                felt.regain(sensor)
            case "wait", polls:
                felt.let_pass(polls)
    felt.events += felt.interpreter.advance(felt.now_ms)
    return felt


@given(evenings, tables)
def test_times_never_fall_and_every_event_is_of_the_public_format(evening, sensors):
    felt = play(Felt(sensors), evening)
    times = [event.at_ms for event in felt.events]
    assert times == sorted(times)
    for event in felt.events:
        assert read(write(event)) == event


@given(st.lists(steps | nameless, max_size=40), tables)
def test_each_card_leaves_the_place_where_it_was_or_the_stub_if_the_shoe_says_so(evening, sensors):
    lies: dict[str, list[str]] = {}  # a name drawn while it lies elsewhere is a second card
    moved: set[str] = set()
    drawn: set[str] = set()
    in_hand = False
    for event in play(Felt(sensors), evening).events:
        match event:
            case CardMoved(card=card, source=source, to=to):
                places = lies.setdefault(card, ["stub"])
                if source == "stub" and card in drawn and "stub" not in places:
                    places.append("stub")
                places.remove(source)
                places.append(to)
                if source == "stub":
                    drawn.discard(card)
                moved.add(card)
                assert to != source
            case CardDrawn(card=card):
                drawn.add(card)
            case CardIdentified(card=name, identity=card):
                lies.setdefault(card, ["stub"]).remove("stub")
                lies[card] += lies.pop(name, ["stub"])
            case CardsCollected():
                lies.clear()
                moved.clear()
            case HandEnded():
                moved.clear()
                in_hand = False
            case HandStarted():
                lies = {} if in_hand else {card: lies[card] for card in lies if card in moved}
                moved.clear()
                in_hand = True


@given(sightings, tables)
def test_no_face_and_no_chip_moves_a_card(evening, sensors):
    seen = play(Felt((*sensors, *PLUS)), evening).events
    moves = [event for event in seen if isinstance(event, CardMoved)]
    plain = [("wait", 2 * step[2]) if step[0] == "faces" else step for step in evening]
    plain = [step for step in plain if step[0] != "tag"]
    without = play(Felt((*sensors, *PLUS)), plain).events
    assert moves == [event for event in without if isinstance(event, CardMoved)]


@given(sightings, tables)
def test_a_face_is_told_of_a_card_only_where_it_was_last_told_to_lie(evening, sensors):
    lies: dict[str, str] = {}
    for event in play(Felt((*sensors, *PLUS)), evening).events:
        match event:
            case CardMoved(card=card, to=to):
                lies[card] = to
            case CardTurned(card=card, place=place) | CardExposed(card=str(card), place=place):
                assert lies[card] == place
            case CardsCollected():
                lies.clear()
            case _:
                pass


@given(sightings, tables, st.frozensets(st.integers(0, 20_000), max_size=60))
def test_ticks_between_change_nothing_of_what_camera_and_chip_readers_tell(evening, sensors, ticks):
    plain = play(Felt((*sensors, *PLUS)), evening)
    ticked = play(Felt((*sensors, *PLUS), ticks=ticks), evening)
    assert ticked.events == plain.events
    times = [event.at_ms for event in plain.events]
    assert times == sorted(times)
    assert all(read(write(event)) == event for event in plain.events)


@given(evenings, tables, st.permutations(POOL))
def test_other_cards_in_the_same_places_give_the_same_events_under_other_names(
    evening, sensors, others
):
    same_under_other_names(evening, sensors, others, alone=False)


@given(st.lists(steps | nameless, max_size=40), tables, st.permutations(POOL))
def test_so_they_do_with_unreadable_draws_where_cards_do_not_land_as_one(evening, sensors, others):
    same_under_other_names(evening, sensors, others, alone=True)


def same_under_other_names(evening, sensors, others, *, alone):
    renamed = dict(zip(POOL, others, strict=True))
    names = {other: card for card, other in renamed.items()}
    plain = play(Felt(sensors), evening, alone=alone)
    other = play(Felt(sensors), evening, rename=renamed.__getitem__, alone=alone)
    assert together(other.events, names) == together(plain.events, {})
    assert other.interpreter.figures.totals() == plain.interpreter.figures.totals()


def together(events, names):
    """The events under other names; those of one moment and one way in no order."""

    def way(event):
        moved = (event.source, event.to) if isinstance(event, CardMoved) else ()
        return (event.at_ms, type(event).__name__, *moved)

    def words(event):
        fields = json.loads(write(event))
        return sorted((key, str(names.get(str(value), value))) for key, value in fields.items())

    return [sorted(map(words, group)) for _, group in groupby(events, key=way)]


@given(evenings, tables, st.frozensets(st.integers(0, 20_000), max_size=60))
def test_ticks_between_change_nothing(evening, sensors, ticks):
    plain, ticked = play(Felt(sensors), evening), play(Felt(sensors, ticks=ticks), evening)
    assert ticked.events == plain.events


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["seats", "felt", "shoe", "keys", "eye", "spots", "nobody"]),
            st.one_of(
                st.lists(
                    st.builds(
                        Face,
                        st.sampled_from([*DECK, "", "1x"]),
                        st.sampled_from([*PLACES, "board:4", "", "bet:1"]),
                        st.integers(-5, 105),
                    ),
                    max_size=8,
                ).map(lambda faces: FacesSeen(tuple(faces))),
                st.builds(TagSeen, st.integers(-1, 9), st.sampled_from([*TAGS, ""])),
                st.builds(TagGone, st.integers(-1, 9), st.sampled_from([*TAGS, ""])),
                st.lists(
                    st.tuples(st.integers(-1, 99), st.sampled_from([*UID.values(), "", "ff"])),
                    max_size=8,
                ).map(lambda tags: Inventory(tuple(tags))),
                st.builds(
                    readings.CardDrawn,
                    st.integers(-5, 9999),
                    st.none() | st.sampled_from([*DECK, "", "1x"]),
                    st.booleans(),
                ),
                st.builds(readings.CardPushedBack, st.integers(-5, 99)),
                st.builds(
                    readings.Shuffled,
                    st.sampled_from(["start", "done", "fail", "?"]),
                    st.none() | st.integers(-9, 9999),
                ),
                st.builds(readings.Started, st.just("m"), boot=st.sampled_from(["", "a", "b"])),
                st.builds(
                    KeyPressed,
                    st.sampled_from(["fold", "new-hand", "pot", "undo", "collected", "exposed"]),
                    st.none() | st.integers(-1, 12),
                    st.lists(st.integers(-1, 12), max_size=4).map(tuple),
                    blinds=st.lists(st.integers(-1, 12), max_size=3).map(tuple),
                    text=st.none() | st.text(max_size=40),
                ),
            ),
            st.integers(0, 900),
        ),
        max_size=60,
    )
)
def test_no_reading_however_odd_breaks_the_step(evening):
    interpreter = Interpreter(layout((*WITH_SHOE, *PLUS)))
    now_ms = 0
    for sensor, reading, later_ms in evening:
        now_ms += later_ms
        for event in interpreter.take(sensor, reading, now_ms):
            assert read(write(event)) == event
        assert (interpreter.deadline() or now_ms) >= now_ms


@pytest.mark.parametrize("sensors", [WITH_SHOE, WITHOUT_SHOE])
def test_a_storm_of_flicker_and_ghosts_stays_bounded(sensors):
    chance = Random(1)

    def now_and_then(*_):
        return chance.random() < 0.5

    def anywhere(*_):
        return chance.choice([*PLACES, None])

    felt = Felt(sensors, dropout=now_and_then, ghost=anywhere)
    felt.lay("seat:1", *DECK)
    felt.let_pass(100)
    movements = felt.interpreter._movements
    assert len(movements._tags._traces) <= len(DECK)
    assert len(movements._passages) <= len(DECK)
