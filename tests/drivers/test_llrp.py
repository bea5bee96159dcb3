"""LLRP: its vectors in every cut, tags of every size, what readers tell, and where no way leads on.

Messages have no check and no beginning of their own: dirt is not survived but told, once.
"""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.catalog import DRIVERS
from drivers.llrp import (
    ASKED_DRIVER,
    ATTEMPTS,
    DRIVER,
    KEPT,
    UPON_GET_REPORT,
    Llrp,
    asks,
    ro_spec,
)
from drivers.llrp_messages import (
    MESSAGE_BYTES_MAX,
    TV_BYTES,
    Framer,
    Message,
    message,
    parameters,
    tlv,
)
from drivers.readings import Answered, Beat, DeviceFault, EventsLost, Garbled, TagSeen
from tests.drivers.wires import bytewise, heard, news, vectors

VECTORS = vectors("llrp")
GOOD = [name for name, vector in VECTORS.items() if vector["expect"] == "ok"]

LOST = bytes.fromhex("043d0000000900000000")  # a message of 9 bytes

ONE, OTHER = "3005fb63ac1f3841ec880467", "300833b2ddd906c000000000"
LONG = "1fb41f712ac9c37ab79d618173188324001a"
ONE_REPORT = bytes.fromhex(VECTORS["llrp-002"]["hex"])
ONE_SEEN = TagSeen(1, ONE, -50)


def fed(*chunks: bytes) -> list:
    return heard(Llrp(), *chunks)


def said(kind: int, body: bytes = b"") -> bytes:
    return message(Message(kind, body, 7))


def tag(*parts: bytes) -> bytes:
    return said(61, tlv(240, *parts))


def told(kind: int, value: bytes = b"") -> bytes:
    return said(63, tlv(246, tlv(128, bytes(8)), tlv(kind, value)))


EPC_96 = b"\x8d" + bytes.fromhex(ONE)
ANTENNA_2, MINUS_34 = b"\x81\x00\x02", b"\x86\xde"

# --- vectors -------------------------------------------------------------------------------------

ANSWERS = {
    "llrp-001": [Answered(63)],
    "llrp-002": [ONE_SEEN],
    "llrp-003": [TagSeen(1, LONG, -17)],
    "llrp-004": [ONE_SEEN, TagSeen(1, OTHER, -58)],
    "llrp-006": [Beat()],
    "llrp-007": [TagSeen(1, "3000abcdef00000000000003", -48)],
    "llrp-008": [TagSeen(1, "301430a55c0ac40000000000", -68)],
    "llrp-009": [DeviceFault(257, "warning", "the reader hangs up")],
    "llrp-010": [Answered(4)],
    "llrp-012": [Answered(72)],
    "llrp-013": [Answered(24, b"\x00\x00\x00\x01")],
    "llrp-016": [Answered(14)],
}


def test_every_vector_of_llrp_is_here():
    assert len(VECTORS) == 13
    assert set(ANSWERS) == set(GOOD)
    assert set(VECTORS) - set(GOOD) == {"llrp-005"}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_vector_says_what_it_means_whole_and_in_every_cut(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    assert len(sent) == VECTORS[name]["length"]
    assert fed(sent) == fed(*bytewise(sent)) == ANSWERS[name]
    for cut in range(len(sent)):
        assert fed(sent[:cut], sent[cut:]) == ANSWERS[name]


@pytest.mark.parametrize("name", GOOD)
def test_the_fields_of_a_vector_are_in_its_message_and_its_readings(name):
    fields, answer = VECTORS[name]["fields"], ANSWERS[name]
    (first, *_) = Framer().feed(bytes.fromhex(VECTORS[name]["hex"]))
    assert first.kind == fields.get("type", 61)
    assert first.number == fields.get("id", first.number)
    seen = [(one.uid, one.antenna, one.rssi_dbm) for one in answer if isinstance(one, TagSeen)]
    if "tags" in fields:
        wanted = fields["tags"]
        assert seen == [(one["epc"], one["antenna"], one["peak_rssi"]) for one in wanted]
        assert [4 * len(uid) for uid, *_ in seen] == [one.get("epc_bits", 96) for one in wanted]
    if "epcs" in fields:
        assert [uid for uid, *_ in seen] == fields["epcs"]
        assert len(answer) == fields["messages"]
    if "rospec_id" in fields:
        assert int.from_bytes(answer[0].body, "big") == fields["rospec_id"]


def test_a_report_that_is_cut_is_waited_for():
    cut = bytes.fromhex(VECTORS["llrp-005"]["hex"])
    more = VECTORS["llrp-005"]["fields"]["need_more"]
    assert fed(cut) == fed(*bytewise(cut)) == []
    assert fed(cut, ONE_REPORT[-more + 1 :]) == []
    assert fed(cut, ONE_REPORT[-more:]) == [ONE_SEEN]


@pytest.mark.parametrize("name", GOOD)
def test_joined_messages_are_all_read(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    line = ONE_REPORT + sent + sent + ONE_REPORT
    wanted = [ONE_SEEN, *ANSWERS[name] * 2, ONE_SEEN]
    assert fed(line) == fed(*bytewise(line)) == wanted


# --- tags ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 4, 8, 12, 16, 25, 62])
def test_an_epc_of_any_size_is_a_tag(size):
    epc = bytes(range(1, size + 1))
    listed = tlv(241, (8 * size).to_bytes(2, "big"), epc)
    assert fed(tag(listed, ANTENNA_2, MINUS_34)) == [TagSeen(2, epc.hex(), -34)]


def test_an_epc_of_odd_bits_fills_its_last_byte():
    assert fed(tag(tlv(241, b"\x00\x0c", b"\xab\xc0"))) == [TagSeen(1, "abc0")]


def test_parameters_come_in_any_order_and_number():
    every = [bytes((0x80 | kind,)) + bytes(size) for kind, size in TV_BYTES.items() if kind > 6]
    every = [part for part in every if part[0] != 0x8D]
    vendor = tlv(1023, bytes.fromhex("0000651a00000038"), b"\x01\x02")
    assert fed(tag(*every, MINUS_34, vendor, EPC_96, ANTENNA_2)) == [TagSeen(2, ONE, -34)]


@pytest.mark.parametrize(("byte", "dbm"), [(0, 0), (0x7F, 127), (0x80, -128), (0xCE, -50)])
def test_loudness_is_a_signed_byte(byte, dbm):
    assert fed(tag(EPC_96, bytes((0x86, byte)))) == [TagSeen(1, ONE, dbm)]


def test_without_antenna_and_loudness_it_is_of_antenna_1():
    assert fed(tag(EPC_96)) == [TagSeen(1, ONE)]


def test_a_report_of_many_tags_tells_each():
    listed = [tlv(240, b"\x8d" + bytes((n,)) * 12, ANTENNA_2, MINUS_34) for n in range(200)]
    sent = said(61, tlv(242, b"\x00") + b"".join(listed) + tlv(1023, bytes(8)))
    assert fed(sent) == [TagSeen(2, bytes((n,)).hex() * 12, -34) for n in range(200)]


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (ANTENNA_2,),
        (EPC_96[:-1],),
        (EPC_96, b"\x81\x00"),
        (EPC_96, b"\x81\x00\x00"),
        (EPC_96, b"\x9f\x00"),
        (EPC_96, b"\x00\xf1\x00\x03"),
        (EPC_96, b"\x00\xf1\x00\xff\x00"),
        (tlv(241),),
        (tlv(241, b"\x00\x00"),),
        (tlv(241, b"\x00\x08"),),
        (tlv(241, b"\x00\x09\xab"),),
        (tlv(241, b"\x00\x60", bytes(13)),),
    ],
)
def test_a_broken_tag_report_is_told_and_costs_no_other_tag(parts):
    whole = tlv(240, EPC_96, ANTENNA_2, MINUS_34)
    readings = fed(said(61, whole + tlv(240, *parts) + whole))
    assert news(readings) == [TagSeen(2, ONE, -34)] * 2
    assert readings[1] == Garbled("broken tag report", b"".join(parts))


@pytest.mark.parametrize(
    "rest", [b"\x00", b"\x00\xf0\x00", b"\x00\xf0\x00\x03", b"\x00\xf0\x7f\xff"]
)
def test_what_does_not_add_up_within_a_message_costs_only_what_is_behind_it_there(rest):
    body = tlv(240, EPC_96) + rest
    assert fed(said(61, body), ONE_REPORT) == [
        TagSeen(1, ONE),
        Garbled("broken parameters", body),
        ONE_SEEN,
    ]


# --- what else readers say -----------------------------------------------------------------------


def test_a_keepalive_is_a_beat():
    assert fed(bytes.fromhex("043e0000000a00000007")) == [KEPT]


@pytest.mark.parametrize("status", ATTEMPTS)
def test_a_connection_that_is_refused_is_a_fault_with_the_reason(status):
    code = status.to_bytes(2, "big")
    fault = DeviceFault(status, "warning", ATTEMPTS[status])
    # that somebody else was refused changes nothing for us
    answer = [] if status == 4 else [Answered(63, code)]
    assert fed(told(256, code)) == [fault, *answer]


@pytest.mark.parametrize("kind", [4, 13, 30, 31, 32, 34, 100])
@pytest.mark.parametrize(
    ("code", "text"),
    [(101, "message refused"), (209, "parameter refused"), (301, "value refused")],
)
def test_a_refusal_is_a_fault_and_an_answer_and_repeats_no_word_of_the_readers(kind, code, text):
    status = code.to_bytes(2, "big")
    words = ONE.encode()
    sent = said(kind, tlv(287, status, len(words).to_bytes(2, "big"), words, tlv(288, bytes(4))))
    assert fed(sent) == [DeviceFault(code, "error", text), Answered(kind, status)]


@pytest.mark.parametrize("body", [b"", b"\x01\x1f\x00\x05\x00", tlv(286, bytes(4)), b"\x01\x1f"])
def test_an_answer_without_a_status_is_garbled(body):
    assert fed(said(30, body), ONE_REPORT) == [Garbled("broken parameters", body), ONE_SEEN]


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [
        (250, b"\x5a", [DeviceFault(250, "warning", "report buffer fills")]),
        (251, b"", [DeviceFault(251, "error", "report buffer overflow"), EventsLost(0, 0)]),
        (252, b"\x00\x02ab", [DeviceFault(252, "error", "exception of the reader")]),
        (255, b"\x00\x00\x03", [DeviceFault(255, "warning", "antenna 3 is not connected")]),
        (255, b"\x01\x00\x03", [DeviceFault(255, "info", "antenna 3 is connected")]),
        (247, b"\x00\x01\x00\x02", [Beat()]),
        (249, bytes(9), [Beat()]),
        (255, b"", [Garbled("broken parameters", tlv(246, tlv(128, bytes(8)), tlv(255)))]),
    ],
)
def test_what_the_reader_tells_of_itself(kind, value, wanted):
    assert fed(told(kind, value)) == wanted


def test_other_messages_are_answers_by_their_type():
    assert fed(said(1023, b"\x00\x00\x65\x1a\x16")) == [Answered(1023, b"\x00\x00\x65\x1a\x16")]
    assert fed(said(61)) == [Beat()]


# --- what is asked -------------------------------------------------------------------------------


def test_the_messages_to_the_reader_are_these_to_the_byte():
    sent = {row.kind: row.body.hex() for row in asks((1, 4)).values()}
    assert sent == {
        3: "00" + "00dc0009" + "01000007d0",
        21: "00000000",
        20: "00b10043" + "00000001" + "00" + "00"
        + "00b20012" + "00b3000500" + "00b600090000000000"
        + "00b7001a" + "0002" + "0001" + "0004" + "00b800090000000000" + "00ba0007" + "0001" + "01"
        + "00ed000d" + "02" + "0001" + "00ee0006" + "1400",
        24: "00000001",
        22: "00000001",
    }  # fmt: skip
    enable = bytes.fromhex(VECTORS["llrp-013"]["hex"])
    assert message(Message(24, bytes.fromhex(sent[24]), 3)) == enable


def test_a_reader_that_gathers_is_given_no_trigger():
    spec, gathers = ro_spec((1,)), ro_spec((1,), UPON_GET_REPORT)
    assert spec.replace(bytes.fromhex("00ed000d020001"), bytes.fromhex("00ed000d000000")) == gathers


@pytest.mark.parametrize(("antennas", "listed"), [((), "00010000"), ((3, 1, 3), "000200010003")])
def test_no_antennas_are_all_of_them(antennas, listed):
    (spec,) = parameters(ro_spec(antennas))
    reading = [each.value for each in parameters(spec.value[6:]) if each.kind == 183]
    assert [value.hex()[: len(listed)] for value in reading] == [listed]


def test_the_row_is_in_the_catalogue_and_what_is_told_is_no_poll():
    assert DRIVERS.count(DRIVER) == DRIVERS.count(ASKED_DRIVER) == 1
    assert (DRIVER.tags, DRIVER.polled, DRIVER.held_ms, DRIVER.presence[0]) == (
        ("uhf",), False, 1000, 2,
    )  # fmt: skip


# --- any bytes -----------------------------------------------------------------------------------

TLVS = st.recursive(
    st.binary(max_size=16),
    lambda inner: st.builds(
        lambda kind, parts: tlv(kind, *parts),
        st.sampled_from([128, 240, 241, 246, 255, 256, 287, 1023]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=8,
)
MESSAGES = st.builds(said, st.sampled_from([4, 13, 30, 61, 61, 62, 63, 100, 1023]), TLVS)
PIECES = st.one_of(st.binary(max_size=16), MESSAGES, st.just(ONE_REPORT))


@given(st.lists(PIECES, max_size=10))
def test_no_bytes_break_the_decoder(chunks):
    decoder = Llrp()
    for chunk in chunks:
        decoder.feed(chunk)
        assert len(decoder._framer._pending) <= MESSAGE_BYTES_MAX


@given(st.lists(PIECES, max_size=8), st.data())
def test_no_cut_changes_what_is_said(chunks, cuts):
    line = b"".join(chunks)
    at = cuts.draw(st.lists(st.integers(0, len(line)), max_size=6).map(sorted))
    pieces = [line[a:b] for a, b in zip([0, *at], [*at, len(line)], strict=True)]
    whole = fed(line)
    for cut in (fed(*pieces), fed(*bytewise(line))):
        assert news(cut) == news(whole)
        assert [r.reason for r in cut if isinstance(r, Garbled)] == [
            r.reason for r in whole if isinstance(r, Garbled)
        ]


@given(st.lists(MESSAGES, max_size=8))
def test_whatever_whole_messages_came_before_a_good_one_is_read(messages):
    assert fed(b"".join(messages), ONE_REPORT)[-1] == ONE_SEEN


def test_megabytes_are_forgotten():
    report = said(61, b"".join(tlv(240, b"\x8d" + bytes((n,)) * 12) for n in range(256)))
    decoder = Llrp()
    tracemalloc.start()
    try:
        for _ in range(150):
            decoder.feed(report)
        decoder.feed(LOST)
        for _ in range(256):
            decoder.feed(bytes(4096))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 64 << 10
