"""Feig readers: their vectors in every cut and any dirt, antennas, MORE, and any other bytes."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from drivers import feig_frames
from drivers.feig import MORE, TAGS_MAX, Feig, asks
from drivers.feig_frames import FRAME_BYTES_MAX, Framed, ask, frame
from drivers.feig_records import BufferRecord, buffer_records
from drivers.feig_words import STATUSES
from drivers.readings import Answered, DeviceFault, Garbled, Inventory
from tests.drivers.wires import bytewise, heard, news

VECTORS = {
    vector["id"]: vector
    for vector in json.loads(
        (Path(__file__).parents[1] / "vectors" / "vectors.json").read_text("utf-8")
    )["vectors"]
    if vector["protocol"] == "feig"
}
GOOD = [name for name, vector in VECTORS.items() if vector["expect"] == "ok"]
BAD = [name for name, vector in VECTORS.items() if vector["expect"] == "reject"]

AS, KD, TWO = "e00401000a1b2c3d", "e00401000a1b2c3e", "e004015012345678"
TWO_CARDS = Inventory(((1, AS), (1, KD)))
TWO_FRAME = bytes.fromhex(VECTORS["feig-015"]["hex"])
DIRT = [
    b"\x01",
    b"\x02",
    b"\xff",
    b"\x02\x00",
    b"\x00\x00\x00",
    b"\xff\xff\xb0",
    bytes.fromhex("02001d00b0"),
    bytes.fromhex("ff00b0"),
    bytes.fromhex(VECTORS["feig-028"]["hex"]),
]


def fed(*chunks: bytes) -> list:
    return heard(Feig(), *chunks)


def said(control: int, rest: bytes, *, advanced: bool = True) -> bytes:
    return frame(Framed(0, control, rest, advanced))


def listed(uid: str, *antennas: int) -> bytes:
    """A data set of an inventory with antennas."""
    number = bytes.fromhex(uid)
    read = b"".join(bytes((antenna, 0, 0xFF, 0, 0, 0, 0)) for antenna in antennas)
    return b"\x11\x03\x00" + bytes((len(number),)) + number + bytes((len(antennas),)) + read


def inventory(*sets: bytes, status: int = 0) -> bytes:
    return said(0xB0, bytes((status, len(sets))) + b"".join(sets))


# --- vectors -------------------------------------------------------------------------------------

ANSWERS = {
    "feig-001": [Answered(0xB0, b"\x01\x00")],
    "feig-002": [Inventory(((1, "0000000053511071"),))],
    "feig-003": [Answered(0xB0, bytes.fromhex("25210000000053511071"))],
    "feig-004": [Answered(0xB0, bytes.fromhex("02b3717000"))],
    "feig-005": [Answered(0x72, bytes.fromhex("010181010019"))],
    "feig-006": [Answered(0x72, bytes.fromhex("0101810b0014"))],
    "feig-007": [Answered(0x74)],
    "feig-010": [Answered(0xB0, b"\x01\x00")],
    "feig-011": [Answered(0xB0, b"\x01\x80")],
    "feig-013": [Inventory(((1, AS),))],
    "feig-015": [TWO_CARDS],
    "feig-016": [MORE],
    "feig-018": [Answered(0x65)],
    "feig-019": [Answered(0x52, b"\x00")],
    "feig-021": [Inventory(((3, AS), (4, KD)))],
    "feig-022": [Inventory(((11, AS),))],
    "feig-023": [Answered(0x32)],
    "feig-024": [Answered(0x31)],
    "feig-025": [Answered(0x31, bytes.fromhex("012c00000002"))],
}


def test_every_vector_of_the_feig_is_here():
    assert len(VECTORS) == 21
    assert set(ANSWERS) == set(GOOD)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_vector_says_what_it_means_whole_and_byte_by_byte(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    assert fed(sent) == ANSWERS[name]
    assert fed(*bytewise(sent)) == ANSWERS[name]


@pytest.mark.parametrize("name", GOOD)
def test_the_fields_of_a_vector_are_in_its_reading(name):
    fields, answer = VECTORS[name]["fields"], ANSWERS[name][0]
    if "control" in fields:
        control = getattr(answer, "command", 0xB0)
        assert control == int(fields["control"], 16)
    if "cmd" in fields:
        assert answer.body[0] == int(fields["cmd"], 16)
    if isinstance(fields.get("mode"), int):
        assert answer.body[1] == fields["mode"]
    if "data" in fields:
        assert answer.body.hex() == fields["data"]
    if "tab_size" in fields:
        told = [int.from_bytes(answer.body[at : at + 2], "big") for at in (0, 2, 4)]
        assert told == [fields["tab_size"], fields["tab_start"], fields["tab_len"]]
    if "tags" in fields and fields["status"] == 0:
        assert [uid for _, uid in answer.tags] == [tag["uid"] for tag in fields["tags"]]
    if "snr" in fields and "tr_type" in fields:
        assert answer.tags == ((1, fields["snr"]),)
    if "records" in fields:
        assert list(answer.tags) == [(one["antenna"], one["uid"]) for one in fields["records"]]


def test_buffer_records_are_read_by_their_fields():
    body = bytes.fromhex(VECTORS["feig-022"]["hex"])[6:-2]
    assert buffer_records(body) == [BufferRecord(AS, 11, 123456)]


def test_what_more_data_began_is_told_with_the_last_answer_as_one_inventory():
    first, last = (bytes.fromhex(VECTORS[name]["hex"]) for name in ("feig-016", "feig-013"))
    tags = [tag["uid"] for tag in VECTORS["feig-016"]["fields"]["tags"]]
    assert fed(first, first, last) == [
        MORE,
        MORE,
        Inventory(tuple((1, uid) for uid in sorted({*tags, AS}))),
    ]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_vector_is_refused_and_the_next_good_frame_is_read(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    for chunks in ([sent], bytewise(sent)):
        readings = fed(*chunks, TWO_FRAME)
        assert news(readings) == [TWO_CARDS]
        assert isinstance(readings[0], Garbled)


def test_the_low_byte_of_the_sum_comes_first():
    good = bytes.fromhex(VECTORS["feig-001"]["hex"])
    assert good[-2:] == bytes.fromhex(VECTORS["feig-028"]["hex"])[:-3:-1]
    assert news(fed(good[:-2] + good[:-3:-1], bytes(FRAME_BYTES_MAX))) == []


@pytest.mark.parametrize("dirt", DIRT)
@pytest.mark.parametrize("name", GOOD)
def test_dirt_before_between_and_after_costs_no_frame(name, dirt):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    line = dirt + sent + dirt + sent + dirt + bytes(FRAME_BYTES_MAX)
    wanted = fed(sent, sent)
    assert news(fed(line)) == wanted
    assert news(fed(*bytewise(line[:300]), line[300:])) == wanted


@pytest.mark.parametrize("dirt", DIRT[:6] + DIRT[7:])
def test_an_advanced_frame_behind_dirt_is_read_at_once(dirt):
    assert fed(dirt + TWO_FRAME)[-1] == TWO_CARDS


@pytest.mark.parametrize("length", range(7))
def test_a_frame_that_claims_to_be_shorter_than_any_is_none(length):
    head = b"\x02\x00" + bytes((length,)) + b"\x00\x31"
    assert news(fed(*bytewise(head), TWO_FRAME, bytes(64))) == [TWO_CARDS]


def test_every_cut_of_a_frame_heals_with_the_next_frames():
    for cut in range(len(TWO_FRAME)):
        assert fed(TWO_FRAME[:cut], TWO_FRAME, TWO_FRAME)[-1] == TWO_CARDS
        assert news(fed(TWO_FRAME[:cut], TWO_FRAME, bytes(40)))[-1] == TWO_CARDS


@pytest.mark.parametrize("hole", range(len(TWO_FRAME) - 8))
def test_a_hole_of_eight_bytes_costs_one_frame_only(hole):
    holed = TWO_FRAME[:hole] + TWO_FRAME[hole + 8 :]
    assert news(fed(holed, TWO_FRAME, TWO_FRAME, bytes(8))) == [TWO_CARDS, TWO_CARDS]


@pytest.mark.parametrize("name", [name for name in GOOD if VECTORS[name]["direction"][0] == "r"])
def test_standard_frames_say_the_same(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    short = said(sent[4], sent[5:-2], advanced=False)
    assert fed(short) == fed(*bytewise(short)) == fed(sent)


# --- antennas, statuses, data sets ---------------------------------------------------------------


def test_a_tag_seen_by_several_antennas_is_told_of_each():
    sent = inventory(listed(AS, 2, 5), listed(KD, 8))
    assert fed(sent) == [Inventory(((2, AS), (5, AS), (8, KD)))]


def test_an_antenna_that_did_not_read_the_tag_is_not_told():
    unread = listed(AS, 2, 5)[:-6] + b"\x01" + listed(AS, 5)[-5:]
    assert fed(inventory(unread)) == [Inventory(((2, AS),))]


def test_what_cannot_be_placed_is_passed_over():
    no_antenna = b"\x01\x03\x00\x08" + bytes.fromhex(KD)
    no_tag = b"\x10\x04\x00\xff\x00\x00\x00\x00"
    assert fed(inventory(no_antenna, no_tag, listed(AS, 4))) == [Inventory(((4, AS),))]


@pytest.mark.parametrize(
    ("data_set", "uid"),
    [
        ("040001" + bytes.fromhex("040e3bd2286b85")[::-1].hex(), "040e3bd2286b85"),
        ("04000000000004030201", "01020304"),
        ("04040099887766554433221104", "04112233445566778899"),
        ("05710000000053511071", "0000000053511071"),
        ("0300" + bytes.fromhex(AS)[::-1].hex(), AS),
        ("8400040a0b0c0d", "0a0b0c0d"),
    ],
)
def test_each_kind_of_tag_is_told_by_its_uid(data_set, uid):
    assert fed(inventory(bytes.fromhex(data_set))) == [Inventory(((1, uid),))]


def test_no_transponder_is_an_empty_inventory():
    assert fed(said(0xB0, b"\x01")) == [Inventory(())]
    assert fed(said(0xB0, b"\x00\x00")) == [Inventory(())]


def test_no_transponder_behind_more_data_ends_the_poll():
    first = bytes.fromhex(VECTORS["feig-016"]["hex"])
    assert fed(first, said(0xB0, b"\x01")) == [
        MORE,
        Inventory(((1, AS), (1, KD), (1, TWO))),
    ]


@pytest.mark.parametrize("status", [status for status in STATUSES if status != 0x84])
def test_other_statuses_are_faults_and_end_the_poll_untold(status):
    first = bytes.fromhex(VECTORS["feig-016"]["hex"])
    severity, text = STATUSES[status]
    assert fed(first, said(0xB0, bytes((status, 0))), TWO_FRAME) == [
        MORE,
        DeviceFault(status, severity, text),
        TWO_CARDS,
    ]


def test_a_warning_comes_with_what_was_read():
    assert fed(inventory(listed(AS, 1), status=0x84)) == [
        DeviceFault(0x84, "warning", STATUSES[0x84][1]),
        Inventory(((1, AS),)),
    ]


def test_an_unknown_status_is_an_error():
    assert fed(said(0x65, b"\x7f")) == [DeviceFault(0x7F, "error", "unknown status")]


def test_the_radio_reset_forgets_a_poll_that_was_broken_off():
    first = bytes.fromhex(VECTORS["feig-016"]["hex"])
    assert fed(first, said(0x69, b"\x00"), inventory(listed(KD, 2))) == [
        MORE,
        Answered(0x69),
        Inventory(((2, KD),)),
    ]


@pytest.mark.parametrize(
    "body",
    ["", "02", "0103", "010300e00401000a1b2c", "0111030008e00401000a1b2c3d01", "0177", "0007"],
)
def test_data_sets_that_do_not_add_up_are_no_inventory(body):
    rest = bytes.fromhex(body)
    assert fed(said(0xB0, b"\x94" + rest)) == [Garbled("broken data sets", rest)]
    assert fed(said(0xB0, b"\x00" + rest)) == [Answered(0xB0, rest)]


@pytest.mark.parametrize("body", ["", "11", "11000100", "110001000e03", "1100010000", "1100000000"])
def test_buffer_records_that_do_not_add_up_are_garbled(body):
    rest = bytes.fromhex(body)
    assert fed(said(0x22, b"\x00" + rest)) == [Garbled("broken buffer records", rest)]


def test_buffer_records_of_every_layout_are_walked():
    uid = bytes.fromhex(AS)
    everything = (
        b"\xfb\x01\x00\x01" + (2 + 11 + 6 + 4 + 5 + 1).to_bytes(2, "big")
        + b"\x03\x00\x08" + uid[::-1] + b"\x01\x04abcd" + b"\x00\x00\x00\x07" + bytes(5) + b"\x06"
    )  # fmt: skip
    assert buffer_records(everything) == [BufferRecord(AS, 6, 7)]
    assert buffer_records(b"\x10\x00\x01\x00\x03\x05") == []
    assert buffer_records(b"\x01\x00\x01\x00\x0d\x03\x00\x08" + uid) == [BufferRecord(AS, 1)]


def test_a_reader_that_never_ends_its_list_is_cut_off():
    decoder = Feig()
    told = []
    for round_ in range(TAGS_MAX // 100 + 1):
        sets = [listed(f"e004{round_ * 100 + n:012x}", 1) for n in range(100)]
        told += decoder.feed(inventory(*sets, status=0x94))
    assert told[-1] == Garbled("too many tags")
    assert decoder.feed(TWO_FRAME) == [TWO_CARDS]


def test_antenna_bits_go_out_as_the_manual_draws_them():
    plain, antennas = asks((1,)), asks((1, 2, 3, 4, 5))
    sent = [row[step].send for row in (plain, antennas) for step in row]
    assert plain.keys() == antennas.keys()
    assert bytes.fromhex(VECTORS["feig-001"]["hex"]) in sent
    assert bytes.fromhex(VECTORS["feig-011"]["hex"]) in sent
    assert ask(0xB0, b"\x01\x20\x1f") in sent
    assert ask(0xB0, b"\x01\xa0\x1f") in sent
    assert bytes.fromhex(VECTORS["feig-018"]["hex"]) in sent


def test_an_advanced_head_that_is_cut_is_waited_for_though_its_length_looks_like_one():
    long = frame(Framed(0x22, 0x72, bytes(1300)))
    assert long[1:4] == b"\x05\x1b\x22"  # what a standard frame of five bytes begins with
    assert fed(*bytewise(long)) == fed(long) == [Answered(0x72, bytes(1299))]


# --- any bytes -----------------------------------------------------------------------------------

PIECES = st.one_of(
    st.binary(max_size=12),
    st.sampled_from([TWO_FRAME[:9], TWO_FRAME[5:], TWO_FRAME[:-1], *DIRT]),
    st.lists(st.sampled_from([0x02, 0x00, 0x09, 0xFF, 0xB0, 0x22]), max_size=12).map(bytes),
)


@given(st.lists(PIECES, max_size=12))
def test_no_bytes_break_the_decoder(chunks):
    decoder = Feig()
    for chunk in chunks:
        decoder.feed(chunk)
        assert len(decoder._framer._pending) <= FRAME_BYTES_MAX


@given(st.lists(st.one_of(PIECES, st.just(TWO_FRAME)), max_size=8))
def test_no_cut_changes_what_is_said(chunks):
    line = b"".join(chunks) + bytes(FRAME_BYTES_MAX)
    whole, cut = news(fed(line)), news(fed(*bytewise(line[:200]), line[200:]))
    assume(set(whole) <= {TWO_CARDS})  # else chance made a sum right: once in 65,536
    assert whole == cut


@given(st.lists(PIECES, max_size=12))
def test_whatever_came_before_a_good_frame_is_read(chunks):
    heard = news(fed(b"".join(chunks), inventory(listed(TWO, 7)), bytes(FRAME_BYTES_MAX)))
    wanted = Inventory(((7, TWO),))
    assume(set(heard) <= {TWO_CARDS, wanted})  # else chance made a sum right: once in 65,536
    assert heard[-1:] == [wanted]


def test_a_megabyte_of_junk_is_forgotten():
    junk = (TWO_FRAME[:-1] + bytes(range(256)) + b"\x02\x0f\xf0\x00\xb0" + TWO_FRAME[5:]) * 3500
    assert len(junk) > 1 << 20
    decoder = Feig()
    tracemalloc.start()
    try:
        for at in range(0, len(junk), 4096):
            decoder.feed(junk[at : at + 4096])
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 64 << 10
    assert decoder.feed(bytes(FRAME_BYTES_MAX) + TWO_FRAME)[-1] == TWO_CARDS


def test_where_a_head_is_cut_short_is_looked_for_in_the_last_bytes_only(monkeypatch) -> None:
    """Looked for in all that is pending, a large piece would take a time that grows with it."""
    looked = 0
    search = feig_frames._BEGUN.search

    class Counting:
        def search(self, pending, at=0):
            nonlocal looked
            looked = max(looked, len(pending) - at)
            return search(pending, at)

    monkeypatch.setattr(feig_frames, "_BEGUN", Counting())
    Feig().feed(Random(1).randbytes(1 << 14))
    assert 0 < looked < 8
