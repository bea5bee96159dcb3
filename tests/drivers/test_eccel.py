"""Eccel Pepper C1: its vectors in every cut and any dirt, rounds told whole, any other bytes."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.eccel import ANTENNAS_MAX, TAGS_MAX, Eccel
from drivers.eccel_frames import PAYLOAD_BYTES_MAX, Framer, frame
from drivers.readings import Answered, DeviceFault, Garbled, Inventory
from tests.drivers.wires import bytewise, heard, news, vectors

VECTORS = vectors("eccel-c1")
GOOD = [name for name, vector in VECTORS.items() if vector["expect"] == "ok"]

AS, KD, ICODE = "040e3bd2286b85", "040f43d2286b85", "e00401000a1b2c3d"

SAID = {
    "eccel-c1-001": Answered(0x02),
    "eccel-c1-003": Answered(0x03, b"\x00"),
    "eccel-c1-004": Answered(0x00, b"\x03\x01\x00" + bytes.fromhex(AS)),
    "eccel-c1-005": Answered(0x0F, b"\x05"),
    "eccel-c1-007": Answered(0x16, b"\x03\x32\x00"),
    "eccel-c1-008": Answered(0x90),
    "eccel-c1-010": DeviceFault(1, "warning", "command 03"),
    "eccel-c1-011": Answered(0xFE, bytes.fromhex(AS)),
}
UID_FRAME = bytes.fromhex(VECTORS["eccel-c1-004"]["hex"])
UID_SAID = SAID["eccel-c1-004"]
DIRT = [
    b"\xf5",
    b"\x00",
    b"\xf5\xf5\xf5",
    b"\xf5\x0d\x00\xf2",
    UID_FRAME[:6],
    UID_FRAME[:-1],
    b"\xf5\x02\x04\xfd\xfb",
    b"\xf5\x02\x00\xfd\xff\xff\xff",
    b"rst:0x1 (POWERON_RESET)\r\n",
]


def fed(*chunks: bytes) -> list:
    return heard(Eccel(), *chunks)


def done(command: int, body: bytes = b"") -> bytes:
    return frame(bytes((0x00, command)) + body)


def failed(command: int) -> bytes:
    return frame(bytes((0xFF, command, 1, 0)))


def uid(number: str) -> bytes:
    return done(0x03, b"\x01\x00" + bytes.fromhex(number))


def icode(number: str, more: int = 0) -> bytes:
    return done(0x90 if more else 0x91, bytes.fromhex(number)[::-1] + bytes((0, more)))


BEGIN, CHOSEN, END = done(0x0B, b"1.0"), done(0x0F), done(0x05)


def inventories(*sent: bytes) -> list:
    return [one.tags for one in fed(*sent) if isinstance(one, Inventory)]


# --- vectors -------------------------------------------------------------------------------------


def test_every_vector_of_the_reader_is_here():
    assert len(VECTORS) == 9
    assert set(SAID) == set(GOOD)


@pytest.mark.parametrize("name", GOOD)
def test_a_vector_says_its_fields_in_every_cut(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    for chunks in ([sent], bytewise(sent), *([sent[:at], sent[at:]] for at in range(len(sent)))):
        assert fed(*chunks) == [SAID[name]]


@pytest.mark.parametrize("name", GOOD)
def test_a_vector_is_what_is_sent_for_its_payload(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    (payload,) = Framer().feed(sent)
    assert frame(payload) == sent


@pytest.mark.parametrize("name", GOOD)
def test_what_the_table_of_answers_says_is_in_the_vectors_fields(name):
    fields, said = VECTORS[name]["fields"], SAID[name]
    if fields.get("error"):
        assert said == DeviceFault(fields["code"], "warning", f"command {fields['cmd']}")
    elif fields.get("async"):
        assert said.body.hex() == fields["data"]
    elif fields.get("ack"):
        assert (said.body[0], said.body[3:].hex()) == (int(fields["cmd"], 16), fields["uid"])
    else:
        assert said.command == int(fields["cmd"], 16)


def test_a_frame_with_a_wrong_check_is_none_and_the_next_is_read():
    sent = bytes.fromhex(VECTORS["eccel-c1-013"]["hex"])
    for chunks in ([sent + UID_FRAME], bytewise(sent + UID_FRAME)):
        readings = fed(*chunks)
        assert news(readings) == [UID_SAID]
        assert readings[0].reason == "bad sum"


@pytest.mark.parametrize("dirt", DIRT)
@pytest.mark.parametrize("name", GOOD)
def test_dirt_before_between_and_after_costs_no_frame_and_no_time(name, dirt):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    for chunks in ([dirt + sent + dirt + sent], bytewise(dirt + sent + dirt + sent)):
        assert news(fed(*chunks)) == [SAID[name]] * 2
    assert news(fed(sent, dirt, sent)) == [SAID[name]] * 2


def test_every_frame_of_a_chunk_is_read():
    sent = [bytes.fromhex(VECTORS[name]["hex"]) for name in GOOD]
    assert fed(b"".join(sent)) == [SAID[name] for name in GOOD]


def test_every_cut_of_a_frame_heals_with_the_next_ones_last_byte():
    for cut in range(len(UID_FRAME)):
        assert news(fed(UID_FRAME[:cut] + UID_FRAME)) == [UID_SAID]


@pytest.mark.parametrize("hole", range(len(UID_FRAME) - 8))
def test_a_hole_of_eight_bytes_costs_one_frame_only(hole):
    assert news(fed(UID_FRAME[:hole] + UID_FRAME[hole + 8 :], UID_FRAME)) == [UID_SAID]


def test_a_payload_may_be_as_long_as_the_manual_allows_and_no_longer():
    longest = frame(bytes(PAYLOAD_BYTES_MAX))
    assert news(fed(longest)) == [Answered(0, bytes(PAYLOAD_BYTES_MAX - 1))]
    assert news(fed(frame(bytes(PAYLOAD_BYTES_MAX + 1)), UID_FRAME)) == [UID_SAID]
    assert news(fed(frame(b""), UID_FRAME)) == [UID_SAID]


# --- rounds --------------------------------------------------------------------------------------


def test_a_round_is_one_inventory_with_the_antennas_in_their_order():
    sent = [BEGIN, CHOSEN, uid(AS), CHOSEN, CHOSEN, uid(KD), uid(ICODE), END]
    assert inventories(*sent) == [((1, AS), (3, KD), (3, ICODE))]


def test_without_a_choice_of_antenna_all_is_of_the_first():
    assert inventories(BEGIN, uid(AS), END, BEGIN, END) == [((1, AS),), ()]


def test_an_antenna_that_is_refused_counts_as_one():
    readings = fed(BEGIN, failed(0x0F), CHOSEN, uid(AS), END)
    assert readings[1] == DeviceFault(1, "warning", "command 0F")
    assert readings[-1] == Inventory(((2, AS),))


def test_a_round_broken_off_tells_nothing():
    assert inventories(BEGIN, CHOSEN, uid(AS), BEGIN, CHOSEN, uid(KD), END) == [((1, KD),)]


def test_what_comes_before_a_round_or_behind_it_is_of_none():
    sent = [uid(AS), END, BEGIN, uid(KD), END, uid(AS), END]
    assert inventories(*sent) == [((1, KD),)]
    assert fed(*sent)[-1] == Answered(0x00, b"\x05")


def test_a_round_ends_too_where_switching_the_field_off_is_refused():
    assert inventories(BEGIN, CHOSEN, uid(AS), failed(0x05)) == [((1, AS),)]
    assert fed(failed(0x05)) == [Answered(0xFF, b"\x05\x01\x00")]


def test_iso15693_tags_told_one_by_one_are_turned_round():
    told = [icode(ICODE, more=1), icode("e00401000a1b2c3e")]
    assert inventories(BEGIN, CHOSEN, *told, END) == [((1, ICODE), (1, "e00401000a1b2c3e"))]


def test_no_iso15693_tag_is_no_fault():
    assert fed(failed(0x90), failed(0x91)) == [
        Answered(0xFF, b"\x90\x01\x00"), Answered(0xFF, b"\x91\x01\x00"),
    ]  # fmt: skip


def test_what_is_told_unasked_is_never_a_tag():
    event = bytes.fromhex(VECTORS["eccel-c1-011"]["hex"])
    assert inventories(BEGIN, event, CHOSEN, event, END, event) == [()]


def test_our_own_words_echoed_choose_no_antenna_and_begin_no_round():
    echoed = [frame(b"\x0b"), frame(b"\x0f\x01"), frame(b"\x02"), frame(b"\x05")]
    assert inventories(*echoed) == []
    assert inventories(BEGIN, echoed[1], CHOSEN, uid(AS), echoed[3], END) == [((1, AS),)]


@pytest.mark.parametrize("number", ["", "04", "0102030405", "00" * 9, "00" * 11])
def test_a_uid_of_no_tags_length_is_answered_and_told_as_broken(number):
    readings = fed(BEGIN, uid(number), END)
    assert readings[1:] == [
        Answered(0x00, b"\x03\x01\x00" + bytes.fromhex(number)),
        Garbled("broken UID", bytes.fromhex(number)),
        Inventory(()),
    ]


def test_more_antennas_than_there_are_make_no_round():
    assert inventories(BEGIN, *[CHOSEN] * ANTENNAS_MAX, uid(AS), END) == [((8, AS),)]
    assert inventories(BEGIN, *[CHOSEN] * (ANTENNAS_MAX + 1), uid(AS), END) == []


def test_more_tags_than_there_can_be_make_no_round():
    flood = [uid(f"{number:08x}") for number in range(TAGS_MAX + 1)]
    assert Garbled("too many tags") in fed(BEGIN, *flood, END)
    assert inventories(BEGIN, *flood, END, BEGIN, uid(AS), END) == [((1, AS),)]


# --- any bytes -----------------------------------------------------------------------------------

PAYLOADS = st.one_of(
    st.binary(min_size=1, max_size=20),
    st.builds(
        lambda code, command, body: bytes((code, command)) + body,
        st.sampled_from([0x00, 0xFF, 0xFE]),
        st.sampled_from([0x02, 0x03, 0x05, 0x06, 0x0B, 0x0F, 0x90, 0x91]),
        st.binary(max_size=14),
    ),
)
PIECES = st.one_of(
    st.binary(max_size=30),
    PAYLOADS.map(frame),
    st.sampled_from([BEGIN, CHOSEN, END, uid(AS), icode(ICODE), UID_FRAME[4:], *DIRT]),
    st.lists(st.sampled_from([0xF5, 0x00, 0x03, 0xFC, 0xFF]), max_size=20).map(bytes),
)


@given(st.lists(PIECES, max_size=12))
def test_no_bytes_break_the_decoder_and_no_cut_changes_what_it_says(chunks):
    decoder = Eccel()
    said = heard(decoder, *chunks)
    assert len(decoder._framer._packets._pending) < PAYLOAD_BYTES_MAX + 7
    # Its own complaints about a frame's content are no dirt of the line: they come in any cut.
    assert news(said) == news(fed(b"".join(chunks))) == news(fed(*bytewise(b"".join(chunks))))


@given(st.lists(PIECES, max_size=12), PAYLOADS)
def test_whatever_came_before_a_good_frame_is_read_at_once(chunks, payload):
    framer = Framer()
    for chunk in chunks:
        framer.feed(chunk)
    assert framer.feed(frame(payload))[-1] == payload


@given(st.lists(PIECES, max_size=12))
def test_whatever_came_before_a_round_is_told_whole(chunks):
    decoder = Eccel()
    heard(decoder, *chunks)
    assert heard(decoder, BEGIN, CHOSEN, uid(AS), END)[-1] == Inventory(((1, AS),))


def test_a_megabyte_of_junk_is_forgotten():
    junk = (UID_FRAME[:-2] + b"\xf5\x02\x04\xfd\xfb" + bytes(range(256))) * 3800
    assert len(junk) > 1 << 20
    decoder = Eccel()
    tracemalloc.start()
    try:
        for at in range(0, len(junk), 4096):
            decoder.feed(junk[at : at + 4096])
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 64 << 10
    assert decoder.feed(UID_FRAME)[-1] == UID_SAID
