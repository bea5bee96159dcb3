"""The dealer's console: every key there and back, what is refused, and the console on the line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import keypad
from drivers.catalog import DRIVERS
from drivers.framing import line
from drivers.keypad import DRIVER, KEYS
from drivers.readings import Acked, Beat, DeviceFault, Garbled, KeyPressed, Reading, Started
from drivers.simulated.keypad import Keypad, said

ACTS = ["post", "fold", "check", "call", "bet", "raise", "all-in"]
SEAT_KEYS = ["exposed", "exposed-by-player", "board-declared", "tabled"]
FLOOR_KEYS = ["floor", "misdeal", "premature"]
BARE_KEYS = [
    "betting-closed", "shuffle", "cut", "collected", "hand-over", "table-open", "table-paused",
    "table-closed", "undo",
]  # fmt: skip

SEAT = st.integers(1, 10)
SEATS = st.lists(SEAT, min_size=1, max_size=10, unique=True).map(tuple)
HAND_NAMES = st.from_regex(r"[A-Za-z0-9._-]{1,32}", fullmatch=True)
PRESSES = st.one_of(
    st.builds(
        lambda key, seat, amount, all_in: KeyPressed(
            key, seat, amount=amount, all_in=all_in or key == "all-in"
        ),
        st.sampled_from(ACTS),
        SEAT,
        st.none() | st.integers(0, 999_999_999),
        st.booleans(),
    ),
    st.builds(KeyPressed, st.sampled_from(SEAT_KEYS), SEAT),
    st.builds(KeyPressed, st.sampled_from(FLOOR_KEYS), SEAT | st.none()),
    st.builds(KeyPressed, st.sampled_from(BARE_KEYS)),
    st.builds(KeyPressed, st.just("pot"), seats=SEATS),
    st.builds(KeyPressed, st.just("deck-changed"), text=HAND_NAMES),
    st.builds(KeyPressed, st.just("bets-returned"), seats=SEATS | st.just(())),
    st.builds(
        KeyPressed,
        st.just("new-hand"),
        SEAT,
        seats=SEATS,
        blinds=st.just(()) | st.tuples(st.integers(0, 10), st.integers(0, 10)),
        text=st.none() | HAND_NAMES,
    ),
)
HELLO = Started("ACME DEALERPAD", "1.0", "5F3A91C2")


def heard(fields: str) -> list[Reading]:
    return DRIVER.decoder().feed(line(f"KEY,7,61000,{fields}"))


def test_the_keys_tried_here_are_the_keys_there_are():
    tried = [*ACTS, *SEAT_KEYS, *FLOOR_KEYS, *BARE_KEYS, "pot", "bets-returned", "new-hand"]
    tried.append("deck-changed")
    assert sorted(tried) == sorted(KEYS)


@pytest.mark.parametrize("key", sorted(KEYS))
def test_every_key_is_documented(key):
    assert f"| `{key}`" in (keypad.__doc__ or "")


@given(PRESSES)
def test_every_key_press_is_read_as_it_was_said(pressed):
    assert heard(said(pressed)) == [pressed]


@given(PRESSES)
def test_every_key_press_fits_into_a_line(pressed):
    assert len(line(f"KEY,65535,4294967295,{said(pressed)}")) <= 120


@pytest.mark.parametrize(
    ("fields", "pressed"),
    [
        ("RAISE,4,,250", KeyPressed("raise", 4, amount=250)),
        ("CALL,10,A", KeyPressed("call", 10, all_in=True)),
        ("ALL-IN,3", KeyPressed("all-in", 3, all_in=True)),
        ("FOLD,3,,,later", KeyPressed("fold", 3)),
        ("FLOOR", KeyPressed("floor")),
        ("FLOOR,,later", KeyPressed("floor")),
        ("UNDO,,later", KeyPressed("undo")),
        ("NEW-HAND,118,3,1+2+3+5,5,1", KeyPressed(
            "new-hand", 3, seats=(1, 2, 3, 5), blinds=(5, 1), text="118")),
        ("NEW-HAND,118,3,1+3,0,1", KeyPressed(
            "new-hand", 3, seats=(1, 3), blinds=(0, 1), text="118")),
        ("NEW-HAND,118,3,1+3,,,later", KeyPressed("new-hand", 3, seats=(1, 3), text="118")),
        ("NEW-HAND,118,3,1+3,,", KeyPressed("new-hand", 3, seats=(1, 3), text="118")),
        ("POT,1+10", KeyPressed("pot", seats=(1, 10))),
    ],
)  # fmt: skip
def test_the_table_s_examples_are_read(fields, pressed):
    assert heard(fields) == [pressed]


@pytest.mark.parametrize(
    "fields",
    [
        "", "fold,3", "SING,3", "FOLD", "FOLD,0", "FOLD,11", "FOLD,+3", "CALL,3,B", "CALL,3,A,x",
        "CALL,3,A,1234567890", "EXPOSED", "EXPOSED,x", "POT", "POT,1+", "POT,1+11", "FLOOR,11",
        "NEW-HAND,118,3", "NEW-HAND,a b,3,1+2", "NEW-HAND,118,3,1+2,5", "NEW-HAND,118,3,1+2,5,x",
        "NEW-HAND,118,3,1+2,11,1", "BETS-RETURNED,0", "NEW-HAND,118,,1+2",
    ],
)  # fmt: skip
def test_a_key_that_makes_no_sense_is_told_and_presses_nothing(fields):
    [garbled] = heard(fields)
    assert isinstance(garbled, Garbled)
    assert garbled.reason == "bad field"


def test_a_shoe_s_messages_are_none_of_a_console_s():
    [garbled] = DRIVER.decoder().feed(line("CARD,3,10250,1,AS,98,O"))
    assert isinstance(garbled, Garbled)
    assert garbled.reason == "unknown message"


def test_a_console_greets_beats_presses_and_sends_again_what_was_lost():
    pad, decoder, talker = Keypad(), DRIVER.decoder(), DRIVER.talker(())
    assert pad.next_ms == 0
    readings = decoder.feed(pad.wake(0))
    pad.press("new-hand", 3, seats=(1, 3), text="7")
    pad.line.drop_next = 1
    assert pad.wake(100) == b""
    pad.press("raise", 3, all_in=True, amount=40)
    [missing] = decoder.feed(pad.wake(200))
    answer = pad.hear(talker.hear(missing, 200), 210)
    readings += decoder.feed(answer)
    pad.line.say("ERR", "10,E,tamper")
    readings += decoder.feed(pad.wake(1000))
    pad.restart()
    readings += decoder.feed(pad.wake(1500))
    readings += decoder.feed(pad.hear(line("WHAT"), 1600))
    assert readings == [
        HELLO,
        KeyPressed("new-hand", 3, seats=(1, 3), text="7"),
        KeyPressed("raise", 3, all_in=True, amount=40),
        DeviceFault(10, "error", "tamper"),
        Beat("IDLE"),
        Started("ACME DEALERPAD", "1.0", "5F3A91C3"),
        Acked(ok=False),
    ]


def test_the_console_stands_in_the_catalogue():
    assert DRIVERS.count(DRIVER) == 1
