"""Keyboards that type cards, keys and tags: their vectors in every cut, losses, and any bytes."""

from __future__ import annotations

import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.catalog import DRIVERS
from drivers.keyboard import DROPPED, Keys, Pressed, record
from drivers.readings import CardDrawn, EventsLost, Garbled, KeyPressed, TagSeen
from drivers.simulated.wedge import SimulatedWedge
from drivers.wedge import (
    CARD_DRIVER,
    DRAWS_MAX,
    KEYS_DRIVER,
    LINE_KEYS_MAX,
    TAG_DRIVER,
)
from tests.drivers.wires import bytewise, heard, news, vectors

VECTORS = vectors("hid-wedge")
CARDS = [name for name, vector in VECTORS.items() if "card" in vector["fields"]]
TAGS = [name for name, vector in VECTORS.items() if "uid" in vector["fields"]]

NOW_MS = 1_795_000_000_123
SYN = record(0, 0, 0, NOW_MS)
LOST = EventsLost(0, 0)
ENTER_KEY = 28
RANK_CODES = dict(zip("A23456789TJQK", range(1, 14), strict=True))
SUIT_CODES = dict(zip("shcd", range(1, 5), strict=True))


def struck(*keys: int) -> bytes:
    """These keys down and up again, as the kernel tells of a USB keyboard."""
    said = b""
    for key in keys:
        for value in (1, 0):
            said += record(4, 4, 0x70000 + key, NOW_MS) + record(1, key, value, NOW_MS) + SYN
    return said


def typed(text: str, *, pad: bool = False) -> bytes:
    wedge = SimulatedWedge(pad=pad)
    wedge.type(text)
    return wedge.wake(NOW_MS)


def cards(*chunks: bytes) -> list:
    return heard(CARD_DRIVER.decoder(), *chunks)


def tags(*chunks: bytes) -> list:
    return heard(TAG_DRIVER.decoder(), *chunks)


def pad(*chunks: bytes) -> list:
    return heard(KEYS_DRIVER.decoder(), *chunks)


ACE = typed("1010\n")
ACE_DRAWN = CardDrawn(1, "As")

# --- vectors -------------------------------------------------------------------------------------


def test_every_vector_of_the_wedge_is_here():
    assert len(VECTORS) == 6
    assert len(CARDS) == 4
    assert TAGS == ["hid-wedge-006"]


def test_a_record_is_the_kernels_of_a_64_bit_system():
    assert struct.pack("<qqHHi", 1_795_000_000, 123_000, 1, 2, 1) == record(1, 2, 1, NOW_MS)
    native = struct.pack("@llHHi", 1_795_000_000, 123_000, 1, 2, 1)
    assert len(native) != 24 or native == record(1, 2, 1, NOW_MS)


# Written by Linux 6.1 on x86-64: a 1 struck on a keyboard of uinput's, then an overrun.
KERNEL_ONE = bytes.fromhex(
    "6aa70d6b00000000385f0e00000000000400040002000700"
    "6aa70d6b00000000385f0e00000000000100020001000000"
    "6aa70d6b00000000385f0e00000000000000000000000000"
    "6aa70d6b000000009b600e00000000000400040002000700"
    "6aa70d6b000000009b600e00000000000100020000000000"
    "6aa70d6b000000009b600e00000000000000000000000000"
)
KERNEL_OVERRUN = bytes.fromhex(
    "6ba70d6b00000000b2fc0100000000000000030000000000"
    "6ba70d6b00000000b2fc01000000000001000b0001000000"
    "6ba70d6b00000000b2fc0100000000000000000000000000"
    "6ba70d6b00000000cbfc010000000000040004000b000700"
)


def test_what_the_kernel_wrote_is_read():
    assert Keys().feed(KERNEL_ONE) == Keys().feed(struck(2)) == [Pressed(2)]
    assert Keys().feed(KERNEL_OVERRUN + KERNEL_ONE) == [Garbled(DROPPED), Pressed(2)]
    assert cards(KERNEL_ONE, typed("010\n")) == [ACE_DRAWN]
    lost = [Garbled(DROPPED), LOST]
    assert cards(KERNEL_ONE, KERNEL_OVERRUN, typed("010\n"), ACE) == [*lost, ACE_DRAWN]


@pytest.mark.parametrize("name", CARDS + TAGS)
def test_a_vector_says_what_it_means_whole_and_in_every_cut(name):
    fields = VECTORS[name]["fields"]
    sent = struck(*fields["evdev_keycodes"])
    decode, wanted = (cards, [CardDrawn(1, fields.get("card"))])
    if name in TAGS:
        decode, wanted = tags, [TagSeen(1, fields["uid"])]
    assert decode(sent) == decode(*bytewise(sent)) == wanted
    for cut in range(len(sent)):
        assert decode(sent[:cut], sent[cut:]) == wanted


@pytest.mark.parametrize("name", CARDS + TAGS)
def test_the_simulated_keyboard_types_the_text_of_a_vector_with_its_keys(name):
    text = bytes.fromhex(VECTORS[name]["hex"]).decode()
    said = Keys().feed(typed(text.replace("\r", "")))
    assert [one.key for one in said if one.key != 42] == VECTORS[name]["fields"]["evdev_keycodes"]


def test_a_digit_lost_in_the_middle_is_refused_and_the_next_card_is_read():
    sent = typed(bytes.fromhex(VECTORS["hid-wedge-007"]["hex"]).decode())
    for chunks in ([sent], bytewise(sent)):
        assert cards(*chunks, ACE) == [Garbled("bad line", b"010"), LOST, ACE_DRAWN]
        assert tags(*chunks, typed("0a0b0c0d\n")) == [
            Garbled("bad line", b"010"),
            TagSeen(1, "0a0b0c0d"),
        ]


# --- what is typed -------------------------------------------------------------------------------


@pytest.mark.parametrize("on_pad", [False, True])
def test_every_card_of_the_deck_has_its_code(on_pad):
    for suit, first in SUIT_CODES.items():
        for rank, middle in RANK_CODES.items():
            code = f"{first}{middle:02}0\n"
            assert cards(typed(code, pad=on_pad)) == [CardDrawn(1, rank + suit)]


@pytest.mark.parametrize(
    "line",
    ["0010", "5010", "1000", "1140", "1990", "1011", "101", "10100", "10101010", "a010", "e"],
)
def test_other_codes_are_no_cards(line):
    assert cards(typed(line + "\n"), ACE) == [Garbled("bad line", line.encode()), LOST, ACE_DRAWN]


def test_cards_are_numbered_and_the_number_goes_round_with_a_loss():
    decoder = CARD_DRIVER.decoder()
    drawn = [reading for _ in range(DRAWS_MAX + 2) for reading in decoder.feed(ACE)]
    numbers = [one.n for one in drawn if isinstance(one, CardDrawn)]
    assert numbers == [*range(1, DRAWS_MAX + 1), 1, 2]
    assert [at for at, one in enumerate(drawn) if one == LOST] == [DRAWS_MAX]


@pytest.mark.parametrize(
    ("line", "uid"),
    [
        ("0007654321", "0007654321"),
        ("12345678", "12345678"),
        ("04E716D22F6680", "04e716d22f6680"),
        ("04e716d22f6680", "04e716d22f6680"),
        ("E00401000A1B2C3D", "e00401000a1b2c3d"),
        ("3D2C1B0A000104E0", "e00401000a1b2c3d"),
        ("04112233445566778899", "04112233445566778899"),
    ],
)
def test_a_tags_number_is_told_as_typed_in_lower_case(line, uid):
    assert tags(typed(line + "\n")) == [TagSeen(1, uid)]


@pytest.mark.parametrize("digits", sorted(set(range(1, 25)) - {8, 10, 14, 16, 20}))
def test_no_tag_has_a_number_of_another_length(digits):
    line = "1" * digits
    assert tags(typed(line + "\n")) == [Garbled("bad line", line.encode())]


def test_the_star_is_the_shuffle_at_once_and_the_studios_other_keys_are_passed_over():
    assert pad(typed("*", pad=True)) == [KeyPressed("shuffle")]
    assert pad(typed("+\n.-0\n", pad=True), struck(28, 69)) == []
    assert (
        pad(typed("*", pad=True), struck(69), typed("*", pad=True)) == [KeyPressed("shuffle")] * 2
    )


@pytest.mark.parametrize("key", [1, 2, 79, 15, 57, 105, 113, 0x2FF])
def test_a_key_that_the_pad_does_not_have_is_garbled(key):
    assert pad(struck(key), struck(55)) == [
        Garbled("unknown key", key.to_bytes(2, "big")),
        KeyPressed("shuffle"),
    ]


def test_enter_before_the_code_and_twice_behind_it_is_nothing():
    wedge = SimulatedWedge()
    wedge.faults.enter_first = True
    wedge.type("1010\n\n\n")
    assert cards(wedge.wake(NOW_MS)) == [ACE_DRAWN]


@pytest.mark.parametrize("held", [1, 5, 40])
def test_a_key_that_is_held_counts_once(held):
    wedge = SimulatedWedge()
    wedge.faults.held = held
    wedge.type("1010\n")
    assert cards(wedge.wake(NOW_MS)) == [ACE_DRAWN]


def test_what_comes_up_says_nothing_and_need_not_come():
    down = b"".join(record(1, key, 1, NOW_MS) + SYN for key in (2, 11, 2, 11, 28))
    up = down.replace(record(1, 2, 1, NOW_MS), record(1, 2, 0, NOW_MS))
    assert cards(down) == [ACE_DRAWN]
    assert cards(up) == [Garbled("bad line", b"00"), LOST]


def test_other_types_of_records_are_passed_over():
    others = [(2, 8, -1), (3, 0x2F, 7), (4, 4, -5), (5, 0, 1), (17, 0, 1), (18, 2, 9), (20, 0, 250)]
    between = b"".join(record(*one, NOW_MS) for one in others)
    at = [ACE[n : n + 24] for n in range(0, len(ACE), 24)]
    assert cards(between.join(at)) == [ACE_DRAWN]


@pytest.mark.parametrize("keys", [(15,), (57,), (29,), (105,), (19,)])
def test_a_key_that_types_nothing_known_spoils_its_line_only(keys):
    line = typed("10") + struck(*keys, *keys) + typed("10\n")
    assert cards(ACE, line, ACE) == [
        ACE_DRAWN,
        Garbled("unknown key", b"10"),
        LOST,
        CardDrawn(2, "As"),
    ]


def test_a_line_that_never_ends_is_dropped_once():
    endless = typed("1" * 5000)
    readings = tags(endless, typed("\n"), typed("0a0b0c0d\n"))
    assert readings == [
        Garbled("line too long", b"1" * (LINE_KEYS_MAX + 1)),
        TagSeen(1, "0a0b0c0d"),
    ]


# --- losses --------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", range(1, 10))
@pytest.mark.parametrize("first", range(10))
def test_what_the_kernel_dropped_costs_its_line_and_at_most_the_next(first, lost):
    wedge = SimulatedWedge()
    wedge.type("1010\n1020\n"[:first])
    wedge.faults.drop_next = lost
    wedge.type("1010\n1020\n"[first:] + "1030\n2030\n3030\n4030\n")
    readings = cards(wedge.wake(NOW_MS))
    drawn = [one.card for one in readings if isinstance(one, CardDrawn)]
    assert [one for one in readings if isinstance(one, Garbled)] == [Garbled(DROPPED)]
    assert readings.count(LOST) == 1
    assert drawn[-2:] == ["3c", "3d"]
    assert drawn == [one for one in ("As", "2s", "3s", "3h", "3c", "3d") if one in drawn]


def test_up_to_the_end_of_the_report_nothing_counts_behind_a_drop():
    dropped = record(0, 3, 0, NOW_MS)
    star = record(1, 55, 1, NOW_MS)
    assert pad(dropped + star + SYN + star + SYN) == [
        Garbled(DROPPED), LOST, KeyPressed("shuffle"),
    ]  # fmt: skip


DIRT = [b"\x00", b"\xff", b"\x01\x00\x02", bytes(23), ACE[:11], ACE[5:24], b"$CARD,1*FFFF\r\n" * 3]


@pytest.mark.parametrize("dirt", DIRT)
@pytest.mark.parametrize("name", CARDS)
def test_bytes_that_are_no_records_cost_one_line(name, dirt):
    fields = VECTORS[name]["fields"]
    sent = struck(*fields["evdev_keycodes"])
    line = dirt + sent + sent + dirt + sent + sent + dirt + sent
    for chunks in ([line], bytewise(line)):
        drawn = [one.card for one in cards(*chunks) if isinstance(one, CardDrawn)]
        assert drawn == [fields["card"]] * 2


@pytest.mark.parametrize("dirt", DIRT)
def test_a_key_of_the_pad_is_read_behind_any_dirt_at_once(dirt):
    readings = pad(dirt + struck(55) + dirt + struck(55) + dirt)
    assert readings.count(KeyPressed("shuffle")) == 2


@pytest.mark.parametrize("hole", range(0, 24 * 10, 7))
def test_a_hole_costs_its_line_and_the_next_at_most(hole):
    line = ACE + typed("2030\n3030\n4030\n")
    holed = line[:hole] + line[hole + 11 :]
    drawn = [one.card for one in cards(holed) if isinstance(one, CardDrawn)]
    assert drawn[-2:] == ["3c", "3d"]


# --- any bytes -----------------------------------------------------------------------------------

KEYS = st.sampled_from([2, 3, 4, 5, 11, 28, 28, 30, 42, 55, 57, 69, 79, 96])
RECORDS = st.one_of(
    st.builds(struck, KEYS),
    st.builds(lambda key, value: record(1, key, value, NOW_MS), KEYS, st.integers(0, 2)),
    st.just(SYN),
    st.just(record(0, 3, 0, NOW_MS)),
    st.just(ACE),
    st.just(typed("0007654321\n")),
)
PIECES = st.one_of(RECORDS, st.binary(max_size=40))
DECODERS = [CARD_DRIVER.decoder, KEYS_DRIVER.decoder, TAG_DRIVER.decoder]


@pytest.mark.parametrize("decoder", DECODERS)
@given(chunks=st.lists(PIECES, max_size=12))
def test_no_bytes_break_a_decoder_and_no_cut_changes_what_it_says(decoder, chunks):
    line = b"".join(chunks)
    one = decoder()
    whole = one.feed(line)
    assert len(one._keys._pending) < 24
    assert news(heard(decoder(), *chunks)) == news(whole)
    assert news(heard(decoder(), *bytewise(line))) == news(whole)


@given(st.lists(RECORDS, max_size=12))
def test_whatever_records_came_before_a_line_behind_an_enter_is_read(records):
    (*_, last) = cards(b"".join(records), SYN, struck(ENTER_KEY), typed("4130\n"))
    assert isinstance(last, CardDrawn)
    assert last.card == "Kd"
    assert tags(b"".join(records), SYN, struck(ENTER_KEY), typed("0007654321\n"))[-1] == (
        TagSeen(1, "0007654321")
    )
    assert pad(b"".join(records), SYN, struck(55))[-1] == KeyPressed("shuffle")


@given(st.lists(PIECES, max_size=12))
def test_whatever_bytes_came_before_a_line_behind_two_enters_is_read(chunks):
    (*_, last) = cards(b"".join(chunks), SYN, struck(ENTER_KEY, ENTER_KEY), typed("4130\n"))
    assert isinstance(last, CardDrawn)
    assert last.card == "Kd"


@given(st.text("0123456789abcdef", max_size=40))
def test_a_line_is_a_card_only_if_it_is_four_digits_of_the_code(line):
    drawn = [one for one in cards(typed(line + "\n")) if isinstance(one, CardDrawn)]
    codes = {f"{s}{r:02}0" for s in SUIT_CODES.values() for r in RANK_CODES.values()}
    assert bool(drawn) is (line in codes)


def test_a_megabyte_of_junk_is_forgotten():
    junk = (bytes(range(256)) + ACE[7:] + typed("1" * 40)) * 170
    assert len(junk) > 1 << 20
    decoder = CARD_DRIVER.decoder()
    tracemalloc.start()
    try:
        for at in range(0, len(junk), 4096):
            decoder.feed(junk[at : at + 4096])
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 64 << 10
    drawn = decoder.feed(struck(ENTER_KEY, ENTER_KEY) + ACE)[-1]
    assert drawn.card == "As"


def test_the_rows_are_in_the_catalogue():
    for row in (CARD_DRIVER, KEYS_DRIVER, TAG_DRIVER):
        assert DRIVERS.count(row) == 1
        assert row.silent_after_ms is None
