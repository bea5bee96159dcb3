"""The talk with a Pepper C1: antennas in turn, whole rounds, silence, refusals, events, junk."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.catalog import DRIVERS
from drivers.eccel import (
    ANSWER_MS_MAX,
    COMMANDS,
    DRIVER,
    ICODE,
    POLL_MS,
    EccelTalker,
    Step,
    fault,
)
from drivers.eccel_frames import Framer
from drivers.readings import Answered, DeviceFault, Garbled, Inventory
from drivers.simulated.eccel import ANSWER_MS, COUNT_MAX, LOOK_MS, SimulatedEccel
from drivers.simulated.virtual import VirtualLine

AS, KD, TWO_C = "040e3bd2286b85", "040f43d2286b85", "e00401000a1b2c3d"
DECK = [f"e0040150{card:08x}" for card in range(52)]
TABLE = (1, 2, 3, 5)
ROUND_MS = 500  # enough for one of the simulated reader, whatever lies there
STEPS = {command: step for step, command in COMMANDS.items() if step is not Step.ALONE}


def running(reader: SimulatedEccel, antennas: tuple[int, ...] = TABLE, **line) -> VirtualLine:
    virtual = VirtualLine(line.pop("row", DRIVER), reader, antennas, **line)
    virtual.run(ROUND_MS)
    return virtual


def rounds(read: list) -> list[tuple]:
    return [reading.tags for _, reading in read if isinstance(reading, Inventory)]


def steps(line: VirtualLine) -> list:
    """What was sent, in the talker's own words; an antenna by its number."""
    said = [payload for _, sent in line.sent for payload in Framer().feed(sent)]
    words = [(STEPS[payload[0]], payload[1:]) for payload in said]
    return [body[0] if step is Step.ANTENNA else step for step, body in words]


def test_a_reader_is_silenced_and_its_antennas_are_asked_in_turn():
    line = VirtualLine(DRIVER, SimulatedEccel(), TABLE)
    line.run(2 * ROUND_MS)
    look = [Step.COUNT]
    once = [Step.BEGIN, 1, *look, 2, *look, 3, *look, 4, 5, *look, Step.END]
    assert steps(line)[: 1 + 2 * len(once)] == [Step.QUIET, *once, *once]


def test_only_the_antennas_that_are_fitted_are_looked_at():
    reader = SimulatedEccel()
    running(reader)
    assert set(reader.looks) == set(TABLE)


@pytest.mark.parametrize("antennas", [(), (1,)])
def test_a_reader_with_one_antenna_is_told_to_choose_it_once_and_may_refuse(antennas):
    reader = SimulatedEccel(mux=False)
    reader.lay(AS)
    line = running(reader, antennas)
    assert steps(line)[:5] == [Step.QUIET, 1, Step.BEGIN, Step.COUNT, Step.UID]
    assert steps(line).count(1) == 1
    assert set(rounds(line.run(ROUND_MS))) == {((1, AS),)}


@pytest.mark.parametrize("piece_bytes", [0, 1, 5])
def test_a_round_tells_every_tag_on_its_antenna(piece_bytes):
    reader = SimulatedEccel()
    line = running(reader, piece_bytes=piece_bytes)
    reader.lay(AS, 1)
    reader.lay(KD, 5)
    reader.lay(TWO_C, 2)
    reader.lay(AS, 2)
    reader.lay("083f6c4a", 4)  # not fitted
    line.run(ROUND_MS)
    assert set(rounds(line.run(ROUND_MS))) == {((1, AS), (2, AS), (2, TWO_C), (5, KD))}
    reader.lift(AS, 2)
    line.run(ROUND_MS)
    assert set(rounds(line.run(ROUND_MS))) == {((1, AS), (2, TWO_C), (5, KD))}


def test_a_single_antenna_is_polled_every_hundred_milliseconds():
    reader = SimulatedEccel()
    reader.lay(AS)
    line = running(reader, (1,))
    line.run(2000)
    begun = [
        at
        for (at, _), step in zip(line.sent, steps(line), strict=True)
        if step is Step.BEGIN and at > POLL_MS
    ]
    assert {later - at for at, later in pairwise(begun)} == {POLL_MS}


def test_eight_antennas_take_as_long_as_their_looks_do():
    line = running(SimulatedEccel(), tuple(range(1, 9)))
    told = len(rounds(line.run(10_000)))
    assert 10_000 / told < 8 * (LOOK_MS + 2 * ANSWER_MS + 4) + 20


def test_of_more_than_five_tags_the_reader_tells_five():
    reader = SimulatedEccel()
    for one in DECK[:7]:
        reader.lay(one, 2)
    told = set(rounds(running(reader, (2,)).run(ROUND_MS)))
    assert told == {tuple((2, one) for one in DECK[:COUNT_MAX])}


@pytest.mark.parametrize("piece_bytes", [0, 1])
def test_a_whole_deck_of_iso15693_is_one_round(piece_bytes):
    reader = SimulatedEccel()
    for one in DECK:
        reader.lay(one, 2)
    reader.lay(AS, 2)  # of another kind: not seen
    reader.lay(TWO_C, 1)
    line = running(reader, (1, 2), row=ICODE, piece_bytes=piece_bytes)
    assert set(rounds(line.run(2000))) == {((1, TWO_C), *((2, one) for one in DECK))}


def test_empty_antennas_of_iso15693_are_no_fault():
    read = running(SimulatedEccel(), (1, 2), row=ICODE).run(ROUND_MS)
    assert set(rounds(read)) == {()}
    assert not any(isinstance(reading, DeviceFault) for _, reading in read)


@pytest.mark.parametrize("fault_name", ["answers_lost", "answers_corrupt"])
@pytest.mark.parametrize("after", range(8))
def test_a_lost_answer_begins_the_round_anew_and_tells_nothing_false(fault_name, after):
    reader = SimulatedEccel()
    for antenna, uid in ((1, AS), (5, KD), (5, TWO_C)):
        reader.lay(uid, antenna)
    line = running(reader)
    while len(line.sent) % 13 != after:
        line.run(1)
    setattr(reader.faults, fault_name, 1)
    told = rounds(line.run(ANSWER_MS_MAX + 2 * ROUND_MS))
    assert set(told) == {((1, AS), (5, KD), (5, TWO_C))}
    assert len(told) >= 2


def test_answers_that_come_too_late_are_not_of_the_next_round():
    reader = SimulatedEccel()
    reader.lay(AS, 1)
    reader.lay(KD, 5)
    line = running(reader)
    reader.faults.slow_ms = ANSWER_MS_MAX
    read = line.run(ANSWER_MS_MAX * 9)
    reader.faults.slow_ms = 0
    read += line.run(ANSWER_MS_MAX * 4 + ROUND_MS * 4)
    assert set(rounds(read)) == {((1, AS), (5, KD))}


def test_a_command_that_is_refused_is_passed_over():
    reader = SimulatedEccel()
    reader.lay(AS, 1)
    line = running(reader)
    reader.faults.refused = 3
    read = line.run(3 * ROUND_MS)
    assert any(isinstance(reading, DeviceFault) for _, reading in read)
    assert rounds(read)[-1] == ((1, AS),)


@pytest.mark.parametrize("antennas", [(1,), (1, 2)])
def test_a_reader_that_will_not_stop_its_own_polling_is_polled_all_the_same(antennas):
    reader = SimulatedEccel()
    reader.lay(AS)
    reader.faults.refused = 1
    line = running(reader, antennas)
    assert steps(line)[:2] == [Step.QUIET, 1 if antennas == (1,) else Step.BEGIN]
    assert set(rounds(line.run(ROUND_MS))) == {((1, AS),)}


def test_a_reader_left_on_another_antenna_is_set_back():
    reader = SimulatedEccel()
    reader.lay(AS, 1)
    reader.lay(KD, 5)
    running(reader, (5,))
    assert set(rounds(running(reader, (1,)).run(ROUND_MS))) == {((1, AS),)}


def test_a_reader_that_does_not_answer_to_a_choice_is_polled_where_it_has_one_antenna():
    reader = SimulatedEccel()
    reader.lay(AS)
    line = VirtualLine(DRIVER, reader, (1,))
    line.run(ANSWER_MS + 1)
    reader.faults.answers_lost = 1
    read = line.run(ANSWER_MS_MAX + ROUND_MS)
    assert steps(line)[:3] == [Step.QUIET, 1, Step.BEGIN]
    assert rounds(read)[0] == ((1, AS),)


def test_a_reader_without_multiplexer_tells_nothing_of_antennas_it_has_not():
    reader = SimulatedEccel(mux=False)
    reader.lay(AS)
    assert set(rounds(running(reader, (1, 2)).run(ROUND_MS))) == {()}
    assert reader.looks == []


def test_a_reader_that_refuses_to_halt_without_a_tag_is_polled_all_the_same():
    reader = SimulatedEccel(halts_without_tag=False)
    assert len(rounds(running(reader, (1,)).run(1000))) == 10


def test_a_reader_that_polls_by_itself_at_first_is_told_not_to():
    reader = SimulatedEccel()
    line = VirtualLine(DRIVER, SimulatedEccel(), (1,))
    reader.lay(AS)  # an event before the port is open
    line = VirtualLine(DRIVER, reader, (1,))
    read = line.run(ROUND_MS)
    assert read[0][1] == Answered(0xFE, bytes.fromhex(AS))
    assert set(rounds(read)) == {((1, AS),)}
    reader.lay(KD)
    assert all(reading.command != 0xFE for _, reading in line.run(ROUND_MS)
               if isinstance(reading, Answered))  # fmt: skip


def test_a_reader_that_hangs_is_asked_until_it_is_back():
    reader = SimulatedEccel()
    reader.lay(AS, 2)
    line = running(reader)
    reader.hang()
    assert rounds(line.run(5000)) == []
    reader.restart()
    told = rounds(line.run(ANSWER_MS_MAX + 2 * ROUND_MS))
    assert set(told) == {((2, AS),)}
    assert steps(line).count(Step.QUIET) > 2


@pytest.mark.parametrize(
    "junk", [b"\x01", b"\xf5", b"\xf5\x0d\x00\xf2\xff\x00", b"\xf5\x02\x04\xfd\xfb"]
)
def test_junk_on_the_line_costs_no_round(junk):
    reader = SimulatedEccel()
    reader.faults.junk = junk
    reader.lay(AS, 5)
    line = running(reader, piece_bytes=3)
    clean = running(SimulatedEccel())
    told = rounds(line.run(3000))
    assert set(told) == {((5, AS),)}
    assert len(told) >= len(rounds(clean.run(3000))) - 2


def test_the_rows_differ_in_what_they_ask_and_which_tags_they_read():
    assert {DRIVER, ICODE} <= set(DRIVERS)
    assert (DRIVER.tags, ICODE.tags) == (("iso14443a", "iso15693"), ("iso15693",))


# --- any readings --------------------------------------------------------------------------------

READINGS = st.one_of(
    st.sampled_from([Inventory(()), Garbled("stray bytes"), Answered(0xFE, b"\x01")]),
    st.builds(
        lambda code, command, body: Answered(code, bytes((command,)) + body),
        st.sampled_from([0x00, 0xFF]),
        st.sampled_from(sorted(COMMANDS.values())),
        st.binary(max_size=12),
    ),
    st.sampled_from(sorted(COMMANDS.values())).map(lambda command: fault(command, b"\x01\x00")),
)


@given(
    st.lists(st.one_of(READINGS, READINGS, st.integers(0, 1000)), max_size=80),
    st.sets(st.integers(1, 8)),
    st.booleans(),
)
def test_never_is_more_than_one_command_in_flight(happenings, antennas, icode):
    talker = EccelTalker(tuple(antennas), icode=icode)
    assert talker.start(0)
    now_ms, in_flight_until = 0, ANSWER_MS_MAX
    for happening in happenings:
        if isinstance(happening, int):
            now_ms += happening
            while talker.next_ms is not None and talker.next_ms <= now_ms:
                due_ms = talker.next_ms
                if talker.wake(due_ms):
                    assert in_flight_until <= due_ms
                    in_flight_until = due_ms + ANSWER_MS_MAX
        else:
            assert talker.hear(happening, now_ms) == b""
            if talker._late_ms is None:
                in_flight_until = 0
        assert talker.next_ms is not None


@given(st.lists(READINGS, max_size=60), st.sets(st.integers(1, 8), min_size=1))
def test_antennas_are_chosen_in_order_from_the_first_in_every_round(readings, antennas):
    talker = EccelTalker(tuple(antennas))
    sent, now_ms = talker.start(0), 0
    due = 1
    for reading in readings:
        talker.hear(reading, now_ms)
        while not sent and talker.next_ms is not None and talker.next_ms <= now_ms:
            sent = talker.wake(talker.next_ms)
        for payload in Framer().feed(sent):
            if payload[0] == COMMANDS[Step.BEGIN]:
                due = 1
            elif payload[0] == COMMANDS[Step.ANTENNA]:
                assert payload[1] == due
                due += 1
        sent, now_ms = b"", now_ms + POLL_MS
