"""The PN532: its vectors in every cut and any dirt, and any other bytes."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from drivers.pn532 import ASKS, WAKE_UP, Pn532
from drivers.pn532_frames import ACK, CHIP, ERROR_FRAME, HOST, LENGTH_MAX, NACK, frame
from drivers.readings import Acked, Answered, Garbled, Inventory
from tests.drivers.wires import bytewise, heard, news

VECTORS = {
    vector["id"]: vector
    for vector in json.loads(
        (Path(__file__).parents[1] / "vectors" / "vectors.json").read_text("utf-8")
    )["vectors"]
    if vector["protocol"] == "pn532"
}
GOOD = [name for name, vector in VECTORS.items() if vector["expect"] == "ok"]
BAD = [name for name, vector in VECTORS.items() if vector["expect"] == "reject"]

AS, KD = "040e3bd2286b85", "040f43d2286b85"
TWO = Inventory(((1, AS), (1, KD)))
TWO_FRAME = bytes.fromhex(VECTORS["pn532-026"]["hex"])
DIRT = [
    b"\x01",
    b"\x55\x55\x00\x00",
    b"\x3f\xdf\xff\xe9\xaf",
    b"\x00\xff",
    b"\x00\x00\xff\x04\xfd",
    bytes.fromhex("0000ff03fddeadbeef"),
    b"\x00\xff\xff\xff\xff\xff",
]


def fed(*chunks: bytes) -> list:
    return heard(Pn532(), *chunks)


def targets(*uids: str) -> bytes:
    """An InListPassiveTarget answer of plain tags."""
    return frame(
        CHIP,
        0x4B,
        bytes((len(uids),))
        + b"".join(
            bytes((number, 0, 0x44, 0, len(uid) // 2)) + bytes.fromhex(uid)
            for number, uid in enumerate(uids, start=1)
        ),
    )


# --- vectors -------------------------------------------------------------------------------------

ANSWERS_BY_KEY = {
    "pn532-001": [],
    "pn532-004": [Acked(ok=False)],
    "pn532-005": [Acked(ok=False)],
    "pn532-006": [Answered(0x02)],
    "pn532-007": [Answered(0x03, bytes((50, 1, 6, 7)))],
    "pn532-008": [Answered(0x14, bytes((1, 0, 0)))],
    "pn532-009": [Answered(0x14, bytes((1, 20, 1)))],
    "pn532-010": [Answered(0x14, bytes((1,)))],
    "pn532-011": [Answered(0x15)],
    "pn532-012": [Answered(0x4A, bytes((1, 0)))],
    "pn532-013": [Inventory(())],
    "pn532-014": [Inventory(((1, "083f6c4a"),))],
    "pn532-015": [Answered(0x4A, bytes((1, 3, 0)))],
    "pn532-016": [Answered(0x44, bytes((0,)))],
    "pn532-018": [Answered(0x32, bytes((1, 0)))],
    "pn532-019": [Answered(0x32, bytes((5, 255, 255, 255)))],
    "pn532-020": [Answered(0x32, bytes((5, 0, 1, 2)))],
    "pn532-021": [Answered(0x11)],
    "pn532-022": [Answered(0x4A, bytes((2, 0)))],
    "pn532-023": [Inventory(((1, "1ada7444"),))],
    "pn532-024": [Inventory(((1, AS),))],
    "pn532-025": [Inventory(((1, "04112233445566778899"),))],
    "pn532-026": [TWO],
    "pn532-027": [Inventory(((1, KD), (1, "1ada7444")))],
    "pn532-028": [Inventory(((1, KD), (1, "047368a2c72280")))],
    "pn532-029": [Answered(0x60, bytes((255, 1, 0x10)))],
    "pn532-030": [Inventory(())],
    "pn532-031": [Inventory(((1, "04c63a63110189"),))],
    "pn532-032": [TWO],
    "pn532-034": [Answered(0x16, bytes((0x10, 0)))],
    "pn532-035": [Answered(0x01, bytes.fromhex("343536") + bytes(256))],
    "pn532-036": [Acked(), Inventory(())],
    "pn532-037": [Acked()],
    "pn532-038": [Inventory(())],
    "pn532-039": [Inventory(())],
}
# What stands before the answer's own fields: RFConfiguration's item and so on, in frames' order.
PLACES = {
    "ic": 0, "ver": 1, "rev": 2, "support": 3, "mode": 0, "timeout": 1, "irq": 2, "max_tg": 0,
    "brty": 1, "afi": 2, "tg": 0, "item": 0, "atr": 1, "psl": 2, "passive": 3, "poll_nr": 0,
    "period": 1,
}  # fmt: skip


def test_every_vector_of_the_pn532_is_here():
    assert len(VECTORS) == 38
    assert set(ANSWERS_BY_KEY) == set(GOOD)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_vector_says_what_it_means_whole_and_byte_by_byte(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    assert news(fed(sent)) == ANSWERS_BY_KEY[name]
    assert news(fed(*bytewise(sent))) == ANSWERS_BY_KEY[name]


@pytest.mark.parametrize("name", GOOD)
def test_the_fields_of_a_vector_are_in_its_reading(name):
    fields = VECTORS[name]["fields"]
    said = ANSWERS_BY_KEY[name]
    uids = sorted(target["uid"] for target in fields.get("targets", ()))
    if uids or fields.get("nb_tg") == 0:
        assert said == [Inventory(tuple((1, uid) for uid in uids))]
    if "cmd" in fields:
        assert said[0].command == int(fields["cmd"], 16)
    for field in PLACES.keys() & fields.keys():
        if name != "pn532-034":
            assert said[0].body[PLACES[field]] == fields[field]


@pytest.mark.parametrize("name", [name for name in GOOD if name != "pn532-037"])
def test_a_good_vector_alone_leaves_no_dirt(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    assert fed(sent) == ANSWERS_BY_KEY[name]


def test_a_stray_byte_before_the_ack_is_told_and_skipped():
    sent = bytes.fromhex(VECTORS["pn532-037"]["hex"])
    assert fed(sent) == [Garbled("stray bytes", b"\x01"), Acked()]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_vector_is_refused_and_the_next_good_frame_is_read(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    for chunks in ([sent], bytewise(sent)):
        readings = fed(*chunks, TWO_FRAME)
        assert news(readings) == [TWO]
        assert isinstance(readings[0], Garbled)


@pytest.mark.parametrize("dirt", DIRT)
@pytest.mark.parametrize("name", GOOD)
def test_dirt_before_between_and_after_costs_no_frame(name, dirt):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    line = dirt + sent + dirt + sent + dirt + bytes(LENGTH_MAX + 8)
    for chunks in ([line], bytewise(line)):
        said = news(fed(*chunks))
        wanted = 2 * ANSWERS_BY_KEY[name]
        if dirt.endswith(b"\x00\xff"):  # with a start behind it this is an ACK's own four bytes
            said, wanted = ([one for one in all_ if one != Acked()] for all_ in (said, wanted))
        assert said == wanted


def test_a_frame_behind_one_that_was_cut_after_its_start_code_is_read_without_preamble():
    assert fed(b"\x00\xff" + TWO_FRAME[1:])[-1] == TWO


def test_an_extended_frame_behind_one_that_was_cut_is_read_without_preamble():
    extended = bytes.fromhex(VECTORS["pn532-035"]["hex"])
    assert fed(b"\x00\xff" + extended[1:])[-1:] == ANSWERS_BY_KEY["pn532-035"]


@pytest.mark.parametrize("covered", [b"\xd7\x4b", b"\x7f\x01", b"\xd5"])
def test_a_frame_of_neither_host_nor_chip_is_none(covered):
    size = bytes((len(covered), -len(covered) & 0xFF))
    sent = b"\x00\xff" + size + covered + bytes((-sum(covered) & 0xFF, 0))
    readings = fed(sent, TWO_FRAME)
    assert (readings[0].reason, readings[1:]) == ("unknown frame", [TWO])


def test_every_cut_of_a_frame_heals():
    for cut in range(len(TWO_FRAME)):
        said = news(fed(TWO_FRAME[:cut], TWO_FRAME, bytes(LENGTH_MAX)))
        assert said[-1] == TWO


@pytest.mark.parametrize("hole", range(len(TWO_FRAME) - 8))
def test_a_hole_of_eight_bytes_costs_one_frame_only(hole):
    said = news(fed(TWO_FRAME[:hole] + TWO_FRAME[hole + 8 :], TWO_FRAME, TWO_FRAME))
    assert said == [TWO, TWO]


@pytest.mark.parametrize("uid", ["01020304", "0102030405", "0102030405060708", "00" * 11, ""])
def test_only_uids_of_four_seven_and_ten_bytes_are_tags(uid):
    readings = fed(targets(uid))
    if len(uid) == 8:
        assert readings == [Inventory(((1, uid),))]
    else:
        assert isinstance(readings[0], Garbled)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x01",
        b"\x03" + 3 * bytes.fromhex("010004080401020304"),
        b"\x01" + bytes.fromhex("0100040804010203"),
        b"\x01" + bytes.fromhex("01000408040102030405"),
        b"\x02" + bytes.fromhex("010004080401020304"),
        b"\x01" + bytes.fromhex("01000420040102030406ffff"),
    ],
)
def test_a_target_list_that_does_not_add_up_is_no_inventory(body):
    assert fed(frame(CHIP, 0x4B, body)) == [Garbled("broken target list", body)]


def test_a_smart_tag_without_its_ats_is_still_a_tag():
    body = b"\x01" + bytes.fromhex("010004200401020304")
    assert fed(frame(CHIP, 0x4B, body)) == [Inventory(((1, "01020304"),))]


def test_tags_of_other_kinds_in_an_automatic_poll_are_passed_over():
    other = b"\x11\x03abc"
    card = b"\x10\x09" + bytes.fromhex("020004080401020304")
    assert fed(frame(CHIP, 0x61, b"\x02" + other + card)) == [Inventory(((1, "01020304"),))]


def test_the_same_uid_twice_is_one_tag():
    assert fed(targets(AS, AS)) == [Inventory(((1, AS),))]


def test_an_extended_frame_longer_than_the_chip_can_send_is_none():
    length = LENGTH_MAX + 1
    head = b"\x00\xff\xff\xff" + length.to_bytes(2, "big")
    line = head + bytes((-sum(length.to_bytes(2, "big")) & 0xFF,)) + TWO_FRAME
    assert news(fed(line)) == [TWO]


# --- any bytes -----------------------------------------------------------------------------------

PIECES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([ACK, NACK, ERROR_FRAME, WAKE_UP, TWO_FRAME[:9], TWO_FRAME[5:], *DIRT]),
    st.lists(st.sampled_from([0x00, 0xFF, 0x55, 0x03, 0xFD, 0xD5, 0x4B]), max_size=12).map(bytes),
)


@given(st.lists(PIECES, max_size=12))
def test_no_bytes_break_the_decoder_and_no_cut_changes_what_it_says(chunks):
    decoder = Pn532()
    said = [reading for chunk in chunks for reading in decoder.feed(chunk)]
    assert len(decoder._framer._pending) <= LENGTH_MAX + 8
    assert news(said) == news(fed(*bytewise(b"".join(chunks))))


@given(st.lists(PIECES, max_size=12), st.lists(st.sampled_from([AS, KD]), max_size=2, unique=True))
def test_whatever_came_before_a_good_frame_is_read(chunks, uids):
    wanted = Inventory(tuple((1, uid) for uid in sorted(uids)))
    heard = fed(b"".join(chunks), targets(*uids), bytes(LENGTH_MAX + 8))
    # Else chance made a frame of the dirt and of what follows it: its sum has eight bits.
    assume(set(news(heard)) <= {Acked(), Acked(ok=False), TWO, wanted})
    assume("broken target list" not in {getattr(one, "reason", "") for one in heard})
    assert wanted in heard


def test_a_megabyte_of_junk_is_forgotten():
    junk = (TWO_FRAME[:-2] + b"\x00\xff\xff\xff\x01\x00\xff" + bytes(range(256))) * 3700
    assert len(junk) > 1 << 20
    decoder = Pn532()
    tracemalloc.start()
    try:
        for at in range(0, len(junk), 4096):
            decoder.feed(junk[at : at + 4096])
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 64 << 10
    assert decoder.feed(bytes(LENGTH_MAX) + TWO_FRAME)[-1] == TWO


def test_host_frames_are_never_taken_for_news():
    assert fed(*(ask.send for ask in ASKS.values())) == [
        Answered(0x14, b"\x01\x14\x01"),
        Answered(0x02),
        Answered(0x32, b"\x05\x00\x01\x02"),
        Answered(0x4A, b"\x02\x00"),
        Answered(0x52, b"\x00"),
    ]
    assert fed(frame(HOST, 0x4B, b"\x00")) == [Answered(0x4B, b"\x00")]
