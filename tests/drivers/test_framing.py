"""The line framer and the check values."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.checks import complement8, crc16_ccitt_false, crc16_mcrf4xx, sums_to_zero
from drivers.framing import BODY_BYTES_MAX, LINE_BYTES_MAX, LineFramer, line
from drivers.readings import Garbled

BODIES = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters="$*"),
    min_size=1,
    max_size=BODY_BYTES_MAX,
)
DIRT = st.one_of(
    st.binary(max_size=300),
    st.text("$*,AF09\r\n", max_size=60).map(str.encode),
    BODIES.flatmap(lambda body: st.integers(0, len(body) + 6).map(lambda n: line(body)[:n])),
)
CHECK = b"123456789"


def cut_up(stream: bytes, cuts: list[int]) -> list[bytes]:
    at = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    return [stream[first:last] for first, last in pairwise(at)]


def fed(*chunks: bytes) -> list[str | Garbled]:
    framer = LineFramer()
    return [found for chunk in chunks for found in framer.feed(chunk)]


def test_the_sums_give_the_check_values_of_their_definitions():
    assert crc16_ccitt_false(CHECK) == 0x29B1
    assert crc16_mcrf4xx(CHECK) == 0x6F91


@given(st.binary(max_size=64))
def test_bytes_and_their_complement_sum_to_zero(covered):
    assert sums_to_zero(covered + bytes([complement8(covered)]))


def test_a_sum_that_is_off_by_one_is_seen():
    assert not sums_to_zero(b"\x02\xff")


@given(st.lists(BODIES, max_size=5), st.lists(st.integers(0, 700), max_size=9))
def test_lines_are_read_in_any_cut(bodies, cuts):
    stream = b"".join(map(line, bodies))
    assert fed(*cut_up(stream, cuts)) == bodies


@given(st.lists(BODIES | DIRT, max_size=6), st.lists(st.integers(0, 900), max_size=12))
def test_a_stream_says_the_same_in_any_cut(pieces, cuts):
    stream = b"".join(line(piece) if isinstance(piece, str) else piece for piece in pieces)
    whole = fed(stream)
    assert fed(*cut_up(stream, cuts)) == whole
    assert fed(*(bytes([byte]) for byte in stream)) == whole


@given(DIRT, BODIES)
def test_whatever_came_before_a_good_line_is_read(dirt, body):
    assert fed(dirt, line(body))[-1] == body


@given(st.lists(st.binary(max_size=4096), max_size=4))
def test_no_bytes_break_the_framer_and_all_that_is_dropped_is_told(chunks):
    framer = LineFramer()
    found = [item for chunk in chunks for item in framer.feed(chunk)]
    assert len(framer._pending) < LINE_BYTES_MAX
    assert sum(len(item.data) for item in found if isinstance(item, Garbled)) <= len(
        b"".join(chunks)
    )


@pytest.mark.parametrize("junk", [b"$", b"\x00", b"A", b"$A", b"$A*", b"\r\n", b"*", b"$AAAAAAAA"])
def test_a_megabyte_of_junk_is_not_kept(junk):
    framer = LineFramer()
    stream = junk * ((1 << 20) // len(junk))
    for at in range(0, len(stream), 1 << 16):
        framer.feed(stream[at : at + (1 << 16)])
        assert len(framer._pending) < LINE_BYTES_MAX
    assert framer.feed(line("PING"))[-1] == "PING"


CUT, NOISE = "cut line", "noise"


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (b"\x00\xff$PING*6427\r\n", [(NOISE, b"\x00\xff")]),
        (b"$CARD,3,$PING*6427", [(CUT, b"$CARD,3,")]),
        (b"$PING*642$PING*6427", [(CUT, b"$PING*642")]),
        (b"$PING*642f$PING*6427", [(CUT, b"$PING*642"), (NOISE, b"f")]),
        (b"$PONG*6427\r\n$PING*6427", [("bad sum", b"$PONG*6427")]),
        (b"$PI\nNG*6427$PING*6427", [(CUT, b"$PI"), (NOISE, b"\nNG*6427")]),
        (b"$$PING*6427", [(CUT, b"$")]),
        (b"$*FFFF$PING*6427", [(CUT, b"$"), (NOISE, b"*FFFF")]),
        (b"\r\n\r\n$PING*6427\r\n\r\n", []),
    ],
)
def test_what_is_dropped_is_dropped_to_the_next_dollar(stream, said):
    assert line("PING") == b"$PING*6427\r\n"
    assert fed(stream) == [*(Garbled(reason, dirt) for reason, dirt in said), "PING"]


def test_the_longest_body_is_read_and_one_byte_more_is_not():
    longest = "A" * BODY_BYTES_MAX
    assert len(line(longest)) == LINE_BYTES_MAX
    assert fed(line(longest)) == [longest]
    assert fed(line(longest + "A"), line("PING"))[-1] == "PING"
    assert all(isinstance(item, Garbled) for item in fed(line(longest + "A"), b"$"))
