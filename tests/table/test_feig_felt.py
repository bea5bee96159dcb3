"""Feig readers under a felt: from a tag on an antenna to the card that moved, and what is lost."""

from __future__ import annotations

import pytest

from daemon.edges.books import read_books
from daemon.pipeline import Pipeline
from daemon.signals import Chunk, Tick
from daemon.table.events import DealingEvent, SensorBack, SensorLost
from daemon.table.interpreter import Interpreter
from daemon.table.layout import Presence, Sensor
from drivers import feig, feig_buffer, feig_notify
from drivers.driver import Driver
from drivers.simulated.feig import SimulatedFeig
from drivers.simulated.feig_kept import REPEAT_MS, Fit, KeepingFeig
from drivers.simulated.virtual import VirtualLine
from tests.table.felt import layout, told

AS, KD = "e00401000a1b2c3d", "e00401000a1b2c3e"
TAGS = {AS: "As", KD: "Kd"}
BOARD, BURN, MUCK = 1, 2, 42  # the last one behind a multiplexer
PLACES = {BOARD: "board", BURN: "burn"}
BOTH = [feig.DRIVER, feig_buffer.DRIVER]
Reader = SimulatedFeig | KeepingFeig


def fitted(driver: Driver, places: dict[int, str]) -> Sensor:
    """As the configuration makes it of a driver's row."""
    return Sensor(
        name="felt",
        driver=driver.name,
        places=places,
        senses=("identity", "board", "burn", "muck"),
        presence=Presence(*driver.presence),
        polled=driver.polled,
        held_ms=driver.held_ms,
    )


class Felt:
    """A reader on a line of its own, and what the table makes of what it tells."""

    def __init__(self, driver: Driver, reader: Reader, places: dict[int, str] = PLACES) -> None:
        antennas = tuple(antenna for antenna in places if antenna <= driver.antennas_max)
        self.line = VirtualLine(driver, reader, antennas)
        self.interpreter = Interpreter(layout([fitted(driver, places)], TAGS))

    def wait(self, ms: int) -> list[DealingEvent]:
        events = []
        for at_ms, reading in self.line.run(ms):
            events += self.interpreter.take("felt", reading, at_ms)
        return events + self.interpreter.advance(self.line.now_ms)


def reader_for(driver: Driver) -> Reader:
    return SimulatedFeig() if driver.polled else KeepingFeig()


@pytest.mark.parametrize("driver", BOTH, ids=lambda driver: driver.name)
def test_one_tag_on_two_antennas_is_one_card_and_a_warning(driver: Driver) -> None:
    reader = reader_for(driver)
    felt = Felt(driver, reader)
    felt.wait(200)
    reader.lay(AS, BOARD)
    assert told(felt.wait(3000)) == ["As stub>board"]
    reader.lay(AS, BURN)  # the burn's antenna hears the board's card
    assert told(felt.wait(5000)) == []
    assert felt.interpreter.figures.totals()["ghost"] == 1
    reader.lift(AS, BURN)
    assert told(felt.wait(5000)) == []


@pytest.mark.parametrize("driver", BOTH, ids=lambda driver: driver.name)
def test_a_tag_that_two_antennas_hear_from_the_first_is_one_card(driver: Driver) -> None:
    reader = reader_for(driver)
    felt = Felt(driver, reader)
    felt.wait(200)
    reader.lay(AS, BOARD)
    reader.lay(AS, BURN)
    assert len(felt.wait(5000)) == 1
    assert felt.interpreter.figures.totals()["ghost"] == 1


@pytest.mark.parametrize("driver", BOTH, ids=lambda driver: driver.name)
def test_a_board_card_that_is_taken_away_is_gone(driver: Driver) -> None:
    reader = reader_for(driver)
    felt = Felt(driver, reader)
    felt.wait(200)
    reader.lay(AS, BOARD)
    felt.wait(3000)
    reader.lift(AS, BOARD)
    assert told(felt.wait(3000)) == ["As board>off"]


def test_a_single_report_is_no_card() -> None:
    reader = KeepingFeig()
    felt = Felt(feig_buffer.DRIVER, reader)
    felt.wait(200)
    reader.lay(AS, BOARD)
    felt.wait(100)
    reader.lift(AS, BOARD)
    assert felt.wait(5000) == []


@pytest.mark.parametrize("over_ms", [100, 300, 600])
def test_a_fold_that_slides_across_the_boards_antenna_is_no_board_card(over_ms: int) -> None:
    reader = KeepingFeig()
    felt = Felt(feig_buffer.DRIVER, reader, {1: "seat:4", 2: "board"})
    felt.wait(200)
    reader.lay(AS, 1)
    assert told(felt.wait(3000)) == ["As stub>seat:4"]
    reader.lift(AS, 1)
    felt.wait(2000)
    reader.lay(AS, 2)
    felt.wait(over_ms)
    reader.lift(AS, 2)
    assert felt.wait(10_000) == []


def test_a_card_behind_a_multiplexer_is_where_its_antennas_number_says() -> None:
    reader = KeepingFeig()
    felt = Felt(feig_buffer.DRIVER, reader, {BOARD: "board", MUCK: "muck"})
    felt.wait(200)
    reader.lay(KD, MUCK)
    assert told(felt.wait(3000)) == ["Kd stub>muck"]


def test_an_overflow_marks_what_this_sensor_lends_as_unseen() -> None:
    reader = KeepingFeig(Fit(table_max=1))
    felt = Felt(feig_buffer.DRIVER, reader)
    felt.wait(200)
    reader.lay(AS, BOARD)
    reader.lay(KD, BURN)
    events = felt.wait(150)
    lost = [event for event in events if isinstance(event, SensorLost)]
    assert [set(event.senses) for event in lost] == [{"identity", "board", "burn", "muck"}]
    assert isinstance(events[-1], SensorBack)
    assert felt.interpreter.figures.totals()["device-fault"] == 1


def test_what_a_slow_host_gets_several_times_is_one_report() -> None:
    reader = KeepingFeig(Fit(notifies=True))
    reader.lay(AS, BOARD)
    first = reader.wake(0)
    reader.lift(AS, BOARD)  # it has only passed
    waiting = first + reader.wake(REPEAT_MS) + reader.wake(2 * REPEAT_MS)
    assert waiting == 3 * first
    interpreter = Interpreter(layout([fitted(feig_notify.DRIVER, PLACES)], TAGS))
    events = []
    for reading in feig_notify.DRIVER.decoder().feed(waiting):
        events += interpreter.take("felt", reading, 11_000)
    assert events + interpreter.advance(60_000) == []


def test_one_tag_on_two_antennas_goes_through_the_whole_line(robert_classic) -> None:
    sensor = fitted(feig.DRIVER, PLACES)
    pipeline = Pipeline(layout([sensor], TAGS), *robert_classic)
    reader = SimulatedFeig()
    line = VirtualLine(feig.DRIVER, Tapped(reader, pipeline), tuple(PLACES))
    reader.lay(AS, BOARD)
    reader.lay(AS, BURN)
    line.run(5000)
    assert pipeline.counts["ghost"] == 1


class Tapped:
    """A reader whose bytes go into a pipeline too."""

    def __init__(self, reader: SimulatedFeig, pipeline: Pipeline) -> None:
        self.reader, self.pipeline = reader, pipeline

    def hear(self, data: bytes, now_ms: int) -> bytes:
        return self._tap(self.reader.hear(data, now_ms), now_ms)

    def wake(self, now_ms: int) -> bytes:
        return self._tap(self.reader.wake(now_ms), now_ms)

    @property
    def next_ms(self) -> int | None:
        return self.reader.next_ms

    def _tap(self, said: bytes, now_ms: int) -> bytes:
        self.pipeline.step(Chunk(now_ms, "felt", said) if said else Tick(now_ms))
        return said


@pytest.fixture
def robert_classic():
    return read_books("robert-classic")
