"""UIDs as lines of text: as readers print them, in every cut, behind dirt, and any other bytes."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.catalog import DRIVERS
from drivers.readings import Garbled, TagSeen
from drivers.simulated.uid_line import SimulatedUidLine
from drivers.uid_line import DRIVER, FAST, FEIG_SCAN, LINE_BYTES_MAX, UidLine
from tests.drivers.wires import bytewise, heard, news, vectors

VECTORS = vectors("uid-line")
AS, KD, TWO_C, ICODE = "040e3bd2286b85", "040f43d2286b85", "083f6c4a", "e00401000a1b2c3d"
LONG = "04112233445566778899"
DIRT = [b"\xff\x00", b"Ready\r\n", b"\x02", b"0", b"04 0E 3B", b"A" * 1000, b"UID "]


def fed(*chunks: bytes) -> list:
    return heard(UidLine(), *chunks)


def test_the_vector_says_its_field_in_every_cut():
    (vector,) = VECTORS.values()
    sent = bytes.fromhex(vector["hex"])
    for chunks in ([sent], bytewise(sent), *([sent[:at], sent[at:]] for at in range(len(sent)))):
        assert fed(*chunks) == [TagSeen(1, vector["fields"]["uid"])]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\n\r", " \r"])
@pytest.mark.parametrize("between", ["", " ", ":", "-", " : "])
@pytest.mark.parametrize("uid", [TWO_C, AS, ICODE, LONG])
def test_a_uid_is_read_however_it_is_written(uid, between, end):
    pairs = [uid[at : at + 2] for at in range(0, len(uid), 2)]
    for text in (between.join(pairs), between.join(pairs).upper()):
        assert fed(*bytewise((text + end).encode())) == [TagSeen(1, uid)]


def test_every_line_of_what_comes_at_once_is_read():
    assert fed(b"04 0E 3B D2 28 6B 85\n04 0F 43 D2 28 6B 85\n08 3F 6C 4A\n") == [
        TagSeen(1, AS), TagSeen(1, KD), TagSeen(1, TWO_C),
    ]  # fmt: skip


def test_several_whole_uids_in_a_line_are_each_a_tag():
    assert fed(b"E00401000A1B2C3D 083F6C4A\r") == [TagSeen(1, ICODE), TagSeen(1, TWO_C)]
    assert fed(b"04:0E:3B:D2:28:6B:85 08-3F-6C-4A\r") == [TagSeen(1, AS), TagSeen(1, TWO_C)]


def test_an_iso15693_uid_said_last_byte_first_is_turned_round():
    assert fed(b"3D2C1B0A000104E0\r") == [TagSeen(1, ICODE)]


@pytest.mark.parametrize("uid", ["e000000000000ae0", "00000000000000e1", "000000e0"])
def test_what_need_not_be_turned_round_is_left(uid):
    assert fed(f"{uid}\n".encode()) == [TagSeen(1, uid)]


@pytest.mark.parametrize(
    "line", ["04 0E 3B", "040E3BD2286B8", "083F6C4A 0", "083F6C4A 04", "A", "0 8 3 F"]
)
def test_a_line_that_is_no_list_of_uids_is_none_and_the_next_is_read(line):
    assert fed(f"{line}\r\n083F6C4A\r\n".encode()) == [
        Garbled("no UID", line.encode()), TagSeen(1, TWO_C),
    ]  # fmt: skip


def test_an_empty_line_is_nothing():
    assert fed(b"\r\n\r\n \n") == []


@pytest.mark.parametrize("dirt", DIRT)
def test_dirt_costs_at_most_the_line_it_stands_in(dirt):
    said = [TagSeen(1, AS), TagSeen(1, AS)]
    sent = dirt + b"\n" + AS.encode() + b"\n" + dirt + b"\n" + AS.encode() + b"\n" + dirt
    for chunks in ([sent], bytewise(sent)):
        assert news(fed(*chunks)) == said


@pytest.mark.parametrize("dirt", [b"\xff\x00", b"Ready\r\n", b"\x02", b"\x00\x80GGG"])
def test_a_uid_behind_bytes_that_cannot_stand_in_one_is_read(dirt):
    assert news(fed(*bytewise(dirt + b"083F6C4A\r"))) == [TagSeen(1, TWO_C)]


@pytest.mark.parametrize("between", ["", " ", ":"])
def test_a_simulated_reader_tells_arrivals_and_a_cut_line_is_no_such_tag(between):
    reader, decoder = SimulatedUidLine(between=between, end="\r\n", reversed_=True), UidLine()
    reader.lay(ICODE)
    reader.lines_cut = 1
    # Seven bytes of eight look like a UID: only the deck's list tells that it is none.
    assert news(decoder.feed(reader.wake(0))) == [TagSeen(1, "2c1b0a000104e0")]
    reader.lift(ICODE)
    assert reader.next_ms is None
    reader.lay(ICODE)
    assert (reader.next_ms, reader.hear(b"?", 0)) == (0, b"")
    assert decoder.feed(reader.wake(0)) == [TagSeen(1, ICODE)]


def test_a_simulated_reader_prints_short_uids_as_they_are():
    reader = SimulatedUidLine()
    reader.lay(TWO_C)
    assert reader.wake(0) == b"08 3F 6C 4A\n"


def test_the_rows_differ_in_the_lines_settings():
    assert {DRIVER, FAST, FEIG_SCAN} <= set(DRIVERS)
    settings = [(row.baud, row.parity) for row in (DRIVER, FAST, FEIG_SCAN)]
    assert settings == [(9600, "N"), (115200, "N"), (38400, "E")]


LINES = st.one_of(
    st.binary(max_size=40),
    st.text("0123456789abcdefABCDEF :-\r\n", max_size=60).map(str.encode),
    st.sampled_from([b"083F6C4A\r\n", b"04 0E 3B D2 28 6B 85\n", *DIRT]),
)


@given(st.lists(LINES, max_size=12))
def test_no_bytes_break_the_decoder_and_no_cut_changes_what_it_says(chunks):
    decoder = UidLine()
    said = heard(decoder, *chunks)
    assert len(decoder._pending) <= LINE_BYTES_MAX
    assert news(said) == news(fed(b"".join(chunks))) == news(fed(*bytewise(b"".join(chunks))))


@given(st.lists(LINES, max_size=12), st.sampled_from([TWO_C, AS, ICODE, LONG]))
def test_behind_a_lines_end_a_good_line_is_always_read(chunks, uid):
    decoder = UidLine()
    heard(decoder, *chunks, b"\r")
    assert decoder.feed(uid.encode() + b"\r") == [TagSeen(1, uid)]


def test_a_megabyte_of_junk_is_forgotten():
    decoder = UidLine()
    tracemalloc.start()
    try:
        for _ in range(256):
            decoder.feed(b"0123456789abcdef" * 256)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 64 << 10
    assert decoder.feed(b"\r083F6C4A\r")[-1] == TagSeen(1, TWO_C)
