"""What a simulated line does to bytes: the same bytes always arrive the same, in any cut."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.simulated.noise import (
    HOLE_BYTES,
    Chancy,
    CutShort,
    Holed,
    Losing,
    WrongBaud,
    nothing,
)
from tests.drivers.wires import bytewise

SAID = bytes(range(256))
BAUDS = (9600, 19200, 38400, 57600, 115200)


def test_every_nth_byte_is_lost_from_the_first_named_on():
    assert Losing(3)(b"abcdefg") == b"bcef"
    assert Losing(3, first=2)(b"abcdefgh") == b"abdegh"


def test_a_hole_is_eight_bytes_long():
    assert HOLE_BYTES == 8
    assert Holed(4)(b"abcd" + b"........" + b"efgh" + b"..") == b"abcdefgh"


def test_chance_loses_about_one_byte_in_so_many_and_the_same_ones_again():
    lost = [len(SAID) * 40 - len(Chancy(50, Random(1).random)(SAID * 40)) for _ in range(2)]
    assert lost[0] == lost[1]
    assert 150 < lost[0] < 260


def test_only_the_first_utterance_is_cut_short():
    line = CutShort(3)
    assert [line(b"abcdef"), line(b"ghi")] == [b"abc", b"ghi"]
    assert nothing(b"abc") == b""


@pytest.mark.parametrize("make", [lambda: Losing(7, 3), lambda: Holed(20)])
def test_what_is_lost_does_not_hang_on_the_cut(make):
    line = make()
    assert make()(SAID) == b"".join(map(line, bytewise(SAID)))


@given(st.binary(max_size=60), st.sampled_from(BAUDS))
def test_at_the_right_speed_every_byte_arrives(said, baud):
    assert WrongBaud(baud, baud)(said) == said


@given(st.binary(max_size=60), st.sampled_from(BAUDS), st.integers(-40, 40))
def test_a_clock_that_is_off_by_four_percent_is_heard_all_the_same(said, baud, permille):
    assert WrongBaud(baud, baud + baud * permille // 1000)(said) == said


# Worked out by hand: 0x55 goes out as 0 (start) 1 0 1 0 1 0 1 0 1 (stop). Heard at twice the speed
# the start bit is two bits, the second of them the lowest of the byte, then 1 1 0 0 1 1 0.
def test_at_twice_the_speed_each_bit_is_two():
    assert WrongBaud(9600, 19200)(b"\x55")[0] == 0b01100110


def test_a_slow_ear_hears_fewer_bytes_and_a_quick_one_more():
    assert len(WrongBaud(115200, 9600)(SAID)) < len(SAID) / 8
    assert len(WrongBaud(9600, 115200)(SAID)) > len(SAID)


@given(st.binary(max_size=60), st.sampled_from(BAUDS), st.sampled_from(BAUDS))
def test_no_speed_breaks_it_and_the_same_bytes_are_heard_the_same(said, at, heard_at):
    assert WrongBaud(at, heard_at)(said) == WrongBaud(at, heard_at)(said)
