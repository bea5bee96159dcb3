"""The talk with Feig readers that read by themselves: buffer, notifications, and what is lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import feig_buffer, feig_notify
from drivers.driver import Driver
from drivers.feig_buffer import (
    ANSWER_MS_MAX,
    LIST_MS_MAX,
    READ_MS,
    RESTART_MS,
    SETS_MAX,
    UNANSWERED_MAX,
    FeigBufferTalker,
)
from drivers.feig_frames import Framed, ask, frame
from drivers.feig_lists import HELD_MS
from drivers.feig_notify import FeigNotifyTalker
from drivers.readings import (
    Answered,
    Beat,
    DeviceFault,
    EventsLost,
    Garbled,
    Inventory,
    TagSeen,
)
from drivers.simulated.feig_kept import REPEAT_MS, VALID_MS, Fit, KeepingFeig
from drivers.simulated.virtual import VirtualLine

AS, KD, TWO = "e00401000a1b2c3d", "e00401000a1b2c3e", "e004015012345678"
DECK = [f"e0040150{card:08x}" for card in range(52)]
READ, DELETE = ask(0x22, SETS_MAX.to_bytes(2, "big")), ask(0x32)
EMPTY, RESET = ask(0x33), ask(0x63)
IDENTIFIED_MS = 50
UNTIMED = 0x11


def reading(reader: KeepingFeig, driver: Driver = feig_buffer.DRIVER, **line) -> VirtualLine:
    """A line whose reader has been identified and is being read."""
    virtual = VirtualLine(driver, reader, **line)
    virtual.run(IDENTIFIED_MS)
    return virtual


def seen(read: list) -> list[tuple[int, str]]:
    return [(one.antenna, one.uid) for _, one in read if isinstance(one, TagSeen)]


def losses(read: list) -> int:
    return sum(isinstance(one, EventsLost) for _, one in read)


def commands(line: VirtualLine) -> list[bytes]:
    return [sent for _, sent in line.sent]


# --- buffered read mode --------------------------------------------------------------------------


def test_a_reader_is_identified_emptied_and_then_read_every_hundred_milliseconds():
    line = VirtualLine(feig_buffer.DRIVER, KeepingFeig())
    read = line.run(1000)
    assert commands(line)[:5] == [ask(0x65), ask(0x66, b"\x00"), EMPTY, READ, READ]
    reads = [at for at, sent in line.sent if sent == READ]
    assert {later - at for at, later in pairwise(reads)} == {READ_MS}
    assert DELETE not in commands(line)
    assert seen(read) == []


def test_what_was_kept_before_anybody_asked_is_not_told():
    reader = KeepingFeig()
    reader.lay(AS, 3)
    reader.wake(0)
    reader.lift(AS, 3)
    line = VirtualLine(feig_buffer.DRIVER, reader)
    assert seen(line.run(5000)) == []


def test_a_resting_tag_is_told_again_before_it_would_count_as_gone():
    reader = KeepingFeig()
    line = reading(reader)
    reader.lay(AS, 42)
    read = [(at, one) for at, one in line.run(10_000) if isinstance(one, TagSeen)]
    assert {one for _, one in read} == {TagSeen(42, AS)}
    assert max(later - at for (at, _), (later, _) in pairwise(read)) <= VALID_MS + 2 * READ_MS
    assert 3 * (VALID_MS + READ_MS) < HELD_MS


def test_the_mute_trap_a_reader_that_tells_a_tag_only_once_says_nothing_of_one_that_lies():
    reader = KeepingFeig(Fit(valid_ms=None))
    line = reading(reader)
    reader.lay(AS, 1)
    assert seen(line.run(10 * HELD_MS)) == [(1, AS)]


def test_a_tag_on_two_antennas_is_kept_for_each_unless_the_reader_is_told_to_keep_it_once():
    for once, wanted in ((False, {(1, AS), (2, AS)}), (True, {(1, AS)})):
        reader = KeepingFeig(Fit(once_per_tag=once))
        line = reading(reader)
        reader.lay(AS, 1)
        reader.lay(AS, 2)
        assert set(seen(line.run(1000))) == wanted


@pytest.mark.parametrize(
    ("driver", "measured"),
    [(feig_buffer.DRIVER, True), (feig_buffer.PLAIN_DRIVER, False)],
)
@pytest.mark.parametrize("piece_bytes", [0, 1, 13])
@pytest.mark.parametrize("tells", [0x31, 0x11, 0x39])
def test_a_deck_and_more_is_read_in_parts_and_told_whole(driver, measured, piece_bytes, tells):
    reader = KeepingFeig(Fit(measured=measured, tells=tells, valid_ms=60_000))
    line = reading(reader, driver, piece_bytes=piece_bytes)
    on = [(antenna, uid) for antenna in (1, 2, 3) for uid in DECK]
    for antenna, uid in on:
        reader.lay(uid, antenna)
    read = line.run(1000)
    assert sorted(seen(read)) == sorted(on)
    assert losses(read) == 0
    first = commands(line).index(DELETE)
    assert commands(line)[first - 1 :][:6] == [READ, DELETE, READ, DELETE, READ, DELETE]


def test_while_more_is_waiting_it_is_read_at_once():
    reader = KeepingFeig(Fit(valid_ms=60_000))
    line = reading(reader)
    for antenna in (1, 2, 3):
        for uid in DECK:
            reader.lay(uid, antenna)
    line.run(READ_MS)
    assert len({at for at, sent in line.sent if sent == READ}) >= 4


def test_an_overflow_is_told_as_a_loss_once_and_what_was_kept_is_told():
    reader = KeepingFeig(Fit(table_max=10, valid_ms=60_000))
    line = reading(reader)
    for uid in DECK:
        reader.lay(uid, 4)
    read = line.run(2000)
    assert seen(read) == [(4, uid) for uid in DECK[:10]]
    assert losses(read) == 1
    assert [one.code for _, one in read if isinstance(one, DeviceFault)] == [0x93]
    assert RESET not in commands(line)


@pytest.mark.parametrize("fault", ["deletions_lost", "deletions_unanswered"])
@pytest.mark.parametrize("tells", [0x31, UNTIMED])
def test_a_deletion_that_fails_brings_nothing_twice_and_loses_nothing(fault, tells):
    reader = KeepingFeig(Fit(tells=tells, valid_ms=60_000))
    line = reading(reader)
    setattr(reader.faults, fault, 1)
    reader.lay(AS, 1)
    told = seen(line.run(READ_MS))
    reader.lay(KD, 2)
    told += seen(line.run(3000))
    assert told == [(1, AS), (2, KD)]
    assert RESET not in commands(line)


@pytest.mark.parametrize("fault", ["answers_lost", "answers_corrupt"])
def test_a_lost_answer_is_asked_for_again_and_nothing_is_deleted_meanwhile(fault):
    reader = KeepingFeig(Fit(valid_ms=60_000))
    line = reading(reader)
    reader.lay(AS, 1)
    setattr(reader.faults, fault, 1)
    assert seen(line.run(LIST_MS_MAX + 2 * READ_MS)) == [(1, AS)]
    after_loss = commands(line)[4:]
    assert after_loss.index(DELETE) > after_loss.index(READ)


def test_a_reader_that_hangs_is_reset_which_is_a_loss_and_read_again():
    reader = KeepingFeig()
    line = reading(reader)
    reader.lay(AS, 2)
    line.run(READ_MS)
    reader.hang()
    read = line.run(UNANSWERED_MAX * LIST_MS_MAX + RESTART_MS + 1000)
    assert losses(read) == 1
    assert seen(read)[-1] == (2, AS)
    at = commands(line).index(RESET)
    assert commands(line)[at - UNANSWERED_MAX : at] == [READ] * UNANSWERED_MAX
    assert commands(line)[at:][:4] == [RESET, ask(0x65), ask(0x66, b"\x00"), EMPTY]


def test_a_reader_that_cannot_empty_its_buffer_is_read_all_the_same():
    reader = KeepingFeig()
    reader.faults.unknown = (0x33,)
    line = reading(reader)
    reader.lay(AS, 1)
    assert (1, AS) in seen(line.run(1000))
    assert RESET not in commands(line)


def test_a_reader_that_refuses_to_delete_is_reset_and_its_losses_are_told():
    reader = KeepingFeig()
    line = reading(reader)
    reader.faults.unknown = (0x32,)
    reader.lay(AS, 1)
    assert losses(line.run(5000)) >= 1
    assert RESET in commands(line)


def test_a_reader_in_another_mode_is_asked_again_and_again_and_never_reset():
    reader = KeepingFeig()
    reader.faults.unknown = (0x22,)
    line = reading(reader)
    read = line.run(2000)
    assert {one.code for _, one in read if isinstance(one, DeviceFault)} == {0x80}
    assert len([sent for sent in commands(line) if sent == READ]) <= 25
    assert RESET not in commands(line)


def test_the_reader_of_the_other_layout_is_seen_by_its_losses():
    reader = KeepingFeig(Fit(measured=False))
    line = reading(reader)
    reader.lay(AS, 1)
    read = line.run(10_000)
    assert seen(read) == []
    assert losses(read) >= 3


def test_how_full_its_buffer_is_the_simulated_reader_tells_as_the_vector_does():
    reader = KeepingFeig()
    reader.lay(AS)
    reader.lay(KD)
    reader.hear(ask(0x31), 0)
    told = reader.wake(100)
    assert told == bytes.fromhex("02000e003100012c00000002ce40")


# --- notification mode ---------------------------------------------------------------------------


def notified(reader: KeepingFeig, driver: Driver = feig_notify.DRIVER, **line) -> VirtualLine:
    assert reader.fit.notifies
    return reading(reader, driver, **line)


def notifying(**fit) -> KeepingFeig:
    return KeepingFeig(Fit(notifies=True, **fit))


def test_nothing_is_asked_before_the_reader_speaks():
    line = notified(notifying())
    line.run(10_000)
    assert line.sent == []


@pytest.mark.parametrize(
    ("driver", "measured"),
    [(feig_notify.DRIVER, True), (feig_notify.PLAIN_DRIVER, False)],
)
@pytest.mark.parametrize("piece_bytes", [0, 1, 13])
@pytest.mark.parametrize("acked", [True, False])
@pytest.mark.parametrize("answers_acks", [True, False])
def test_a_deck_is_told_whole_and_once(driver, measured, piece_bytes, acked, answers_acks):
    reader = notifying(
        measured=measured, acked=acked, answers_acks=answers_acks, valid_ms=60_000, sets_max=20
    )
    line = notified(reader, driver, piece_bytes=piece_bytes)
    for uid in DECK:
        reader.lay(uid, 4)
    read = line.run(10_000)
    assert seen(read) == [(4, uid) for uid in DECK]
    assert losses(read) == 0
    assert set(commands(line)) == {DELETE}
    assert reader.sent == 3


def test_a_list_is_acknowledged_at_once():
    reader = notifying()
    line = notified(reader)
    reader.lay(AS, 1)
    line.run(0)
    assert [sent for _, sent in line.sent] == [DELETE]
    assert line.sent[0][0] <= IDENTIFIED_MS


def test_an_acknowledgement_that_is_lost_is_sent_for_the_repetition_which_is_no_news():
    reader = notifying(valid_ms=60_000)
    line = notified(reader)
    reader.faults.deletions_lost = 1
    reader.lay(AS, 1)
    read = line.run(2 * REPEAT_MS)
    assert seen(read) == [(1, AS)]
    assert reader.sent == 2
    assert commands(line) == [DELETE, DELETE]


@pytest.mark.parametrize("tells", [0x31, UNTIMED])
def test_what_a_slow_host_gets_several_times_is_no_new_arrival(tells):
    """The host stood still for a while: the same list lies three times in its socket."""
    reader = notifying(tells=tells, valid_ms=60_000)
    reader.lay(KD, 9)
    decoder, talker = feig_notify.DRIVER.decoder(), FeigNotifyTalker()
    first = decoder.feed(reader.wake(0))
    decoder.feed(reader.hear(DELETE, 0) + reader.wake(10))  # this reader answers deletions
    reader.lay(AS, 1)
    reader.lift(KD, 9)
    waiting = b"".join(reader.wake(100 + turn * REPEAT_MS) for turn in range(3))
    readings = decoder.feed(waiting)
    assert reader.sent == 4
    assert [one for one in first + readings if isinstance(one, TagSeen)] == [
        TagSeen(9, KD),
        TagSeen(1, AS),
    ]
    talker.start(0)
    assert all(talker.hear(one, 20_000) == b"" for one in readings)
    assert talker.wake(20_000) == DELETE
    assert talker.wake(20_000) == b""


def test_no_second_acknowledgement_goes_out_before_the_first_is_answered_or_late():
    talker = FeigNotifyTalker()
    talker.start(0)
    whole = Answered(0x22, b"\x00\x00\x01")
    talker.hear(whole, 0)
    assert (talker.next_ms, talker.wake(0)) == (0, DELETE)
    talker.hear(whole, 100)
    assert talker.wake(100) == b""
    talker.hear(Answered(0x32), 200)
    assert (talker.next_ms, talker.wake(200)) == (200, DELETE)
    talker.hear(whole, 300)
    assert talker.next_ms == 1200
    assert talker.wake(1200) == DELETE
    assert talker.wake(2200) == b""
    assert talker.next_ms is None


def test_keep_alives_are_beats_and_never_acknowledged():
    reader = notifying(alive_ms=1000)
    line = notified(reader)
    read = line.run(10_000)
    assert sum(isinstance(one, Beat) for _, one in read) == 10
    assert line.sent == []
    assert feig_notify.DRIVER.silent_after_ms is not None


def test_an_overflow_of_a_reader_nobody_listened_to_is_told_as_a_loss():
    reader = notifying(table_max=10, valid_ms=60_000)
    for uid in DECK:
        reader.lay(uid, 4)
    read = VirtualLine(feig_notify.DRIVER, reader).run(1000)
    assert losses(read) == 1
    assert seen(read) == [(4, uid) for uid in DECK[:10]]


# --- any course of things ------------------------------------------------------------------------

HAPPENINGS = st.lists(
    st.one_of(
        st.sampled_from(
            [
                Garbled("stray bytes"),
                Inventory(()),
                Beat(),
                EventsLost(0, 0),
                TagSeen(1, AS),
                DeviceFault(0x93, "warning"),
                DeviceFault(0x80, "error"),
                Answered(0x22, b"\x94\x00\x01"),
                Answered(0x22, b"\x94\x00\x00"),
                Answered(0x22, b""),
                *(Answered(control) for control in (0x63, 0x65, 0x66, 0x32, 0x33)),
            ]
        ),
        st.integers(0, 2000),
    ),
    max_size=60,
)


@given(HAPPENINGS)
def test_never_is_more_than_one_command_in_flight(happenings):
    talker = FeigBufferTalker()
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


@given(HAPPENINGS)
def test_only_a_list_is_acknowledged(happenings):
    talker = FeigNotifyTalker()
    talker.start(0)
    now_ms, owed = 0, 0
    for happening in happenings:
        if isinstance(happening, int):
            now_ms += happening
            while talker.next_ms is not None and talker.next_ms <= now_ms:
                if talker.wake(talker.next_ms):
                    assert owed > 0
                    owed = 0
        else:
            owed += isinstance(happening, Answered) and happening.command == 0x22
            talker.hear(happening, now_ms)
    assert owed == 0 or talker.next_ms is not None


@given(
    st.lists(
        st.tuples(st.sampled_from(DECK[:6]), st.integers(1, 88), st.integers(0, 400)), max_size=15
    ),
    st.integers(0, 2),
    st.booleans(),
)
def test_what_rests_is_seen_where_it_rests_whatever_was_lost_on_the_line(moves, lost, notifies):
    reader = KeepingFeig(Fit(notifies=notifies))
    line = reading(reader, feig_notify.DRIVER if notifies else feig_buffer.DRIVER)
    reader.faults.deletions_lost = lost
    reader.faults.answers_lost = 0 if notifies else lost
    lies: dict[str, int] = {}
    for uid, antenna, wait_ms in moves:
        if uid in lies:
            reader.lift(uid, lies[uid])
        reader.lay(uid, antenna)
        lies[uid] = antenna
        line.run(wait_ms)
    line.run(3 * REPEAT_MS)
    assert set(seen(line.run(1000))) == {(antenna, uid) for uid, antenna in lies.items()}


def test_the_simulated_reader_obeys_its_own_address_only():
    reader = KeepingFeig(address=3)
    reader.hear(frame(Framed(9, 0x65, b"")), 0)
    assert reader.next_ms is None
    reader.hear(frame(Framed(3, 0x65, b"")), 0)
    assert reader.wake(ANSWER_MS_MAX)[3] == 3
