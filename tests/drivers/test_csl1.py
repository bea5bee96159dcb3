"""The card shoe: its vectors, its numbering, and shoe, decoder and talker wired together."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.catalog import DRIVERS
from drivers.csl1 import DRIVER
from drivers.framing import line
from drivers.lines import GREET, PING, Greet, Ping, Resend, order
from drivers.readings import (
    Acked,
    Beat,
    CardDrawn,
    CardPushedBack,
    CutCardCame,
    DeviceFault,
    EventsLost,
    Garbled,
    KeyPressed,
    LidMoved,
    Missing,
    Reading,
    ShoeEmpty,
    ShoeLoaded,
    Shuffled,
    Started,
)
from drivers.sequence import HELD_MAX, RING_EVENTS, steps
from drivers.simulated.csl1 import Shoe

VECTORS = {
    row["id"]: row
    for row in json.loads((Path(__file__).parents[1] / "vectors" / "vectors.json").read_text())[
        "vectors"
    ]
    if row["protocol"] == "csl1"
}
SAID: dict[str, list[Reading]] = {
    "csl1-001": [Started("ACME OPTISHOE", "1.4.2", "5F3A91C2")],
    "csl1-002": [ShoeLoaded(52)],
    "csl1-003": [LidMoved(is_open=False)],
    "csl1-004": [CardDrawn(1, "As", quality=98)],
    "csl1-005": [CardDrawn(2, "Td", quality=95)],
    "csl1-006": [CardDrawn(3, None, quality=0)],
    "csl1-007": [CardDrawn(4, None, foreign=True, quality=90)],
    "csl1-008": [],
    "csl1-009": [CardPushedBack(4)],
    "csl1-010": [CutCardCame(39)],
    "csl1-011": [LidMoved(is_open=True)],
    "csl1-012": [DeviceFault(2, "error", "double feed")],
    "csl1-013": [Shuffled("done", 51)],
    "csl1-014": [KeyPressed("call")],
    "csl1-015": [Beat("RUN")],
    "csl1-016": [CardDrawn(17, "2c", quality=99)],
    "csl1-017": [CardDrawn(18, "2d", quality=99)],
    "csl1-018": [],
    "csl1-019": [],
    "csl1-020": [],
    "csl1-021": [CutCardCame(39)],
}
DIRT = [
    b"", b"\x00\xff\x80", b"\r\n", b"$", b"$$$", b"$CARD,3,10250,", b"$CARD,3,10250,1,AS*",
    b"*B3C3", b"$" + b"A" * 200, b"$CARD,3,10250,1,KS,98,O*B3C3", bytes(range(256)),
]  # fmt: skip


def heard(*chunks: bytes) -> list[Reading]:
    decoder = DRIVER.decoder()
    return [reading for chunk in chunks for reading in decoder.feed(chunk)]


def sense(readings: list[Reading]) -> list[Reading]:
    return [reading for reading in readings if not isinstance(reading, Garbled)]


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


# --- what lines say ------------------------------------------------------------------------------


def test_every_vector_of_the_shoe_is_tried():
    assert VECTORS.keys() == SAID.keys()


@pytest.mark.parametrize("dirt", DIRT)
@pytest.mark.parametrize("row", VECTORS.values(), ids=VECTORS.keys())
def test_every_vector_is_read_whole_and_byte_by_byte_with_dirt_around_it(row, dirt):
    stream, said = bytes.fromhex(row["hex"]), SAID[row["id"]]
    seq = row["fields"].get("seq", row["fields"].get("last_seq", 9))
    after = line(f"LID,{(seq + 1) % 65536},{row['fields'].get('t', 70000)},C")
    whole = dirt + stream + dirt + after + dirt
    readings = heard(whole)
    assert sense(readings) == [*said, LidMoved(is_open=False)]
    assert heard(*(bytes([byte]) for byte in whole)) == readings
    dropped = [reading for reading in heard(stream + b"$") if isinstance(reading, Garbled)]
    assert len(dropped) == (1 if row["expect"] == "reject" else 0)


def test_the_host_s_lines_are_understood_and_say_nothing_of_the_shoe():
    assert order(VECTORS["csl1-018"]["note"][1:-5]) == Resend(5, 7)
    assert (order(PING), order(GREET), order("RSND,5,70000")) == (Ping(), Greet(), None)
    assert heard(line("RSND,5,7"), line(PING), line(GREET)) == []


@pytest.mark.parametrize(
    ("said", "reading"),
    [
        ("EMPT,5,100", ShoeEmpty()),
        ("EMPT,5,100,-", ShoeEmpty()),
        ("LOAD,5,100,416,later", ShoeLoaded(416)),
        ("SHUF,5,100,START", Shuffled("start")),
        ("SHUF,5,100,FAIL,", Shuffled("fail")),
        ("NAK,5,100,bad sum", Acked(ok=False)),
        ("CARD,5,100,1000,2C,100,R", CardDrawn(1000, "2c")),
        ("ERR,5,100,77,I,KS is marked", DeviceFault(77, "info")),
        ("ERR,5,100,05,W,same card twice: KS", DeviceFault(5, "warning", "same card twice")),
        ("HB,5,100,DREAMING,3", Beat()),
        ("HB,5,100", Beat()),
    ],
)
def test_what_the_vectors_leave_open_is_read(said, reading):
    assert heard(line(said)) == [reading]


@pytest.mark.parametrize(
    "said",
    [
        "CARD,5,100,0,AS,98,O", "CARD,5,100,1001,AS,98,O", "CARD,5,100,1,AX,98,O",
        "CARD,5,100,1,AS,101,O", "CARD,5,100,1,AS,98,Q", "CARD,5,100,1,as,98,O", "CARD,5,100,1,AS",
        "LOAD,5,100,1001", "LOAD,5,100", "BACK,5,100,-1", "LID,5,100,X", "SHUF,5,100,DONE,many",
        "BTN,5,100,call", "ERR,5,100,2,X", "HELO,5,100,KPD1,5F3A91C2,A,B,C,D", "WHAT,5,100",
        "HELO,5,100,CSL1,boot,A,B,C,D",
    ],
)  # fmt: skip
def test_an_event_that_makes_no_sense_is_told_and_uses_its_number(said):
    [garbled, card_after] = heard(line(said), cut(6))
    assert isinstance(garbled, Garbled)
    assert garbled.data == said.encode()
    assert card_after == CutCardCame(7)


@pytest.mark.parametrize(
    "said",
    ["CARD", "CARD,x,100,1", "CUT,65536,100,1", "CUT,5,4294967296,1", "cut,5,100,1", "A,5,1"],
)
def test_a_line_without_number_or_time_is_told_and_counts_for_none(said):
    assert heard(cut(5), line(said), cut(6)) == [
        CutCardCame(6), Garbled("no message", said.encode()), CutCardCame(7),
    ]  # fmt: skip


def test_the_raw_code_behind_a_card_goes_no_further_and_uses_its_number():
    readings = heard(cut(6), line("RAWI,7,11651,4,B,33303230"), cut(8, 11700))
    assert readings == cuts(6, 8)
    assert "33303230" not in repr(readings)


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


# --- the talker ----------------------------------------------------------------------------------


def test_the_talker_greets_first_and_pings_after_three_seconds_of_silence():
    talker = DRIVER.talker(())
    assert talker.next_ms is None
    assert talker.wake(5000) == b""
    assert talker.start(10) == line("HELO?")
    assert talker.next_ms == 3010
    assert talker.wake(3009) == b""
    assert talker.hear(Beat("RUN"), 2000) == b""
    assert talker.next_ms == 5000
    assert talker.wake(5000) == line("PING")
    assert talker.next_ms == 8000


def test_the_talker_asks_for_what_is_missing_and_twice_again():
    talker = DRIVER.talker(())
    talker.start(0)
    assert talker.hear(Missing(5, 7), 100) == line("RSND,5,7")
    assert talker.next_ms == 400
    assert talker.wake(399) == b""
    assert talker.wake(400) == line("RSND,5,7")
    assert talker.hear(Garbled("noise"), 500) == b""
    assert talker.wake(700) == line("RSND,5,7")
    assert talker.next_ms == 3500
    assert talker.hear(Missing(5, 7), 800) == line("RSND,5,7")
    assert talker.next_ms == 3800


def test_the_talker_asks_no_more_once_events_come_again_or_the_port_is_new():
    talker = DRIVER.talker(())
    talker.start(0)
    talker.hear(Missing(5, 7), 100)
    assert talker.hear(CutCardCame(5), 150) == b""
    assert talker.next_ms == 3150
    talker.hear(Missing(8, 8), 200)
    talker.start(300)
    assert talker.next_ms == 3300


def test_the_talker_asks_a_shoe_that_restarted_unheard_to_introduce_itself():
    talker = DRIVER.talker(())
    assert talker.hear(Started(""), 100) == line("HELO?")
    assert talker.hear(HELLO, 200) == b""


# --- shoe, decoder and talker on one line --------------------------------------------------------


@dataclass
class Wired:
    """A shoe, its decoder and its talker in virtual time."""

    shoe: Shoe = field(default_factory=Shoe)
    now_ms: int = 0
    readings: list[Reading] = field(default_factory=list)

    def __post_init__(self):
        self.decoder, self.talker = DRIVER.decoder(), DRIVER.talker(())
        self.to_shoe = self.talker.start(0)
        self.until(0)

    def until(self, end_ms: int) -> None:
        while True:
            self._settle()
            due_ms = min(self.shoe.next_ms, self.talker.next_ms)
            if due_ms > end_ms:
                self.now_ms = end_ms
                return
            self.now_ms = max(self.now_ms, due_ms)
            self.to_shoe += self.talker.wake(self.now_ms)
            self._hear(self.shoe.wake(self.now_ms))

    def _settle(self) -> None:
        while self.to_shoe:
            asked, self.to_shoe = self.to_shoe, b""
            self._hear(self.shoe.hear(asked, self.now_ms))

    def _hear(self, said: bytes) -> None:
        for reading in self.decoder.feed(said):
            self.readings.append(reading)
            self.to_shoe += self.talker.hear(reading, self.now_ms)

    def cards(self) -> list[int | None]:
        return [reading.n for reading in self.readings if isinstance(reading, CardDrawn)]

    def lost(self) -> list[EventsLost]:
        return [reading for reading in self.readings if isinstance(reading, EventsLost)]


def test_a_shoe_is_read_from_power_up_to_the_last_card():
    wired = Wired()
    wired.shoe.lid(is_open=True)
    wired.shoe.lid(is_open=False)
    wired.shoe.load(52)
    wired.shoe.shuffle(51)
    wired.shoe.draw("As")
    wired.shoe.draw(None)
    wired.shoe.draw(None, foreign=True)
    wired.shoe.push_back()
    wired.shoe.draw("Td", quality=70)
    wired.shoe.cut_card()
    wired.shoe.button("call")
    wired.shoe.fault(8, "W")
    wired.shoe.run_empty()
    wired.until(500)
    assert wired.readings == [
        HELLO, HELLO, LidMoved(is_open=True), LidMoved(is_open=False), ShoeLoaded(52),
        Shuffled("start"), Shuffled("done", 51), CardDrawn(1, "As", quality=98),
        CardDrawn(2, None, quality=0), CardDrawn(3, None, foreign=True, quality=98),
        CardPushedBack(3), CardDrawn(3, "Td", quality=70), CutCardCame(3), KeyPressed("call"),
        DeviceFault(8, "warning", "sensor dirty"), ShoeEmpty(),
    ]  # fmt: skip


def test_a_silent_shoe_is_pinged_and_answers():
    wired = Wired()
    wired.shoe.line.drop_next = 3
    wired.until(2999)
    assert RUN not in wired.readings
    assert wired.shoe.line.drop_next == 1
    wired.until(3000)
    assert wired.readings[-1] == Beat("IDLE")


def test_a_bad_line_of_the_host_is_refused():
    wired = Wired()
    wired.to_shoe = b"$PING*0000\r\n"
    wired.until(10)
    assert wired.readings[-1] == Acked(ok=False)


@pytest.mark.parametrize("fault", ["drop_next", "corrupt_next"])
@pytest.mark.parametrize("lines", [1, 2, 3, 4])
def test_lost_lines_come_again_complete_and_in_order(fault, lines):
    wired = Wired(Shoe(seq=65_530, up_ms=(1 << 32) - 700))
    wired.shoe.load(52)
    wired.until(100)
    setattr(wired.shoe.line, fault, lines)
    for n in range(20):
        wired.shoe.draw("As")
        wired.until(100 + 40 * n)
    wired.until(4000)
    assert wired.cards() == list(range(1, 21))
    assert wired.lost() == []


def test_a_lost_tail_is_had_within_a_heartbeat():
    wired = Wired()
    wired.until(100)
    wired.shoe.line.drop_next = 2
    wired.shoe.draw("As")
    wired.shoe.draw("Kd")
    wired.until(999)
    assert wired.cards() == []
    wired.until(1000)
    assert wired.cards() == [1, 2]


def test_what_never_comes_is_said_to_be_lost():
    wired = Wired()
    wired.until(100)
    wired.shoe.line.drop_next = 1
    wired.shoe.draw("As")
    wired.until(200)
    wired.shoe.line._ring.clear()
    wired.shoe.draw("Kd")
    wired.until(3000)
    assert wired.cards() == [2]
    assert wired.lost() == [EventsLost(2, 2)]


def test_a_shoe_that_restarts_is_noticed_though_its_greeting_is_lost():
    wired = Wired()
    wired.shoe.load(52)
    wired.until(5000)
    wired.shoe.restart()
    wired.shoe.line.drop_next = 1
    wired.shoe.draw("As")
    wired.until(9000)
    assert wired.cards() == [1]
    assert wired.readings.count(OTHER) == 2
    assert Started("") in wired.readings
    assert wired.lost() == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["draw"] * 8 + ["drop_next", "corrupt_next", "load"]),
            st.integers(0, 600),
        ),
        max_size=60,
    )
)
def test_events_come_complete_and_in_order_or_are_said_to_be_lost(acts):
    wired = Wired()
    drawn = 0
    for act, pause_ms in acts:
        match act:
            case "draw":
                wired.shoe.draw("As")
                drawn += 1
            case "load":
                wired.shoe.button(str(drawn))
            case fault:
                setattr(wired.shoe.line, fault, 1 + pause_ms % 3)
        wired.until(wired.now_ms + pause_ms)
    wired.shoe.line.drop_next = wired.shoe.line.corrupt_next = 0
    wired.until(wired.now_ms + 4000)
    missing = drawn - len(wired.cards())
    assert wired.cards() == sorted(wired.cards())
    assert missing <= sum(steps(lost.first, lost.last) + 1 for lost in wired.lost())


def test_the_shoe_stands_in_the_catalogue_once_and_names_are_unique():
    assert DRIVERS.count(DRIVER) == 1
    names = [row.name for row in DRIVERS]
    assert len(names) == len(set(names))
