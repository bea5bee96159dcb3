"""What Feig readers have kept: vectors, both layouts, repetitions, losses, and any other bytes.

Frames marked `computed` are built here from the layouts in `drivers.feig_records`; no source shows
them.
"""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from drivers import feig_buffer, feig_notify
from drivers.catalog import DRIVERS
from drivers.feig_frames import FRAME_BYTES_MAX, Framed, ask, frame
from drivers.feig_lists import BROKEN, FeigLists
from drivers.feig_records import MEASURED_RECORDS, PLAIN_RECORDS, buffer_records, sets_count
from drivers.feig_words import STATUSES
from drivers.readings import Answered, Beat, DeviceFault, EventsLost, Garbled, TagSeen
from tests.drivers.wires import bytewise, heard, news

VECTORS = {
    vector["id"]: bytes.fromhex(vector["hex"])
    for vector in json.loads(
        (Path(__file__).parents[1] / "vectors" / "vectors.json").read_text("utf-8")
    )["vectors"]
    if vector["protocol"] == "feig"
}
ASKED, NOTIFIED, DELETED = VECTORS["feig-021"], VECTORS["feig-022"], VECTORS["feig-023"]
AS, KD, TWO = "e00401000a1b2c3d", "e00401000a1b2c3e", "e004015012345678"
LOST = EventsLost(0, 0)
ROWS = (
    feig_buffer.DRIVER,
    feig_buffer.PLAIN_DRIVER,
    feig_notify.DRIVER,
    feig_notify.PLAIN_DRIVER,
)


def fed(*chunks: bytes, asked: bool = True) -> list:
    return heard(FeigLists(MEASURED_RECORDS, asked=asked), *chunks)


def said(control: int, rest: bytes = b"\x00", *, advanced: bool = True) -> bytes:
    return frame(Framed(0, control, rest, advanced))


def record(uid: str, antenna: int, timer: int | None = None, *, plain: bool = False) -> bytes:
    number = bytes.fromhex(uid)
    body = b"\x03" + (b"" if plain else bytes((0, len(number)))) + number
    body += b"" if timer is None else timer.to_bytes(4, "big")
    body += bytes((antenna,))
    return body if plain else (len(body) + 2).to_bytes(2, "big") + body


def listed(*records: bytes, status: int = 0, tells: int = 0x11) -> bytes:
    """Computed: an answer of 22 with identifier and antenna, and with TR-DATA1 31 the timer."""
    head = bytes((status, tells)) + len(records).to_bytes(2, "big")
    return said(0x22, head + b"".join(records))


def whole(count: int, status: int = 0) -> Answered:
    return Answered(0x22, bytes((status,)) + count.to_bytes(2, "big"))


# --- vectors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize(
    ("sent", "readings"),
    [
        (ASKED, [TagSeen(3, AS), TagSeen(4, KD), whole(2)]),
        (NOTIFIED, [TagSeen(11, AS), whole(1)]),
        (VECTORS["feig-025"], [Answered(0x31, bytes.fromhex("012c00000002"))]),
        (DELETED, []),
    ],
)
def test_the_vectors_say_what_they_mean_whole_and_byte_by_byte(asked, sent, readings):
    assert fed(sent, asked=asked) == readings
    assert fed(*bytewise(sent), asked=asked) == readings


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_no_frame_of_a_host_is_news(row):
    for sent in (ask(0x22, b"\x00\x40"), ask(0x32), ask(0x33), ask(0x63), VECTORS["feig-024"]):
        assert heard(row.decoder(), sent) == []


@pytest.mark.parametrize("name", ["feig-027", "feig-028"])
def test_a_bad_vector_is_refused_and_the_next_list_is_read(name):
    assert news(fed(VECTORS[name], ASKED)) == [TagSeen(3, AS), TagSeen(4, KD), whole(2)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_row_is_in_the_catalogue_and_tells_tags_one_by_one(row):
    assert row in DRIVERS
    assert not row.polled
    assert row.antennas_max == 88
    assert row.held_ms is not None


# --- the records ---------------------------------------------------------------------------------


def test_computed_records_without_lengths_are_read_by_the_other_layout():
    sent = listed(record(AS, 3, plain=True), record(KD, 42, plain=True))
    assert heard(FeigLists(PLAIN_RECORDS, asked=True), sent) == [
        TagSeen(3, AS),
        TagSeen(42, KD),
        whole(2),
    ]


def test_computed_records_without_lengths_of_every_field_are_walked():
    fields = bytes.fromhex(AS)[::-1] + b"\x01\x04abcd" + b"\x00\x00\x00\x07" + bytes(5) + b"\x06"
    body = b"\xfb\x00\x00\x02" + 2 * (b"\x03" + fields)
    assert [(r.uid, r.antenna, r.timer) for r in buffer_records(body, PLAIN_RECORDS)] == [
        (AS, 6, 7)
    ] * 2


@pytest.mark.parametrize(("wrong", "plain"), [(MEASURED_RECORDS, True), (PLAIN_RECORDS, False)])
@pytest.mark.parametrize("count", [1, 2, 60])
def test_a_reader_in_the_other_layout_tells_losses_and_never_a_card(wrong, plain, count):
    sent = listed(*[record(f"e0040150{n:08x}", 4, 9, plain=plain) for n in range(count)])
    decoder = FeigLists(wrong, asked=True)
    assert news(decoder.feed(sent)) == []
    assert news(decoder.feed(sent)) == [LOST, whole(count)]


@pytest.mark.parametrize("tells", [0x11, 0x19])
def test_a_uid_is_told_with_its_e0_first_however_the_reader_turns_it(tells):
    for number in (AS, bytes.fromhex(AS)[::-1].hex()):
        assert fed(listed(record(number, 5), tells=tells))[0] == TagSeen(5, AS)


def test_a_short_uid_is_turned_only_where_the_reader_says_so():
    seven = "040e3bd2286b85"
    of_a = (b"\x00\x0d\x04\x00\x07" + bytes.fromhex(seven) + b"\x02",)
    assert fed(listed(*of_a))[0] == TagSeen(2, seven)
    assert fed(listed(*of_a, tells=0x19))[0] == TagSeen(2, bytes.fromhex(seven)[::-1].hex())


def test_a_tag_on_two_antennas_is_told_of_each():
    assert fed(listed(record(AS, 1), record(AS, 2)))[:2] == [TagSeen(1, AS), TagSeen(2, AS)]


def test_what_announces_records_without_a_tag_is_told_so_that_it_is_deleted():
    assert fed(listed(b"\x00\x03\x05", tells=0x10)) == [whole(1)]
    assert [sets_count(body) for body in (b"", b"\x11", b"\x11\x00\x02", b"\x91\x00\x00\x03")] == [
        0, 1, 2, 3,
    ]  # fmt: skip


# --- statuses ------------------------------------------------------------------------------------


def test_nothing_new_is_an_empty_list():
    assert fed(said(0x22, b"\x92")) == [whole(0, 0x92)]
    assert fed(said(0x22, b"\x01")) == [whole(0, 0x01)]
    assert fed(listed(status=0x92)) == [whole(0, 0x92)]


def test_records_come_with_a_status_that_says_more_or_that_there_were_less():
    assert fed(listed(record(AS, 1), status=0x94)) == [TagSeen(1, AS), whole(1, 0x94)]
    assert fed(listed(record(AS, 1), status=0x92)) == [TagSeen(1, AS), whole(1, 0x92)]


def test_an_overflow_is_a_loss_behind_what_was_kept():
    fault = DeviceFault(0x93, "warning", STATUSES[0x93][1])
    told = [TagSeen(1, AS), fault, LOST, whole(1, 0x93)]
    assert fed(listed(record(AS, 1), status=0x93)) == told
    assert fed(said(0x22, b"\x93")) == [fault, LOST, whole(0, 0x93)]


def test_a_cpu_reset_loses_what_was_kept():
    assert fed(said(0x63)) == [LOST, Answered(0x63)]


def test_other_statuses_are_faults():
    assert fed(said(0x22, b"\x11")) == [DeviceFault(0x11, "error", STATUSES[0x11][1])]
    assert fed(said(0x33, b"\x80")) == [DeviceFault(0x80, "error", "unknown status")]
    assert fed(said(0x32, b"\x84")) == [
        DeviceFault(0x84, "warning", STATUSES[0x84][1]),
        Answered(0x32),
    ]


@pytest.mark.parametrize("rest", ["00", "000100", "84ffff"])
def test_a_keep_alive_is_a_beat(rest):
    assert fed(said(0x6E, bytes.fromhex(rest)), asked=False) == [Beat()]


def test_a_broken_list_is_asked_for_again_before_it_counts_as_lost():
    broken = listed(record(AS, 1)[:-1])
    garbled = Garbled(BROKEN, broken[6:-2])
    assert fed(broken) == [garbled]
    assert fed(broken, listed(record(AS, 1)), broken) == [
        garbled,
        TagSeen(1, AS),
        whole(1),
        garbled,
    ]
    assert fed(broken, broken) == [garbled, garbled, LOST, whole(1)]


def test_a_broken_list_that_came_unasked_is_lost_at_once():
    broken = listed(record(AS, 1)[:-1])
    assert fed(broken, asked=False) == [Garbled(BROKEN, broken[6:-2]), LOST, whole(1)]


# --- what is repeated ----------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [True, False])
def test_a_timed_list_that_is_repeated_is_told_once(asked):
    first = listed(record(AS, 1, 100), record(KD, 2, 101), tells=0x31)
    assert fed(first, first, first, asked=asked) == [
        TagSeen(1, AS), TagSeen(2, KD), whole(2), whole(2), whole(2),
    ]  # fmt: skip


def test_what_came_to_a_list_that_was_not_deleted_is_told_and_the_rest_is_not():
    first, both = listed(record(AS, 1)), listed(record(AS, 1), record(KD, 2))
    assert fed(first, both) == [TagSeen(1, AS), whole(1), TagSeen(2, KD), whole(2)]


@pytest.mark.parametrize("deleted", [said(0x32), said(0x33)])
def test_after_a_deletion_the_same_tag_is_news_again(deleted):
    sent = listed(record(AS, 1))
    assert fed(sent, deleted, sent).count(TagSeen(1, AS)) == 2


def test_a_list_that_goes_on_differently_is_another_one():
    first = listed(record(AS, 1), record(KD, 2))
    other = listed(record(AS, 1), record(TWO, 3))
    assert news(fed(first, other))[3:] == [TagSeen(1, AS), TagSeen(3, TWO), whole(2)]


def test_without_timer_and_answers_to_deletions_a_tag_that_rests_is_told_each_time():
    sent = listed(record(AS, 1))
    assert fed(sent, sent, asked=False).count(TagSeen(1, AS)) == 2
    assert fed(said(0x32), sent, sent, asked=False).count(TagSeen(1, AS)) == 1


def test_without_answers_to_deletions_a_later_time_is_news():
    sent = [listed(record(AS, 1, at), tells=0x31) for at in (100, 100, 160, 160)]
    assert fed(*sent, asked=False).count(TagSeen(1, AS)) == 2


# --- any bytes -----------------------------------------------------------------------------------

PIECES = st.one_of(
    st.binary(max_size=12),
    st.sampled_from([ASKED[:9], ASKED[5:], ASKED[:-1], b"\x02\x00", bytes.fromhex("ff0022")]),
    st.lists(st.sampled_from([0x02, 0x00, 0x27, 0xFF, 0x22, 0x32]), max_size=12).map(bytes),
)
WANTED = [TagSeen(7, TWO), whole(1)]


@given(st.lists(PIECES, max_size=12), st.booleans(), st.booleans())
def test_no_bytes_break_the_decoder(chunks, plain, asked):
    decoder = FeigLists(PLAIN_RECORDS if plain else MEASURED_RECORDS, asked=asked)
    for chunk in chunks:
        decoder.feed(chunk)
        assert len(decoder._framer._pending) <= FRAME_BYTES_MAX


@given(st.binary(max_size=80), st.sampled_from([0x00, 0x92, 0x93, 0x94]), st.booleans())
def test_no_list_breaks_the_decoder(body, status, plain):
    decoder = FeigLists(PLAIN_RECORDS if plain else MEASURED_RECORDS, asked=False)
    readings = decoder.feed(said(0x22, bytes((status,)) + body))
    assert readings[-1] == whole(sets_count(body), status)
    assert decoder.feed(said(0x32))[-1] == Answered(0x32)


@given(st.lists(PIECES, max_size=10))
def test_whatever_came_before_a_good_list_is_read(chunks):
    told = news(fed(b"".join(chunks), listed(record(TWO, 7)), bytes(FRAME_BYTES_MAX)))
    assume(len(told) <= len(WANTED))  # else chance made a sum right: once in 65,536
    assert told == WANTED


@given(st.lists(st.one_of(PIECES, st.just(ASKED)), max_size=8), st.integers(1, 20))
def test_no_cut_changes_what_is_said(chunks, size):
    line = b"".join(chunks) + bytes(FRAME_BYTES_MAX)
    cut = [line[at : at + size] for at in range(0, 200, size)]
    rest = line[len(b"".join(cut)) :]
    assert news(fed(*cut, rest)) == news(fed(line))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.lists(st.booleans(), max_size=20))
def test_every_record_is_told_once_whatever_deletions_are_lost(sizes, lost):
    """A reader in small: what is read stays at the head of its table until it is deleted."""
    decoder = FeigLists(MEASURED_RECORDS, asked=True)
    told, table, number = [], [], 0
    for turn, size in enumerate(sizes):
        for _ in range(size):
            number += 1
            table.append(record(f"e0040150{number:08x}", 1))
        told += decoder.feed(listed(*table))
        if turn >= len(lost) or not lost[turn]:
            table.clear()
            told += decoder.feed(said(0x32))
    seen = [reading.uid for reading in told if isinstance(reading, TagSeen)]
    assert seen == [f"e0040150{n:08x}" for n in range(1, number + 1)]


def test_a_megabyte_of_lists_is_forgotten():
    decoder = FeigLists(MEASURED_RECORDS, asked=False)
    tracemalloc.start()
    try:
        for turn in range(300):
            decoder.feed(listed(*[record(f"e004{turn * 200 + n:012x}", 1) for n in range(200)]))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 128 << 10
    assert decoder.feed(said(0x32) + ASKED)[-1] == whole(2)
