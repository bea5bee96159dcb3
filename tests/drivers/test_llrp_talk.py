"""The talk with an LLRP reader: set up, refused, late, kept alive, and given up."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.llrp import (
    ANSWER_MS_MAX,
    ANSWER_OF,
    ASKED_DRIVER,
    CLOSE,
    CLOSE_MS,
    DRIVER,
    GET_REPORT,
    GET_REPORT_MS,
    GREETING_MS_MAX,
    KEEPALIVE_ACK,
    KEEPALIVE_MS,
    KEPT,
    LlrpTalker,
    Step,
    asks,
)
from drivers.llrp_messages import BAD_LENGTH, Framer, Message, message
from drivers.readings import Answered, Beat, DeviceFault, Garbled, TagSeen
from drivers.simulated.llrp import ROUND_MS, SimulatedLlrp
from drivers.simulated.virtual import VirtualLine

AS, KD = "3005fb63ac1f3841ec880467", "1fb41f712ac9c37ab79d618173188324001a"
TABLE = (1, 2)  # muck, deck box
SETUP = [3, 21, 20, 24, 22]


def running(reader: SimulatedLlrp, antennas: tuple[int, ...] = TABLE, **line) -> VirtualLine:
    """A line whose reader has been set up and has done no round yet."""
    virtual = VirtualLine(DRIVER, reader, antennas, **line)
    virtual.run(ROUND_MS - 1)
    return virtual


def sent(line: VirtualLine) -> list[int]:
    return [asked.kind for _, said in line.sent for asked in Framer().feed(said)]


def tags(read: list) -> list:
    return [reading for _, reading in read if isinstance(reading, TagSeen)]


def faults(read: list) -> list:
    return [reading for _, reading in read if isinstance(reading, DeviceFault)]


def test_a_reader_that_greets_is_set_up_and_reads_for_ever():
    reader = SimulatedLlrp()
    reader.lay(AS, 1, -40)
    reader.lay(KD, 2, -61)
    line = VirtualLine(DRIVER, reader, TABLE)
    read = line.run(5 * ROUND_MS)
    assert sent(line) == SETUP
    kinds = [reading.command for _, reading in read if isinstance(reading, Answered)]
    assert kinds == [63, 13, 31, 30, 34, 32]
    assert tags(read) == [TagSeen(1, AS, -40), TagSeen(2, KD, -61)] * 5


def test_messages_are_numbered_and_never_twice_alike():
    line = running(SimulatedLlrp())
    line.run(3 * KEEPALIVE_MS)
    numbers = [asked.number for _, said in line.sent for asked in Framer().feed(said)]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("piece_bytes", [1, 7, 13])
def test_a_line_that_cuts_everything_up_changes_nothing(piece_bytes):
    reader = SimulatedLlrp()
    reader.lay(KD, 2)
    assert tags(running(reader, piece_bytes=piece_bytes).run(ROUND_MS)) == [TagSeen(2, KD, -50)]


def test_what_is_lifted_is_told_no_more():
    reader = SimulatedLlrp()
    line = running(reader)
    reader.lay(AS, 1)
    assert tags(line.run(ROUND_MS)) == [TagSeen(1, AS, -50)]
    reader.lift(AS, 1)
    assert tags(line.run(5 * ROUND_MS)) == []


def test_only_the_antennas_asked_for_are_read():
    reader = SimulatedLlrp()
    for antenna in (1, 2, 3, 4):
        reader.lay(AS, antenna)
    assert {seen.antenna for seen in tags(running(reader, (2, 4)).run(ROUND_MS))} == {2, 4}
    every = SimulatedLlrp()
    every.lay(AS, 3)
    assert tags(running(every, ()).run(ROUND_MS)) == [TagSeen(3, AS, -50)]


def test_keepalives_come_and_are_answered():
    reader = SimulatedLlrp()
    line = running(reader)
    beats = [at for at, reading in line.run(5 * KEEPALIVE_MS) if reading == KEPT]
    assert {later - at for at, later in pairwise(beats)} == {KEEPALIVE_MS}
    assert reader.acks == len(beats) == 5
    assert sent(line)[len(SETUP) :] == [KEEPALIVE_ACK] * 5


def test_a_healthy_reader_over_an_empty_table_is_never_silent():
    line = running(SimulatedLlrp())
    told = [at for at, _ in line.run(10 * KEEPALIVE_MS)]
    assert max(later - at for at, later in pairwise(told)) < DRIVER.silent_after_ms / 2


def test_a_reader_that_does_not_greet_is_asked_all_the_same():
    talker = LlrpTalker(TABLE)
    assert talker.start(0) == b""
    assert talker.next_ms == GREETING_MS_MAX
    assert talker.wake(GREETING_MS_MAX - 1) == b""
    assert Framer().feed(talker.wake(GREETING_MS_MAX))[0].kind == 3


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_an_answer_that_does_not_come_begins_the_set_up_anew(lost):
    reader = SimulatedLlrp()
    reader.lay(AS)
    reader.faults.answers_lost = lost
    line = VirtualLine(DRIVER, reader, TABLE)
    read = line.run((lost + 1) * ANSWER_MS_MAX)
    assert tags(read)
    asked = [kind for kind in sent(line) if kind != KEEPALIVE_ACK]
    assert asked == [3] * lost + SETUP


def test_a_reader_that_was_left_reading_is_set_up_anew():
    reader = SimulatedLlrp()
    running(reader, (1,)).run(ROUND_MS)
    reader.lay(AS, 3)
    line = VirtualLine(DRIVER, reader, (3,))
    assert tags(line.run(2 * ROUND_MS))[0] == TagSeen(3, AS, -50)
    assert sent(line) == SETUP


def test_nothing_to_delete_may_be_refused():
    reader = SimulatedLlrp()
    reader.faults.refuse = 21
    reader.lay(AS)
    read = VirtualLine(DRIVER, reader, TABLE).run(3 * ROUND_MS)
    assert faults(read) == [DeviceFault(101, "error", "message refused")]
    assert tags(read)


@pytest.mark.parametrize("kind", [3, 20, 24, 22])
def test_a_reader_that_refuses_us_is_asked_to_hang_up_after_a_while(kind):
    reader = SimulatedLlrp()
    reader.faults.refuse = kind
    line = VirtualLine(DRIVER, reader, TABLE)
    read = line.run(CLOSE_MS - 1)
    assert faults(read) == [DeviceFault(101, "error", "message refused")]
    assert CLOSE not in sent(line)
    line.run(1)
    assert sent(line)[-1] == CLOSE
    assert reader.is_closed
    assert line.run(10 * CLOSE_MS) == []


def test_an_antenna_the_reader_does_not_have_is_refused():
    line = VirtualLine(DRIVER, SimulatedLlrp(), (1, 9))
    assert len(faults(line.run(2 * CLOSE_MS))) == 1
    assert sent(line)[-1] == CLOSE


@pytest.mark.parametrize("status", [1, 2, 3])
def test_a_connection_that_is_refused_is_left_alone_and_then_given_up(status):
    reader = SimulatedLlrp()
    reader.faults.attempt = status
    line = VirtualLine(DRIVER, reader, TABLE)
    line.run(CLOSE_MS - 1)
    assert sent(line) == []
    line.run(1)
    assert sent(line) == [CLOSE]


def test_that_somebody_else_tried_to_connect_stops_nothing():
    reader = SimulatedLlrp()
    line = running(reader)
    reader.lay(AS)
    reader.faults.attempt = 4
    reader.connected(line.now_ms)
    read = line.run(3 * ROUND_MS)
    assert [fault.code for fault in faults(read)] == [4]
    assert len(tags(read)) == 3
    assert sent(line) == SETUP


def test_a_plug_that_came_off_is_told_and_stops_nothing():
    reader = SimulatedLlrp()
    reader.lay(AS, 1)
    reader.lay(KD, 2)
    line = running(reader)
    reader.pull_antenna(1)
    read = line.run(2 * ROUND_MS)
    assert faults(read) == [DeviceFault(255, "warning", "antenna 1 is not connected")]
    assert {seen.antenna for seen in tags(read)} == {2}


def test_behind_a_bad_length_the_reader_is_asked_to_hang_up_and_heard_no_more():
    reader = SimulatedLlrp()
    reader.lay(AS)
    line = running(reader)
    reader.faults.lengths_broken = 1
    read = [reading for _, reading in line.run(10 * KEEPALIVE_MS)]
    (lost,) = read
    assert isinstance(lost, Garbled)
    assert lost.reason == BAD_LENGTH
    assert sent(line)[-1] == CLOSE
    assert sent(line).count(CLOSE) == 1


def test_a_reader_that_gathers_is_asked_four_times_a_second():
    reader = SimulatedLlrp()
    reader.lay(AS, 1, -40)
    line = VirtualLine(ASKED_DRIVER, reader, TABLE)
    read = line.run(4 * GET_REPORT_MS + 10)
    assert sent(line) == [*SETUP, *[GET_REPORT] * 4]
    assert tags(read) == [TagSeen(1, AS, -40)] * 4
    reader.lift(AS, 1)
    later = line.run(3 * GET_REPORT_MS)
    assert len(tags(later)) <= 1  # gathered before it was lifted
    assert [reading for _, reading in later if reading == Beat()]


def test_a_reader_that_makes_no_reports_when_asked_is_given_up():
    reader = SimulatedLlrp()
    reader.faults.refuse = GET_REPORT
    line = VirtualLine(ASKED_DRIVER, reader, TABLE)
    read = line.run(GET_REPORT_MS + CLOSE_MS)
    assert len(faults(read)) == 1
    assert sent(line)[-1] == CLOSE
    assert sent(line).count(GET_REPORT) == 1


def test_an_error_message_unasked_stops_nothing():
    talker = LlrpTalker(TABLE)
    talker.start(0)
    for kind in (63, 13, 31, 30, 34, 32):
        talker.hear(Answered(kind), 1)
    assert talker.hear(Answered(100, b"\x00\x65"), 2) == b""
    assert talker.next_ms is None


def test_the_reader_refuses_what_it_does_not_know():
    reader = SimulatedLlrp()
    (answer,) = Framer().feed(reader.hear(message(Message(26, b"", 9)), 0))
    assert (answer.kind, answer.number, answer.body[4:6]) == (100, 9, b"\x00\x6d")


def test_a_talker_starts_anew_with_the_port():
    talker = LlrpTalker(TABLE)
    talker.start(0)
    talker.hear(Garbled(BAD_LENGTH), 10)
    assert talker.hear(Answered(63), 20) == b""
    assert talker.start(1000) == b""
    assert Framer().feed(talker.hear(Answered(63), 1010))[0].kind == 3


HAPPENINGS = st.one_of(
    st.sampled_from(
        [
            KEPT,
            Beat(),
            TagSeen(1, AS, -50),
            Garbled("broken tag report"),
            Garbled(BAD_LENGTH),
            DeviceFault(255, "warning"),
            *(Answered(kind) for kind in (4, 13, 30, 31, 32, 34, 63)),
            *(Answered(kind, b"\x00\x65") for kind in (13, 30, 31, 32, 34, 63, 100)),
        ]
    ),
    st.integers(0, 4000),
)


@given(st.lists(HAPPENINGS, max_size=60))
def test_never_is_a_step_taken_that_its_answer_did_not_allow(happenings):
    talker = LlrpTalker(TABLE)
    allowed = {asks(TABLE)[step].kind: ANSWER_OF[asks(TABLE)[step].kind] for step in asks(TABLE)}
    talker.start(0)
    now_ms, before, closed = 0, 3, False
    for happening in happenings:
        if isinstance(happening, int):
            now_ms += happening
            out = talker.wake(now_ms) if talker.next_ms is not None else b""
        else:
            out = talker.hear(happening, now_ms)
        for asked in Framer().feed(out):
            assert not closed
            closed = asked.kind == CLOSE
            if asked.kind in allowed:
                follows = SETUP.index(asked.kind) == SETUP.index(before) + 1
                assert asked.kind == 3 or follows
                if follows:
                    assert happening.command in (allowed[before], 100)
                before = asked.kind
    assert talker.next_ms is None or talker._step not in (Step.READING, Step.CLOSED)
