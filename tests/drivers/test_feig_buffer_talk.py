"""The talk with a Feig reader in buffered read mode: what it kept, in parts, once, and losses."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from drivers import feig_buffer
from drivers.driver import Driver
from drivers.feig_buffer import (
    LIST_MS_MAX,
    READ_MS,
    SETS_MAX,
    FeigBufferTalker,
)
from drivers.feig_frames import Framed, ask, frame
from drivers.feig_lists import HELD_MS
from drivers.feig_talk import ANSWER_MS_MAX, RESTART_MS, UNANSWERED_MAX
from drivers.readings import DeviceFault, TagSeen
from drivers.simulated.feig_kept import VALID_MS, Fit, KeepingFeig
from drivers.simulated.virtual import VirtualLine
from tests.drivers import kept
from tests.drivers.kept import (
    AS,
    DECK,
    DELETE,
    HAPPENINGS,
    KD,
    TIMED,
    UNTIMED,
    commands,
    losses,
    seen,
)

READ = ask(0x22, SETS_MAX.to_bytes(2, "big"))
EMPTY, RESET = ask(0x33), ask(0x63)


def reading(reader: KeepingFeig, driver: Driver = feig_buffer.DRIVER, **line) -> VirtualLine:
    return kept.reading(reader, driver, **line)


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
@pytest.mark.parametrize("tells", [TIMED, UNTIMED])
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


def test_the_simulated_reader_obeys_its_own_address_only():
    reader = KeepingFeig(address=3)
    reader.hear(frame(Framed(9, 0x65, b"")), 0)
    assert reader.next_ms is None
    reader.hear(frame(Framed(3, 0x65, b"")), 0)
    assert reader.wake(ANSWER_MS_MAX)[3] == 3


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
