"""The talk with a Feig reader that calls: what it tells is acknowledged, and told once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import feig_buffer, feig_notify
from drivers.driver import Driver
from drivers.feig_notify import FeigNotifyTalker
from drivers.readings import Answered, Beat, TagSeen
from drivers.simulated.feig_kept import REPEAT_MS, Fit, KeepingFeig
from drivers.simulated.virtual import VirtualLine
from tests.drivers.kept import (
    AS,
    DECK,
    DELETE,
    HAPPENINGS,
    IDENTIFIED_MS,
    KD,
    TIMED,
    UNTIMED,
    commands,
    losses,
    reading,
    seen,
)


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


@pytest.mark.parametrize("tells", [TIMED, UNTIMED])
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
