"""The talk with a Feig reader: many antennas, a whole deck in parts, silence, resets, junk."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.feig import (
    ANTENNAS_MAX,
    DRIVER,
    INVENTORY_MS_MAX,
    ISO,
    MORE,
    POLL_MS,
    ROUNDS_MAX,
    Feig,
    FeigTalker,
    Step,
    asks,
)
from drivers.feig_frames import ANY_READER, Framed, ask, frame
from drivers.feig_talk import ANSWER_MS_MAX, RESTART_MS, UNANSWERED_MAX
from drivers.readings import Answered, DeviceFault, Garbled, Inventory
from drivers.simulated.feig import SimulatedFeig
from drivers.simulated.virtual import VirtualLine

AS, KD, TWO_C = "e00401000a1b2c3d", "e00401000a1b2c3e", "040e3bd2286b85"
DECK = [f"e0040150{card:08x}" for card in range(52)]
TABLE = (1, 2, 3, 4, 5)  # board, burn, aside, stub, muck
STUB = 4


def running(reader: SimulatedFeig, antennas: tuple[int, ...] = TABLE, **line) -> VirtualLine:
    """A line whose reader has been identified and polled once, just before its second poll."""
    virtual = VirtualLine(DRIVER, reader, antennas, **line)
    virtual.run(POLL_MS)
    return virtual


def inventories(read: list) -> list[tuple]:
    return [reading.tags for _, reading in read if isinstance(reading, Inventory)]


def steps(line: VirtualLine, antennas: tuple[int, ...] = TABLE) -> list[Step]:
    words = {row.send: step for step, row in asks(antennas).items()}
    return [words[sent] for _, sent in line.sent]


def test_a_reader_is_identified_and_then_polled_from_an_empty_field():
    line = VirtualLine(DRIVER, SimulatedFeig(), TABLE)
    read = line.run(3 * POLL_MS + 50)
    assert steps(line)[:6] == [
        Step.SOFTWARE, Step.ABOUT, Step.FIELD, Step.INVENTORY, Step.FIELD, Step.INVENTORY,
    ]  # fmt: skip
    assert [reading.command for _, reading in read[:3]] == [0x65, 0x66, 0x69]
    assert inventories(read) == [()] * 4


def test_polls_come_every_hundred_milliseconds():
    line = running(SimulatedFeig())
    line.run(2000)
    polls = [at for at, sent in line.sent if sent == ask(0x69)]
    assert {later - at for at, later in pairwise(polls)} == {POLL_MS}


def test_what_lies_on_the_antennas_is_told_again_in_every_poll():
    reader = SimulatedFeig()
    line = running(reader)
    reader.lay(AS, 1)
    reader.lay(KD, 1)
    reader.lay(TWO_C, 2)
    reader.lay(AS, 5)
    told = ((1, AS), (1, KD), (2, TWO_C), (5, AS))
    assert inventories(line.run(3 * POLL_MS)) == [told] * 3
    reader.lift(AS, 1)
    assert inventories(line.run(POLL_MS)) == [((1, KD), (2, TWO_C), (5, AS))]


def test_without_the_radio_reset_a_tag_that_was_told_is_mute():
    reader = SimulatedFeig()
    reader.lay(AS)
    decoder = Feig()
    told = []
    for sent in (ask(ISO, b"\x01\x00"), ask(ISO, b"\x01\x00"), ask(0x69), ask(ISO, b"\x01\x00")):
        reader.hear(sent, 0)
        told += decoder.feed(reader.wake(1000))
    assert told == [Inventory(((1, AS),)), Inventory(()), Answered(0x69), Inventory(((1, AS),))]


@pytest.mark.parametrize("sets_max", [1, 10, 51, 52, 200])
@pytest.mark.parametrize("piece_bytes", [0, 1, 13])
def test_a_stub_of_a_whole_deck_is_one_inventory(sets_max, piece_bytes):
    reader = SimulatedFeig(sets_max=sets_max)
    for uid in DECK:
        reader.lay(uid, STUB)
    reader.lay(AS, 1)
    line = VirtualLine(DRIVER, reader, TABLE, piece_bytes)
    told = inventories(line.run(2500))
    assert set(told) == {((1, AS), *((STUB, uid) for uid in DECK))}
    assert len(told) >= 4


def test_only_the_antennas_asked_for_are_read():
    reader = SimulatedFeig()
    reader.lay(AS, 6)
    reader.lay(KD, 8)
    assert inventories(running(reader, (8,)).run(POLL_MS)) == [((8, KD),)]


@pytest.mark.parametrize("antennas", [(), (1,)])
def test_a_reader_with_one_antenna_is_asked_without_antennas(antennas):
    reader = SimulatedFeig()
    reader.lay(AS)
    reader.lay(TWO_C)
    line = running(reader, antennas)
    assert inventories(line.run(POLL_MS)) == [((1, TWO_C), (1, AS))]
    assert ask(ISO, b"\x01\x00") in [sent for _, sent in line.sent]


@pytest.mark.parametrize("uid", [AS, TWO_C, "01020304", "04112233445566778899"])
@pytest.mark.parametrize("antenna", [1, 3])
def test_tags_of_every_length_come_through(uid, antenna):
    reader = SimulatedFeig()
    reader.lay(uid, antenna)
    assert inventories(running(reader, (antenna,)).run(POLL_MS)) == [((antenna, uid),)]


def test_a_card_that_is_read_every_second_time_is_told_as_read():
    reader = SimulatedFeig()
    line = running(reader)
    told = []
    for there in (True, False) * 4:
        (reader.lay if there else reader.lift)(AS, 3)
        told += inventories(line.run(POLL_MS))
    assert told == [((3, AS),), ()] * 4


@pytest.mark.parametrize("fault", ["answers_lost", "answers_corrupt"])
def test_a_lost_answer_is_asked_for_again(fault):
    reader = SimulatedFeig()
    line = running(reader)
    reader.lay(AS, 2)
    setattr(reader.faults, fault, 1)
    assert inventories(line.run(ANSWER_MS_MAX + POLL_MS))[0] == ((2, AS),)
    assert Step.RESTART not in steps(line)


def test_an_answer_lost_in_the_middle_of_a_poll_begins_the_poll_anew():
    reader = SimulatedFeig(sets_max=1)
    line = running(reader)
    reader.lay(AS, 1)
    line.run(POLL_MS - 60)
    reader.lay(KD, 2)
    reader.lift(AS, 1)
    reader.lay(AS, 3)
    reader.faults.answers_lost = 2
    told = inventories(line.run(2 * INVENTORY_MS_MAX + 2 * POLL_MS))
    assert set(told) <= {((1, AS),), ((2, KD), (3, AS))}
    assert told[-1] == ((2, KD), (3, AS))


def test_a_reader_that_hangs_is_reset_and_polled_again():
    reader = SimulatedFeig()
    line = running(reader)
    reader.lay(AS, 2)
    reader.hang()
    silent_ms = UNANSWERED_MAX * ANSWER_MS_MAX + RESTART_MS + 3 * POLL_MS
    assert inventories(line.run(silent_ms))[-1] == ((2, AS),)
    said = steps(line)
    reset_at = said.index(Step.RESTART)
    assert said[reset_at - UNANSWERED_MAX : reset_at] == [Step.FIELD] * UNANSWERED_MAX
    assert said[reset_at:][:5] == [
        Step.RESTART, Step.SOFTWARE, Step.ABOUT, Step.FIELD, Step.INVENTORY,
    ]  # fmt: skip


def test_a_reader_that_is_plugged_in_late_is_found():
    class Nothing(SimulatedFeig):
        deaf = True

        def hear(self, data, now_ms):
            return b"" if self.deaf else super().hear(data, now_ms)

    reader = Nothing()
    line = running(reader)
    assert inventories(line.run(10_000)) == []
    reader.deaf = False
    assert inventories(line.run(2 * RESTART_MS + 2 * POLL_MS))


@pytest.mark.parametrize(
    "junk", [b"\x01", b"\x02", b"\xff", b"\x02\x00", bytes.fromhex("ff00b0"), b"\x02\x00\x20\x00"]
)
def test_junk_on_the_line_costs_no_poll(junk):
    reader = SimulatedFeig()
    reader.faults.junk = junk
    reader.lay(AS, 5)
    line = running(reader, TABLE, piece_bytes=3)
    assert inventories(line.run(10 * POLL_MS)) == [((5, AS),)] * 10


def test_a_fault_costs_the_poll_and_nothing_more():
    reader = SimulatedFeig()
    line = running(reader)
    reader.faults.status = 0x93
    read = line.run(5 * POLL_MS)
    faults = [reading.code for _, reading in read if isinstance(reading, DeviceFault)]
    assert (faults, inventories(read)) == ([0x93] * 5, [])
    reader.faults.status = 0
    assert inventories(line.run(POLL_MS)) == [()]
    assert Step.RESTART not in steps(line)


def test_a_reader_that_always_has_more_is_polled_anew():
    talker = FeigTalker(TABLE)
    now_ms, sent = 0, [talker.start(0)]
    for reading in (Answered(0x65), Answered(0x66), Answered(0x69), *[MORE] * ROUNDS_MAX):
        now_ms += 10
        talker.hear(reading, now_ms)
        now_ms = talker.next_ms
        sent.append(talker.wake(now_ms))
    assert sent[-1] == ask(0x69)
    assert sent.count(ask(ISO, b"\x01\xa0\x1f")) == ROUNDS_MAX - 1


def test_the_reader_answers_in_the_kind_of_frame_it_was_asked_in():
    reader = SimulatedFeig(address=3, sets_max=200)
    for uid in DECK:
        reader.lay(uid)
    for address, control, rest, advanced in (
        (3, 0x65, b"", False),
        (ANY_READER, 0x65, b"", True),
        (ANY_READER, ISO, b"\x01\x00", True),
    ):
        reader.hear(frame(Framed(address, control, rest, advanced)), 0)
        answer = reader.wake(1000)
        assert (answer[0] == 0x02) is advanced
        assert answer[3 if advanced else 1] == 3
    reader.hear(ask(0x69), 0)
    reader.wake(1000)
    reader.hear(frame(Framed(3, ISO, b"\x01\x00", False)), 0)
    assert reader.wake(1000)[0] == 0x02  # more than 255 bytes


def test_a_command_the_reader_does_not_know_is_a_fault():
    reader = SimulatedFeig()
    reader.hear(ask(0x72, b"\x01"), 0)
    assert Feig().feed(reader.wake(100)) == [DeviceFault(0x80, "error", "unknown status")]


def test_a_reader_is_silent_to_a_wrong_sum_and_to_another_address():
    reader = SimulatedFeig()
    reader.hear(ask(0x65)[:-1] + b"\x00", 0)
    reader.hear(frame(Framed(9, 0x65, b"")), 0)
    assert reader.next_ms is None


@given(st.sets(st.integers(1, ANTENNAS_MAX), min_size=2))
def test_every_antenna_has_its_bit(antennas):
    sent = asks(tuple(antennas))[Step.INVENTORY].send
    assert sent[6] == 0x20
    assert {bit + 1 for bit in range(8) if sent[7] >> bit & 1} == antennas


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    MORE,
                    Inventory(()),
                    Garbled("stray bytes"),
                    DeviceFault(0x93, "warning"),
                    *(Answered(control) for control in (0x63, 0x65, 0x66, 0x69, 0xB0)),
                ]
            ),
            st.integers(0, 2000),
        ),
        max_size=60,
    )
)
def test_never_is_more_than_one_command_in_flight(happenings):
    talker = FeigTalker(TABLE)
    talker.start(0)
    now_ms, in_flight = 0, True
    for happening in happenings:
        if isinstance(happening, int):
            now_ms += happening
            while talker.next_ms <= now_ms:
                in_flight = in_flight and talker.next_ms != talker._late_ms
                sent = talker.wake(talker.next_ms)
                assert not (sent and in_flight)
                in_flight = bool(sent)
        else:
            assert talker.hear(happening, now_ms) == b""
            in_flight = in_flight and talker._late_ms is not None
        assert talker.next_ms is not None
