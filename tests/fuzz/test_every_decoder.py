"""The laws of decoders for every row of the catalogue: a new row is covered by being there."""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.driver import Driver
from drivers.readings import Answered, Garbled, Reading
from drivers.simulated.noise import HOLE_BYTES, Holed, WrongBaud
from tests.drivers.wires import heard, news
from tests.fuzz.frames import ROWS, frames, repeatable, said
from tests.fuzz.laws import RELIABLE, Broken, bounded, heals, must_hold, weight
from tests.fuzz.mutations import MUTATIONS, TELLING, spoilt
from tests.fuzz.own import PIECE_BYTES, cases
from tests.fuzz.telling import fails, smallest

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
NOISE_BYTES = 16 << 20 if SOAK else 1 << 18
CASES = 300 if SOAK else 12
EXAMPLES = 500 if SOAK else 30

NAMES = pytest.mark.parametrize("name", ROWS)
SERIAL = pytest.mark.parametrize("name", [name for name in ROWS if name not in RELIABLE])


def chunks_for(name: str) -> st.SearchStrategy[list[bytes]]:
    good = st.sampled_from(frames(name))
    halves = st.builds(lambda frame, at: frame[: at % (len(frame) + 1)], good, st.integers(0, 400))
    telling = st.lists(st.sampled_from(TELLING), max_size=12).map(bytes)
    return st.lists(st.one_of(good, halves, telling, st.binary(max_size=60)), max_size=8)


@NAMES
def test_a_driver_has_good_frames_among_the_vectors_and_one_that_may_be_said_again(name):
    assert frames(name)
    assert repeatable(name)


@NAMES
@settings(max_examples=EXAMPLES)
@given(st.data())
def test_whatever_comes_every_law_holds(name, drawn):
    chunks = drawn.draw(chunks_for(name))
    good = drawn.draw(st.sampled_from(repeatable(name)))
    must_hold(ROWS[name], chunks, good, Random(drawn.draw(st.integers(0, 99))))


@NAMES
@pytest.mark.parametrize("number", range(CASES))
def test_spoilt_frames_break_nothing(name, number):
    rng = Random(f"spoilt {name} {number}")
    must_hold(ROWS[name], spoilt(frames(name), rng), rng.choice(repeatable(name)), rng)


@NAMES
def test_megabytes_of_noise_are_not_kept(name):
    rng, decoder = Random(name), ROWS[name].decoder()
    for _ in range(NOISE_BYTES // PIECE_BYTES):
        decoder.feed(rng.randbytes(PIECE_BYTES))
        bounded(decoder)
    heals(ROWS[name], decoder, repeatable(name)[0])


@NAMES
def test_a_frame_split_anywhere_is_read_once(name):
    for frame in frames(name):
        wanted = news(heard(ROWS[name].decoder(), frame))
        for at in range(len(frame) + 1):
            assert news(heard(ROWS[name].decoder(), frame[:at], frame[at:])) == wanted


@SERIAL
def test_holes_of_eight_bytes_cost_no_more_than_the_frames_they_are_in(name):
    """A UART without flow control drops half of its FIFO at high speeds."""
    row = ROWS[name]
    for good in repeatable(name):
        wanted = said(heard(row.decoder(), good))
        whole = good * (2000 // len(good) + 9)
        read = said(heard(row.decoder(), Holed(1000 - HOLE_BYTES)(whole), good * 40))
        assert read.count(wanted[0]) >= 30


@SERIAL
@pytest.mark.parametrize("baud", [9600, 38400, 57600, 230400])
def test_at_the_wrong_speed_no_card_is_heard(name, baud):
    row = ROWS[name]
    line = WrongBaud(row.baud, baud) if baud != row.baud else WrongBaud(row.baud, 19200)
    read = news(heard(row.decoder(), line(b"".join(frames(name)) * 3)))
    assert [one for one in read if type(one).__name__ in CARDS] == []


CARDS = {"CardDrawn", "TagSeen", "KeyPressed", "FacesSeen", "CardPushedBack", "Shuffled"}


# --- that the fuzz finds what is wrong -----------------------------------------------------------


class Hoarder:
    """Keeps all it hears."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []

    def feed(self, data: bytes) -> list[Reading]:
        self._kept.append(data)
        return []


class Hasty:
    """Takes a chunk for a frame."""

    def feed(self, data: bytes) -> list[Reading]:
        return [Answered(len(data))] if data else []


class Trusting:
    """Waits for as many bytes as it is told."""

    def __init__(self) -> None:
        self._due = 0

    def feed(self, data: bytes) -> list[Reading]:
        told: list[Reading] = []
        for byte in data:
            if self._due:
                self._due -= 1
                told += [] if self._due else [Answered(0)]
            else:
                self._due = byte << 14 if byte > 8 else byte
        return told


class Brittle:
    def feed(self, data: bytes) -> list[Reading]:
        return [Garbled("x")] * data.decode("ascii").count("x")


@pytest.mark.parametrize(
    ("decoder", "why"),
    [
        (Hoarder, "bytes"),
        (Hasty, "another cut"),
        (Trusting, "no good frame is read"),
        (Brittle, "UnicodeDecodeError"),
    ],
)
def test_a_decoder_that_breaks_a_law_is_found_and_its_bytes_are_made_few(decoder, why, monkeypatch):
    monkeypatch.setitem(ROWS, "bad", Driver(name="bad", title="bad", decoder=decoder))
    chunks = [b"\x01x" + b"\xff" * 600_000, b"\x01x\xff"]
    good = b"\x02ab"
    found = fails("bad", chunks, good, "seed")
    assert why in found
    fewer = smallest("bad", [b"\x01x\xff", b"\xff"], good, "seed")
    assert sum(map(len, fewer)) <= 4


def test_the_same_seed_tries_the_same_bytes():
    assert spoilt(frames("pn532"), Random(3)) == spoilt(frames("pn532"), Random(3))
    assert len(MUTATIONS) > 9


def test_what_hangs_on_a_value_is_weighed():
    assert weight([bytes(1000)]) > 1000
    assert weight(ROWS["csl1"].decoder()) < 1 << 14
    with pytest.raises(Broken):
        bounded([bytes(1 << 20)])


def test_a_short_run_takes_every_driver(capsys):
    assert cases(list(ROWS), 1, 0.0) is True
    assert len(capsys.readouterr().out.splitlines()) == len(ROWS)
