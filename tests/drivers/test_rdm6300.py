"""Dealers' badges: captures in every cut and any dirt, and ghosts, which never become a badge."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.table.interpreter import Interpreter
from daemon.table.layout import Layout, Presence, Sensor
from daemon.table.reports import Reports
from drivers.catalog import DRIVERS
from drivers.rdm6300 import DRIVER, HELD_MS, Rdm6300, frame
from drivers.readings import Garbled, TagSeen
from drivers.simulated.rdm6300 import REPEAT_MS, SimulatedRdm6300
from tests.drivers.wires import bytewise, heard, news, vectors

VECTORS = vectors("rdm6300")
GOOD = [name for name, vector in VECTORS.items() if vector["expect"] == "ok"]
GHOSTS = [name for name, vector in VECTORS.items() if vector["expect"] == "ok-but-ghost"]
NOTHING = "rdm6300-007"

BADGE = "000414cd7e"
BADGE_FRAME = bytes.fromhex(VECTORS["rdm6300-001"]["hex"])
SEEN = TagSeen(1, BADGE)
DIRT = [b"\x00", b"\x02", b"\x03", b"\x02\x03", b"\x02000414CD7EA", BADGE_FRAME[:-1], b"\r\n\x03"]


def fed(*chunks: bytes) -> list:
    return heard(Rdm6300(), *chunks)


def uid_of(vector: dict) -> str:
    return vector["fields"]["version"] + vector["fields"]["id"]


# --- vectors -------------------------------------------------------------------------------------


def test_every_vector_of_the_badge_reader_is_here():
    assert (len(VECTORS), len(GOOD), len(GHOSTS)) == (12, 4, 8)


@pytest.mark.parametrize("name", GOOD)
def test_a_vector_says_all_ten_digits_in_every_cut(name):
    sent, said = bytes.fromhex(VECTORS[name]["hex"]), [TagSeen(1, uid_of(VECTORS[name]))]
    for chunks in ([sent], bytewise(sent), *([sent[:at], sent[at:]] for at in range(len(sent)))):
        assert fed(*chunks) == said


@pytest.mark.parametrize("name", [*GOOD, *GHOSTS])
def test_a_vector_is_what_is_sent_for_its_digits(name):
    vector = VECTORS[name]
    spaced = vector["fields"].get("crlf", False)
    assert frame(uid_of(vector), spaced=spaced).hex() == vector["hex"]


@pytest.mark.parametrize("dirt", DIRT)
@pytest.mark.parametrize("name", GOOD)
def test_dirt_before_between_and_after_costs_no_badge_and_no_time(name, dirt):
    sent, said = bytes.fromhex(VECTORS[name]["hex"]), TagSeen(1, uid_of(VECTORS[name]))
    for chunks in ([dirt + sent + dirt + sent], bytewise(dirt + sent + dirt + sent)):
        assert news(fed(*chunks)) == [said, said]
    assert news(fed(sent, dirt, sent)) == [said, said]


@pytest.mark.parametrize("name", GOOD)
def test_a_frame_that_lost_any_byte_is_no_badge_and_the_next_is_read(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    for hole in range(len(sent)):
        assert news(fed(sent[:hole] + sent[hole + 1 :] + BADGE_FRAME)) == [SEEN]


@pytest.mark.parametrize("at", range(1, 13))
def test_a_wrong_digit_is_no_badge(at):
    wrong = bytearray(BADGE_FRAME)
    wrong[at] ^= 1
    assert fed(bytes(wrong)) == [Garbled("bad sum", bytes(wrong))]


def test_the_version_is_part_of_the_number_and_of_its_check():
    assert fed(frame("01c8f00800")) == [TagSeen(1, "01c8f00800")]


@pytest.mark.parametrize("uid", ["0000000000", "4f00000000"])
def test_a_number_of_zeros_alone_is_refused(uid):
    assert fed(frame(uid)) == [Garbled("no number", frame(uid))]


# --- ghosts --------------------------------------------------------------------------------------


def badge_reader() -> Sensor:
    """The driver's row as a table's sensor, on an antenna that would read cards."""
    rule = Presence(*DRIVER.presence)
    return Sensor("badge", DRIVER.name, {1: "board"}, (), rule, {}, DRIVER.polled, DRIVER.held_ms)


def layout(*enrolled: str) -> Layout:
    tags = dict.fromkeys(enrolled, "As")
    return Layout(table="t", site="s", seat_count=9, sensors=(badge_reader(),), tags=tags)


@pytest.mark.parametrize("name", GHOSTS)
def test_a_ghost_is_told_at_most_once(name):
    said = news(fed(bytes.fromhex(VECTORS[name]["hex"])))
    assert said == ([] if name == NOTHING else [TagSeen(1, uid_of(VECTORS[name]))])


def test_no_ghost_becomes_a_badge_however_close_they_come():
    reports = Reports(layout())
    sent = b"".join(bytes.fromhex(VECTORS[name]["hex"]) for name in GHOSTS)
    told = [reports.take("badge", one, at_ms) for at_ms, one in enumerate(news(fed(sent)))]
    assert len(told) == len(GHOSTS) - 1
    assert {tags for polls in told for _, tags in polls} == {()}


def test_a_ghost_that_comes_twice_too_far_apart_is_none():
    reports = Reports(layout())
    ghost = TagSeen(1, uid_of(VECTORS["rdm6300-012"]))
    for at_ms in (0, HELD_MS + 1, 2 * HELD_MS + 2):
        while (due_ms := reports.due_ms) is not None and due_ms < at_ms:
            assert reports.expire(due_ms) == [("badge", ())]
        assert reports.take("badge", ghost, at_ms) == [("badge", ())]


def test_a_ghost_that_comes_twice_at_once_is_not_enrolled_and_so_no_event():
    interpreter = Interpreter(layout(BADGE))
    for name in GHOSTS:
        for reading in news(fed(bytes.fromhex(VECTORS[name]["hex"]) * 2)):
            assert interpreter.take("badge", reading, 1000) == []
    assert interpreter.advance(1000 + 60_000) == []
    assert interpreter.figures.totals()["unknown-tag"] > 0


def test_a_badge_is_there_with_its_second_report_and_gone_after_the_last():
    reader, decoder, reports = SimulatedRdm6300(), Rdm6300(), Reports(layout(BADGE))
    reader.lay(BADGE)
    polls = []
    for at_ms in (0, REPEAT_MS, 2 * REPEAT_MS):
        assert reader.next_ms <= at_ms
        for reading in decoder.feed(reader.wake(at_ms)):
            polls += reports.take("badge", reading, at_ms)
    assert polls == [("badge", ()), ("badge", ((1, BADGE),)), ("badge", ((1, BADGE),))]
    reader.lift(BADGE)
    assert reader.next_ms is None
    assert reports.due_ms == 2 * REPEAT_MS + HELD_MS
    assert reports.expire(2 * REPEAT_MS + HELD_MS) == [("badge", ())]


# --- the device ----------------------------------------------------------------------------------


@pytest.mark.parametrize("spaced", [False, True])
@pytest.mark.parametrize("fault", ["frames_lost", "frames_corrupt", "ends_lost"])
def test_a_frame_lost_on_the_way_costs_itself_only(fault, spaced):
    reader, decoder = SimulatedRdm6300(spaced=spaced), Rdm6300()
    reader.faults.junk = b"\x02\x03\xff"
    setattr(reader.faults, fault, 1)
    reader.lay(BADGE)
    told = [news(decoder.feed(reader.wake(at * REPEAT_MS))) for at in range(3)]
    assert told == [[], [SEEN], [SEEN]]


def test_a_simulated_ghost_is_told_once():
    reader, decoder = SimulatedRdm6300(), Rdm6300()
    reader.ghost("4ffb388fff")
    assert (reader.next_ms, reader.hear(b"?", 0)) == (0, b"")
    assert decoder.feed(reader.wake(0) + reader.wake(5000)) == [TagSeen(1, "4ffb388fff")]


def test_the_row_asks_for_two_reports_within_its_time():
    assert DRIVERS.count(DRIVER) == 1
    assert (DRIVER.presence[0], DRIVER.held_ms, DRIVER.polled) == (2, HELD_MS, False)
    assert HELD_MS > 2 * REPEAT_MS


# --- any bytes -----------------------------------------------------------------------------------

UIDS = st.binary(min_size=5, max_size=5).filter(lambda uid: any(uid[1:])).map(bytes.hex)
PIECES = st.one_of(
    st.binary(max_size=30),
    st.builds(frame, UIDS, spaced=st.booleans()),
    st.sampled_from(DIRT),
    st.lists(st.sampled_from(b"\x02\x03\r\n0F"), max_size=30).map(bytes),
)


@given(st.lists(PIECES, max_size=12))
def test_no_bytes_break_the_decoder_and_no_cut_changes_what_it_says(chunks):
    decoder = Rdm6300()
    said = heard(decoder, *chunks)
    assert len(decoder._packets._pending) < 16
    assert news(said) == news(fed(b"".join(chunks))) == news(fed(*bytewise(b"".join(chunks))))


@given(st.lists(PIECES, max_size=12), UIDS, st.booleans())
def test_whatever_came_before_a_good_frame_is_read_at_once(chunks, uid, spaced):
    decoder = Rdm6300()
    heard(decoder, *chunks)
    assert decoder.feed(frame(uid, spaced=spaced))[-1] == TagSeen(1, uid)


def test_a_megabyte_of_junk_is_forgotten():
    decoder = Rdm6300()
    tracemalloc.start()
    try:
        for _ in range(256):
            decoder.feed((BADGE_FRAME[:-1] + b"\x02\r\n") * 256)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 64 << 10
    assert decoder.feed(BADGE_FRAME)[-1] == SEEN
