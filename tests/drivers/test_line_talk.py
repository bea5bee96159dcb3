"""The talker of the line devices, and shoe, decoder and talker wired together."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.csl1 import DRIVER
from drivers.framing import line
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
from drivers.sequence import steps
from drivers.simulated.csl1 import Shoe

RUN = Beat("RUN")
HELLO = Started("ACME OPTISHOE", "1.4.2", "5F3A91C2")
OTHER = Started("ACME OPTISHOE", "1.4.2", "5F3A91C3")


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
