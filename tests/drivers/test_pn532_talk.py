"""The talk with a PN532: a simulated chip that is slow, loses answers, hangs, and recovers."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.pn532 import (
    ANSWER_MS_MAX,
    ASKS,
    DRIVER,
    FIRST_ANSWER_MS_MAX,
    POLL_MS,
    UNANSWERED_MAX,
    Pn532,
    Pn532Talker,
    Step,
)
from drivers.pn532_frames import ACK, HOST, NACK, frame
from drivers.readings import Acked, Answered, Garbled, Inventory
from drivers.simulated.pn532 import SimulatedPn532
from drivers.simulated.virtual import VirtualLine

AS, KD = "040e3bd2286b85", "040f43d2286b85"
JUNK = [
    b"\x01",
    b"\x3f\xdf\xff\xe9\xaf",
    b"\x00\xff",
    b"\x00\x00\xff\x04\xfd",
    bytes.fromhex("0000ff03fddeadbeef"),
    b"\x00\xff\xff\xff\xff\xff",
]


def inventories(read: list) -> list[tuple]:
    return [reading.tags for _, reading in read if isinstance(reading, Inventory)]


def steps(line: VirtualLine) -> list:
    """What was sent, in the talker's own words."""
    words = {ask.send: step for step, ask in ASKS.items()} | {ACK: "abort"}
    return [words[sent] for _, sent in line.sent]


def running(chip: SimulatedPn532, for_ms: int = 100) -> VirtualLine:
    line = VirtualLine(DRIVER, chip)
    line.run(for_ms)
    return line


def test_a_chip_is_woken_identified_made_finite_and_polled():
    line = VirtualLine(DRIVER, SimulatedPn532())
    read = line.run(350)
    assert steps(line)[:5] == [Step.WAKE, Step.VERSION, Step.RETRIES, Step.POLL, Step.RELEASE]
    assert (read[3][1], inventories(read)) == (Answered(0x03, b"\x32\x01\x06\x07"), [()] * 4)
    assert all(not isinstance(reading, Garbled) for _, reading in read)


def test_polls_come_every_hundred_milliseconds():
    line = running(SimulatedPn532(), 2000)
    polls = [at for at, sent in line.sent if sent == ASKS[Step.POLL].send]
    assert {later - at for at, later in pairwise(polls)} == {POLL_MS}


@pytest.mark.parametrize("smart", [False, True])
@pytest.mark.parametrize("piece_bytes", [0, 1, 7])
def test_two_cards_are_told_together_and_gone_when_lifted(smart, piece_bytes):
    chip = SimulatedPn532(smart=smart)
    line = VirtualLine(DRIVER, chip, piece_bytes=piece_bytes)
    line.run(200)
    chip.lay(KD)
    chip.lay(AS)
    line.run(100)
    assert inventories(line.run(100)) == [((1, AS), (1, KD))]
    chip.lift(AS)
    line.run(100)
    assert inventories(line.run(100)) == [((1, KD),)]
    chip.lift(KD)
    line.run(100)
    assert inventories(line.run(100)) == [()]


def test_of_three_cards_the_chip_tells_the_two_lowest():
    chip = SimulatedPn532()
    for uid in ("04ffffffffffff", KD, AS):
        chip.lay(uid)
    assert inventories(running(chip).run(100)) == [((1, AS), (1, KD))]


def test_an_iso15693_card_is_not_seen():
    chip = SimulatedPn532()
    chip.lay("e00401000a1b2c3d")
    assert inventories(running(chip).run(100)) == [()]


def test_a_card_that_is_read_every_second_time_is_told_as_read():
    chip = SimulatedPn532()
    line = running(chip)
    told = []
    for there in (True, False) * 4:
        (chip.lay if there else chip.lift)(AS)
        told += inventories(line.run(POLL_MS))
    assert told == [((1, AS),), ()] * 4


def test_a_chip_left_with_infinite_retries_never_answers_an_empty_field():
    chip = SimulatedPn532()
    for sent in (ASKS[Step.WAKE].send, ASKS[Step.POLL].send):
        chip.hear(sent, 0)
    assert chip.wake(60_000) == ACK
    assert chip.next_ms is None
    chip.lay(AS)
    assert chip.next_ms == 0
    chip.wake(60_000)
    assert Pn532().feed(chip.wake(60_003)) == [Inventory(((1, AS),))]


def test_a_lost_ack_costs_nothing():
    chip = SimulatedPn532()
    line = running(chip)
    chip.lay(AS)
    chip.faults.acks_lost = 6
    assert inventories(line.run(3 * POLL_MS)) == [((1, AS),)] * 3
    assert "abort" not in steps(line)


@pytest.mark.parametrize("fault", ["answers_lost", "answers_corrupt"])
def test_a_lost_answer_is_aborted_and_asked_for_again(fault):
    chip = SimulatedPn532()
    line = running(chip, POLL_MS - 10)
    chip.lay(AS)
    setattr(chip.faults, fault, 1)
    said = inventories(line.run(ANSWER_MS_MAX + POLL_MS))
    assert said[0] == ((1, AS),)
    abort_at = steps(line).index("abort")
    assert steps(line)[abort_at - 1 : abort_at + 2] == [Step.POLL, "abort", Step.POLL]
    assert line.sent[abort_at + 1][0] - line.sent[abort_at][0] == 2
    assert steps(line).count(Step.WAKE) == 1


def test_a_stuck_chip_is_woken_configured_and_polled_again():
    chip = SimulatedPn532()
    line = running(chip)
    chip.lay(AS)
    chip.hang()
    read = line.run(UNANSWERED_MAX * (ANSWER_MS_MAX + 10) + POLL_MS)
    assert inventories(read)[-1] == ((1, AS),)
    said = steps(line)
    woken_at = len(said) - said[::-1].index(Step.WAKE) - 1
    assert said[:woken_at].count("abort") == said.count("abort") == UNANSWERED_MAX
    assert said[woken_at:][:5] == [Step.WAKE, Step.VERSION, Step.RETRIES, Step.POLL, Step.RELEASE]


def test_a_stuck_chip_is_finite_again_before_it_is_polled():
    chip = SimulatedPn532()
    line = running(chip)
    chip.hang()
    line.run(2000)
    assert inventories(line.run(1000)) == [()] * 10


def test_the_first_ack_may_take_as_long_as_on_a_slow_usb_line():
    chip = SimulatedPn532()
    chip.faults.first_ack_ms = FIRST_ANSWER_MS_MAX - 10
    line = running(chip, FIRST_ANSWER_MS_MAX + POLL_MS)
    assert "abort" not in steps(line)
    assert Step.POLL in steps(line)


def test_a_chip_that_is_plugged_in_late_is_found():
    class Nothing(SimulatedPn532):
        deaf = True

        def hear(self, data, now_ms):
            return b"" if self.deaf else super().hear(data, now_ms)

    chip = Nothing()
    line = running(chip, 10_000)
    assert inventories(line.run(5000)) == []
    chip.deaf = False
    assert inventories(line.run(FIRST_ANSWER_MS_MAX + 2 * POLL_MS))


@pytest.mark.parametrize("junk", JUNK)
def test_junk_on_the_line_costs_no_poll(junk):
    chip = SimulatedPn532()
    chip.faults.junk = junk
    chip.lay(AS)
    line = VirtualLine(DRIVER, chip, piece_bytes=3)
    line.run(1000)
    assert inventories(line.run(10 * POLL_MS)) == [((1, AS),)] * 10


def test_the_chip_says_its_answer_again_when_asked_and_refuses_what_it_does_not_know():
    chip, decoder = SimulatedPn532(), Pn532()
    told = []
    version = ASKS[Step.VERSION].send
    for sent in (ASKS[Step.WAKE].send, b"\x01" + version, NACK, frame(HOST, 0x99)):
        chip.hear(sent, 0)
        told += decoder.feed(chip.wake(100))
    answer, refused = Answered(0x03, b"\x32\x01\x06\x07"), Acked(ok=False)
    assert told == [Acked(), Answered(0x15), Acked(), answer, answer, Acked(), refused]


def test_a_driver_that_does_not_ask_has_no_such_line():
    with pytest.raises(TypeError, match="pn532 does not ask"):
        VirtualLine(replace(DRIVER, talker=None), SimulatedPn532())


def test_a_command_that_is_refused_is_sent_again():
    talker = Pn532Talker()
    talker.start(0)
    talker.hear(Acked(ok=False), 5)
    assert talker.next_ms == 7
    assert talker.wake(7) == ASKS[Step.WAKE].send


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    Acked(),
                    Acked(ok=False),
                    Inventory(()),
                    Garbled("stray bytes"),
                    *(Answered(ask.answer) for ask in ASKS.values()),
                    Answered(0x4A),
                ]
            ),
            st.integers(0, 2000),
        ),
        max_size=60,
    )
)
def test_never_is_more_than_one_command_in_flight(happenings):
    talker = Pn532Talker()
    talker.start(0)
    now_ms, in_flight = 0, True
    for happening in happenings:
        if isinstance(happening, int):
            now_ms += happening
            while talker.next_ms is not None and talker.next_ms <= now_ms:
                sent = talker.wake(talker.next_ms)
                assert sent == ACK or not in_flight
                in_flight = sent != ACK
        else:
            assert talker.hear(happening, now_ms) == b""
            in_flight = in_flight and talker._late_ms is not None
        assert talker.next_ms is not None
