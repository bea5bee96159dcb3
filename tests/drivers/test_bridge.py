"""A bridge's packets: its vectors in every cut and any dirt, removals, heartbeats, other bytes."""

from __future__ import annotations

import tracemalloc
from functools import reduce
from operator import xor

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from daemon.table.events import CardMoved
from daemon.table.interpreter import Interpreter
from daemon.table.layout import Layout, Presence, Sensor
from drivers.bridge import BEATING, BRIDGE, DRIVER, READERS_MAX, TAGS_MAX, Bridge, packet
from drivers.catalog import DRIVERS
from drivers.readings import Beat, Garbled, TagGone, TagSeen
from drivers.simulated.bridge import BEAT_MS, BOOT_TEXT, SimulatedBridge
from tests.drivers.wires import bytewise, heard, news, vectors

VECTORS = vectors("mcu-bridge")
GOOD = [name for name, vector in VECTORS.items() if vector["expect"] == "ok"]

AS, KD, TWO_C = "040e3bd2286b85", "040f43d2286b85", "083f6c4a"
KD_PACKET = bytes.fromhex(VECTORS["mcu-bridge-002"]["hex"])
KD_SEEN = TagSeen(3, KD)
DIRT = [
    b"\xaa",
    b"\xaa\x00",
    b"\xaa\x00\x07",
    b"\xaa\xaa\xaa",
    b"\xaa\x00\x07\x04\x0e\x3b",
    b"\xaa\xff",
    b"\xaa\xff\x07\x01",
    b"\xaa\x20\x04",
    b"\xaa\x00\x05\x01\x02\x03",
    BOOT_TEXT,
]


def fed(*chunks: bytes) -> list:
    return heard(Bridge(), *chunks)


def seen(vector: dict) -> TagSeen:
    return TagSeen(vector["fields"]["reader"] + 1, vector["fields"]["uid"])


# --- vectors -------------------------------------------------------------------------------------


def test_every_vector_of_the_bridge_is_here():
    assert (len(VECTORS), len(GOOD)) == (6, 5)


@pytest.mark.parametrize("name", GOOD)
def test_a_vector_says_its_fields_in_every_cut(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    for chunks in ([sent], bytewise(sent), *([sent[:at], sent[at:]] for at in range(len(sent)))):
        assert news(fed(*chunks)) == [seen(VECTORS[name])]


@pytest.mark.parametrize("name", GOOD)
def test_a_vector_is_what_is_sent_for_its_fields(name):
    fields = VECTORS[name]["fields"]
    sent = packet(fields["reader"], bytes.fromhex(fields["uid"]))
    assert bytes.fromhex(VECTORS[name]["hex"]).endswith(sent)


@pytest.mark.parametrize("cut", [None, 1])
def test_a_packet_with_a_wrong_check_is_none_and_the_next_is_read(cut):
    sent = bytes.fromhex(VECTORS["mcu-bridge-006"]["hex"]) + KD_PACKET
    readings = fed(*([sent] if cut is None else bytewise(sent)))
    assert news(readings) == [KD_SEEN]
    assert readings[0].reason == "bad sum"


def test_the_text_of_a_starting_board_is_told_and_skipped():
    assert fed(BOOT_TEXT, KD_PACKET) == [Garbled("stray bytes", BOOT_TEXT), KD_SEEN]


@pytest.mark.parametrize("dirt", DIRT)
@pytest.mark.parametrize("name", GOOD)
def test_dirt_before_between_and_after_costs_no_packet_and_no_time(name, dirt):
    sent, said = bytes.fromhex(VECTORS[name]["hex"]), seen(VECTORS[name])
    for chunks in ([dirt + sent + dirt + sent], bytewise(dirt + sent + dirt + sent)):
        assert news(fed(*chunks)) == [said, said]
    assert news(fed(sent, dirt, sent)) == [said, said]


def test_every_cut_of_a_packet_heals_with_the_next_ones_last_byte():
    for cut in range(len(KD_PACKET)):
        assert news(fed(KD_PACKET[:cut] + KD_PACKET)) == [KD_SEEN]


# --- what a packet may be ------------------------------------------------------------------------


@pytest.mark.parametrize("uid", ["04aaaaaaaaaaaa", "aaaa00aa", "aa0007040e3bd228", "aa" * 10])
def test_the_start_byte_may_occur_in_a_uid(uid):
    sent = packet(0xA, bytes.fromhex(uid))
    assert news(fed(*bytewise(sent + sent))) == [TagSeen(11, uid)] * 2


@pytest.mark.parametrize("uid_bytes", range(1, 13))
def test_only_uids_of_four_seven_eight_and_ten_bytes_are_tags(uid_bytes):
    readings = fed(packet(0, bytes(range(uid_bytes))), KD_PACKET)
    assert len(news(readings)) == 1 + (uid_bytes in (4, 7, 8, 10))


def test_an_iso15693_uid_said_last_byte_first_is_turned_round():
    for uid in ("e00401000a1b2c3d", "3d2c1b0a000104e0"):
        assert fed(packet(0, bytes.fromhex(uid))) == [TagSeen(1, "e00401000a1b2c3d")]


@pytest.mark.parametrize("reader", [0, READERS_MAX - 1, READERS_MAX, 0xAA, 0xFE, BRIDGE])
def test_only_readers_that_there_can_be_are_believed(reader):
    readings = fed(packet(reader, bytes.fromhex(AS)))
    if reader < READERS_MAX:
        assert readings == [TagSeen(reader + 1, AS)]
    else:
        assert news(readings) == []


# --- the extension -------------------------------------------------------------------------------


def test_a_removal_is_of_every_tag_that_its_reader_told_since_it_was_empty():
    told = [(0, AS), (0, TWO_C), (1, KD), (0, AS)]
    sent = b"".join(packet(reader, bytes.fromhex(uid)) for reader, uid in told)
    gone = [TagGone(1, TWO_C), TagGone(1, AS)]
    assert fed(sent, packet(0), packet(0), packet(1))[4:] == [*gone, TagGone(2, KD)]


def test_a_removal_of_what_was_never_told_says_nothing():
    assert fed(packet(5)) == []


def test_a_readers_tags_are_remembered_no_longer_than_that():
    flood = b"".join(packet(0, number.to_bytes(4, "big")) for number in range(3 * TAGS_MAX))
    assert len(fed(flood, packet(0))) == 4 * TAGS_MAX


def test_a_heartbeat_is_a_beat():
    assert fed(bytes.fromhex("aaff0055")) == [Beat()]
    assert packet(BRIDGE) == bytes.fromhex("aaff0055")


# --- the device ----------------------------------------------------------------------------------


def told(bridge: SimulatedBridge, for_ms: int = 0) -> list:
    return news(heard(Bridge(), *(bridge.wake(at) for at in range(0, for_ms + 1, 100))))


def test_a_plain_bridge_tells_arrivals_only():
    bridge = SimulatedBridge()
    bridge.lay(AS, 3)
    bridge.lift(AS, 3)
    bridge.lay(KD, 4)
    assert told(bridge, 5000) == [TagSeen(3, AS), TagSeen(4, KD)]
    assert bridge.next_ms is None


def test_one_with_the_extension_beats_and_tells_what_still_lies_there():
    bridge = SimulatedBridge(beats=True)
    bridge.lay(AS, 3)
    bridge.lay(KD, 3)
    bridge.lift(AS, 3)
    gone = [TagGone(3, AS), TagGone(3, KD)]
    assert told(bridge, BEAT_MS) == [TagSeen(3, AS), TagSeen(3, KD), *gone, TagSeen(3, KD), Beat()]


@pytest.mark.parametrize("fault", ["packets_lost", "packets_corrupt", "packets_cut"])
def test_a_packet_lost_on_the_way_costs_itself_only(fault):
    bridge = SimulatedBridge()
    setattr(bridge.faults, fault, 1)
    bridge.lay(AS, 1)
    bridge.lay(KD, 2)
    assert told(bridge) == [TagSeen(2, KD)]


def test_a_bridge_that_hangs_is_silent_and_one_that_restarts_tells_everything_anew():
    bridge = SimulatedBridge(beats=True)
    bridge.faults.junk = b"\xaa\x00"
    bridge.lay(AS, 1)
    bridge.lay(KD, 2)
    assert told(bridge) == [TagSeen(1, AS), TagSeen(2, KD)]
    bridge.lay(TWO_C, 2)
    bridge.hang()
    assert (bridge.next_ms, told(bridge, 5000)) == (None, [])
    bridge.restart()
    assert bridge.next_ms == 0
    assert told(bridge) == [TagSeen(1, AS), TagSeen(2, KD), TagSeen(2, TWO_C)]
    assert bridge.next_ms == BEAT_MS
    assert bridge.hear(b"?", 0) == b""


def test_of_two_cards_one_is_taken_and_nothing_is_said_of_the_other():
    places = {1: "seat:1", 2: "muck"}
    rule, senses = Presence(*BEATING.presence), ("identity", "place", "muck")
    sensor = Sensor("felt", BEATING.name, places, senses, rule, {}, BEATING.polled, BEATING.held_ms)
    table = Layout(table="t", site="s", seat_count=9, sensors=(sensor,), tags={AS: "As", KD: "Kd"})
    interpreter, bridge, decoder = Interpreter(table), SimulatedBridge(beats=True), Bridge()
    verbs = [(bridge.lay, AS, 1), (bridge.lay, KD, 1), (bridge.lift, AS, 1), (bridge.lay, AS, 2)]
    moved = []
    for at_ms, (verb, uid, antenna) in enumerate(verbs):
        verb(uid, antenna)
        for reading in decoder.feed(bridge.wake(at_ms * 2000)):
            moved += interpreter.take("felt", reading, at_ms * 2000)
    moved += interpreter.advance(60_000)
    assert all(isinstance(event, CardMoved) for event in moved)
    assert [(one.card, one.source, one.to) for one in moved] == [
        ("As", "stub", "seat:1"), ("Kd", "stub", "seat:1"), ("As", "seat:1", "muck"),
    ]  # fmt: skip


def test_the_rows_differ_in_whether_silence_tells_anything():
    assert {DRIVER, BEATING} <= set(DRIVERS)
    assert (DRIVER.silent_after_ms, DRIVER.held_ms, DRIVER.presence[0]) == (None, None, 1)
    assert (BEATING.silent_after_ms, BEATING.held_ms, BEATING.presence[0]) == (5000, None, 1)
    assert not DRIVER.polled
    assert not BEATING.polled


# --- any bytes -----------------------------------------------------------------------------------

UIDS = st.one_of(*(st.binary(min_size=size, max_size=size) for size in (4, 7, 8, 10)))
PACKETS = st.builds(packet, st.integers(0, READERS_MAX - 1), UIDS)
PIECES = st.one_of(
    st.binary(max_size=30),
    PACKETS,
    st.sampled_from([packet(0), packet(BRIDGE), KD_PACKET[:6], KD_PACKET[4:], *DIRT]),
    st.lists(st.sampled_from([0xAA, 0x00, 0x04, 0x07, 0xFF, 0x55]), max_size=20).map(bytes),
)


@given(st.lists(PIECES, max_size=12))
def test_no_bytes_break_the_decoder_and_no_cut_changes_what_it_says(chunks):
    decoder = Bridge()
    said = heard(decoder, *chunks)
    assert len(decoder._packets._pending) < 14
    assert news(said) == news(fed(b"".join(chunks))) == news(fed(*bytewise(b"".join(chunks))))


@given(st.lists(PIECES, max_size=12), PACKETS)
def test_whatever_came_before_a_good_packet_is_read_at_once(chunks, good):
    # Else chance made a packet of the dirt and of what follows it: its check has eight bits.
    assume(not any(by_chance(b"".join(chunks), good)))
    decoder = Bridge()
    heard(decoder, *chunks)
    assert fed(good)[0] in news(decoder.feed(good))


def by_chance(dirt, good):
    """Whether a packet that begins in the dirt ends in the good one, for each byte of the dirt."""
    stream = dirt + good
    for at in range(len(dirt)):
        end = at + 4 + stream[at + 2] if at + 2 < len(stream) else 0
        whole = stream[at:end]
        yield len(dirt) < end <= len(stream) and whole[0] == 0xAA and not reduce(xor, whole)


def test_a_megabyte_of_junk_is_forgotten():
    junk = (KD_PACKET[:-1] + b"\xaa\x00\x0a" + bytes(range(256))) * 3900
    assert len(junk) > 1 << 20
    decoder = Bridge()
    tracemalloc.start()
    try:
        for at in range(0, len(junk), 4096):
            decoder.feed(junk[at : at + 4096])
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 64 << 10
    assert decoder.feed(KD_PACKET)[-1] == KD_SEEN
