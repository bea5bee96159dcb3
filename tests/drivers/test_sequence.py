"""The numbers of a shoe's events: gaps, duplicates, wraps and restarts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.csl1 import DRIVER
from drivers.framing import line
from drivers.readings import (
    Beat,
    CardDrawn,
    CutCardCame,
    EventsLost,
    Missing,
    Reading,
    Started,
)
from drivers.sequence import HELD_MAX, RING_EVENTS


def heard(*chunks: bytes) -> list[Reading]:
    decoder = DRIVER.decoder()
    return [reading for chunk in chunks for reading in decoder.feed(chunk)]


def card(seq: int, t_ms: int | None = None, n: int = 1) -> bytes:
    return line(f"CARD,{seq},{seq * 100 if t_ms is None else t_ms},{n},AS,98,O")


def cut(seq: int, t_ms: int | None = None) -> bytes:
    return line(f"CUT,{seq},{seq * 100 if t_ms is None else t_ms},{seq % 1000 + 1}")


def cuts(*seqs: int) -> list[Reading]:
    return [CutCardCame(seq % 1000 + 1) for seq in seqs]


def beat(last: int, t_ms: int | None = None) -> bytes:
    return line(f"HB,{last},{last * 100 + 50 if t_ms is None else t_ms},RUN,0")


def helo(seq: int, t_ms: int, boot: str = "5F3A91C2") -> bytes:
    return line(f"HELO,{seq},{t_ms},CSL1,{boot},ACME,OPTISHOE,SN1,1.4.2,1,CARD")


RUN = Beat("RUN")
HELLO = Started("ACME OPTISHOE", "1.4.2", "5F3A91C2")
OTHER = Started("ACME OPTISHOE", "1.4.2", "5F3A91C3")


# --- the numbers ---------------------------------------------------------------------------------


def test_the_first_number_heard_is_no_gap_whether_an_event_s_or_a_heartbeat_s():
    assert heard(cut(1000), cut(1001)) == cuts(1000, 1001)
    assert heard(beat(1000), cut(1001)) == [RUN, *cuts(1001)]
    assert heard(helo(1000, 100_000), cut(1001)) == [HELLO, *cuts(1001)]


def test_numbers_and_times_go_round():
    top = (1 << 32) - 6
    assert heard(cut(65534, top - 9), cut(65535, top), cut(0, 410), beat(0, 420)) == [
        *cuts(65534, 65535, 0), RUN,
    ]  # fmt: skip
    assert heard(cut(65535, top), beat(0, 400)) == [*cuts(65535), Missing(0, 0), RUN]


def test_an_event_heard_twice_counts_once():
    assert heard(cut(5), cut(5), cut(6), cut(5), cut(6)) == cuts(5, 6)
    assert heard(beat(5), cut(5)) == [RUN]


def test_a_gap_is_told_at_once_and_later_events_wait_for_the_missing_ones():
    assert heard(cut(4), cut(7), cut(8)) == [*cuts(4), Missing(5, 6)]
    assert heard(cut(4), cut(7), cut(8), cut(5), cut(6), cut(9)) == [
        *cuts(4), Missing(5, 6), *cuts(5, 6, 7, 8, 9),
    ]  # fmt: skip
    assert heard(cut(4), cut(7), cut(7), cut(6), cut(6), cut(5)) == [
        *cuts(4), Missing(5, 6), *cuts(5, 6, 7),
    ]  # fmt: skip


def test_a_heartbeat_shows_a_lost_tail():
    assert heard(cut(4), beat(6), cut(5), cut(6)) == [*cuts(4), Missing(5, 6), RUN, *cuts(5, 6)]


def test_a_heartbeat_sent_before_the_event_it_was_late_for_is_no_gap_and_no_restart():
    assert heard(cut(4), cut(5), beat(4, 520), cut(6)) == [*cuts(4, 5), RUN, *cuts(6)]
    assert heard(cut(4), beat(4, 1400), cut(5, 1300)) == [*cuts(4), RUN, *cuts(5)]


def test_two_heartbeats_after_a_gap_what_did_not_come_is_lost():
    assert heard(cut(4), cut(7), cut(5), beat(7), beat(7, 1750), cut(8, 1800)) == [
        *cuts(4), Missing(5, 6), *cuts(5), Missing(6, 6), RUN, EventsLost(6, 6), *cuts(7), RUN,
        *cuts(8),
    ]  # fmt: skip


def test_what_was_given_up_and_comes_late_is_dropped():
    assert heard(cut(4), cut(7), beat(7), beat(7, 1750), cut(6), cut(5), cut(8, 1800)) == [
        *cuts(4), Missing(5, 6), Missing(5, 6), RUN, EventsLost(5, 6), *cuts(7), RUN, *cuts(8),
    ]  # fmt: skip


def test_each_gap_has_its_own_two_heartbeats():
    assert heard(
        cut(1), cut(3), beat(3), cut(5), cut(7), beat(7), cut(4), cut(8), beat(8), cut(9)
    ) == [
        *cuts(1), Missing(2, 2), Missing(2, 2), RUN, Missing(4, 4), Missing(6, 6),
        EventsLost(2, 2), *cuts(3), Missing(4, 4), Missing(6, 6), RUN,
        *cuts(4, 5), EventsLost(6, 6), *cuts(7, 8), RUN, *cuts(9),
    ]  # fmt: skip


def test_no_more_than_so_many_events_wait_for_a_missing_one():
    waiting = [cut(seq) for seq in range(6, 6 + HELD_MAX)]
    assert heard(cut(4), *waiting) == [*cuts(4), Missing(5, 5)]
    assert heard(cut(4), *waiting, cut(6 + HELD_MAX)) == [
        *cuts(4), Missing(5, 5), EventsLost(5, 5), *cuts(*range(6, 7 + HELD_MAX)),
    ]  # fmt: skip


def test_more_than_a_device_keeps_is_not_asked_for():
    far = 5 + RING_EVENTS
    assert heard(cut(4), cut(far)) == [*cuts(4), Missing(5, far - 1)]
    assert heard(cut(4), cut(6), cut(far + 3)) == [
        *cuts(4), Missing(5, 5), EventsLost(5, 5), *cuts(6), EventsLost(7, far + 2), *cuts(far + 3),
    ]  # fmt: skip


# --- restarts ------------------------------------------------------------------------------------


def test_another_boot_id_begins_the_numbers_anew():
    assert heard(helo(0, 12), cut(1), helo(0, 12, "5F3A91C3"), cut(1, 300), cut(2, 400)) == [
        HELLO, *cuts(1), OTHER, *cuts(1, 2),
    ]  # fmt: skip


def test_what_was_missing_before_a_restart_is_lost():
    assert heard(helo(0, 12), cut(3), helo(0, 12, "5F3A91C3")) == [
        HELLO, Missing(1, 2), EventsLost(1, 2), *cuts(3), OTHER,
    ]  # fmt: skip


def test_a_restart_whose_greeting_was_lost_is_seen_by_the_time_and_asked_about():
    first_run = helo(0, 12), cut(1, 90_000), cut(4, 91_000)
    assert heard(*first_run, cut(2, 300), helo(0, 15, "5F3A91C3"), cut(1, 200)) == [
        HELLO, *cuts(1), Missing(2, 3), EventsLost(2, 3), *cuts(4), Started(""), Missing(0, 1),
        OTHER, *cuts(1, 2),
    ]  # fmt: skip
    assert heard(cut(5, 90_000), cut(6, 90), beat(6, 100)) == [
        *cuts(5), Started(""), Missing(0, 5), Missing(0, 5), RUN,
    ]  # fmt: skip
    assert heard(cut(5, 90_000), beat(1, 1000), helo(0, 10), cut(1, 50)) == [
        *cuts(5), Started(""), Missing(0, 1), RUN, HELLO, *cuts(1),
    ]  # fmt: skip


def test_the_number_of_before_with_another_time_is_an_event_of_a_new_run():
    assert heard(helo(0, 12), cut(1, 2100), cut(1, 2500)) == [
        HELLO, *cuts(1), Started(""), Missing(0, 0),
    ]  # fmt: skip
    assert heard(cut(4, 90_000), cut(7, 91_000), cut(6, 400)) == [
        *cuts(4), Missing(5, 6), EventsLost(5, 6), *cuts(7), Started(""), Missing(0, 5),
    ]  # fmt: skip


def test_a_device_that_has_long_run_unheard_is_not_asked_for_its_past():
    assert heard(helo(0, 12), helo(300, 900_000, "5F3A91C3"), cut(301, 900_100)) == [
        HELLO, OTHER, EventsLost(0, 299), *cuts(301),
    ]  # fmt: skip
    assert heard(cut(5000, 900_000), beat(300, 950_000), cut(301, 950_100)) == [
        *cuts(5000), Started(""), EventsLost(0, 300), RUN, *cuts(301),
    ]  # fmt: skip


def test_a_greeting_that_was_asked_for_is_no_restart():
    assert heard(cut(4), helo(5, 510), cut(6)) == [*cuts(4), HELLO, *cuts(6)]
    assert heard(helo(0, 12), cut(1), helo(1, 140), cut(2)) == [HELLO, *cuts(1), HELLO, *cuts(2)]
    assert heard(helo(0, 12), cut(1), helo(0, 12)) == [HELLO, *cuts(1)]


def test_a_greeting_with_a_time_of_before_is_a_restart_where_the_boot_id_was_unknown():
    assert heard(cut(400), helo(0, 12), cut(1)) == [*cuts(400), HELLO, *cuts(1)]


# --- whatever comes ------------------------------------------------------------------------------

NUMBERS = st.sampled_from([0, 1, 2, 3, 5, 9, 70, 300, 32_767, 32_768, 40_000, 65_534, 65_535])
TIMES = st.sampled_from([0, 12, 900, 9000, 20_000, 1 << 31, (1 << 32) - 1])
LINES = st.one_of(
    st.builds(cut, NUMBERS, TIMES),
    st.builds(beat, NUMBERS, TIMES),
    st.builds(helo, NUMBERS, TIMES, st.sampled_from(["00000000", "0000000A"])),
    st.binary(max_size=40),
)


@given(st.lists(LINES, max_size=40))
def test_no_bytes_break_the_decoder_and_what_it_keeps_is_bounded(chunks):
    decoder = DRIVER.decoder()
    for chunk in chunks:
        decoder.feed(chunk)
    sequence = decoder._sequence
    assert len(sequence._held) <= HELD_MAX
    assert len(sequence._past) <= RING_EVENTS
    assert len(sequence._gaps) <= HELD_MAX + 1
    decoder.feed(helo(0, 1, "99999999") + helo(0, 1, "99999998"))
    assert decoder.feed(card(1, 20)) == [CardDrawn(1, "As", quality=98)]


@given(st.permutations(range(1, 12)), st.integers(0, 65_535))
def test_events_in_any_order_are_told_in_the_order_of_their_numbers(places, first):
    stream = [cut((first + place) % 65_536, 5000 + place) for place in (0, *places)]
    told = [reading for reading in heard(*stream) if not isinstance(reading, Missing)]
    assert told == cuts(*((first + place) % 65_536 for place in range(12)))


@given(st.lists(st.sampled_from("..............xb"), min_size=1, max_size=400))
def test_every_number_is_told_or_lost_exactly_once(fates):
    decoder, readings, sent = DRIVER.decoder(), [], 1
    readings += decoder.feed(cut(0, 0))
    for fate in fates:
        if fate == "b":
            readings += decoder.feed(beat(sent - 1, sent * 100))
            continue
        if fate == ".":
            readings += decoder.feed(cut(sent))
        sent += 1
    for later in range(3):
        readings += decoder.feed(beat(sent - 1, sent * 100 + later))
    numbers: list[int] = []
    for reading in readings:
        match reading:
            case CutCardCame(n):
                numbers.append(n - 1)
            case EventsLost(lost_first, lost_last):
                numbers += range(lost_first, lost_last + 1)
            case _:
                pass
    assert [number % 1000 for number in numbers] == [seq % 1000 for seq in range(sent)]
