"""One schedule of faults, by its seed: a table's life in a simulated world."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import msgspec

from daemon.edges.journal import LOOKED_BACK, Opening
from daemon.edges.outbox import Outbox
from daemon.edges.settings import Settings
from daemon.messages import Topics
from daemon.signals import Chunk, Tick
from daemon.table.layout import Layout, Sensor
from daemon.transcript import Header
from daemon.watch import Desk, Watch
from tests.chaos.broker import Broker, Way, stripped
from tests.chaos.world import (
    Clock,
    Disk,
    NoLedger,
    PaperJournal,
    PaperMark,
    PaperShelf,
    ToyLine,
    opened_at,
)

LETTERS = "abcdefgh"
FAULTS_MS = 120_000
QUIET_MS = 60_000
TICK_MS = 1_000
RESUME_MS = 900_000
HOUR_MS = 3_600_000
SENSOR = Sensor(name="felt", driver="letters")
TOPICS = Topics("venezia", "t")


@dataclass
class Life:
    """One run of the daemon."""

    watch: Watch
    outbox: Outbox
    line: ToyLine
    journal: PaperJournal
    shelf: PaperShelf
    way: Way


class Schedule:
    """A seeded evening of faults. `faults` names what was done, with its time."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.clock = Clock()
        self.disk = Disk(self.clock, self.chance)
        self.broker = Broker(self.clock, self.chance, TOPICS)
        self.faults: list[str] = []
        self.said: dict[str, bytes] = {}  # key: the alert's line, of every life
        self.order: dict[str, list[bytes]] = {}
        self.due: set[str] = set()
        self._lost: set[str] = set()  # what an end took with it before it was written
        self._used: set[str] = set()
        self._whole = PaperMark()
        self._name = ""
        self._opened = ""
        self._wrote_wall_ms = 0
        self._boots = 0
        self.life: Life | None = None
        self._live(power_went=False)

    def run(self) -> None:
        """All of it: the faults, then quiet until everything has settled."""
        self._next_letter()
        self._next_tick()
        self._next_fault()
        self.clock.run_to(FAULTS_MS)
        self.clock.run_to(FAULTS_MS + QUIET_MS)  # what is wrong ends within twenty seconds
        self.due |= self.said.keys() - self._lost
        assert self.life is not None

    # --- the table -----------------------------------------------------------------------------

    def _next_letter(self) -> None:
        if self.clock.now_ms >= FAULTS_MS:
            return
        self.clock.after(self.chance.expovariate(1 / 700), self._letter)

    def _letter(self) -> None:
        if self.life is not None:
            many = self.chance.choice((1, 1, 1, 2, 6))
            data = "".join(self.chance.choices(LETTERS, k=many)).encode()
            self.life.watch.step(Chunk(self._at_ms(), "felt", data))
        self._next_letter()

    def _next_tick(self) -> None:
        self.clock.after(TICK_MS, self._tick)

    def _tick(self) -> None:
        if self.life is not None:
            self.life.watch.step(Tick(self._at_ms()))
        self._next_tick()

    def _at_ms(self) -> int:
        return self.clock.now_ms - self._began_ms + self._began_at_ms

    # --- its lives -----------------------------------------------------------------------------

    def _live(self, *, power_went: bool) -> None:
        self._boots += 1
        opening, left = self._opening(power_went=power_went)
        self._began_ms, self._began_at_ms = self.clock.now_ms, opening.header.at_ms
        layout = Layout("t", "venezia", 10, (SENSOR,), opened=opening.header.opened)
        line = ToyLine(layout)
        shelf = PaperShelf(self.disk)
        outbox = Outbox(shelf, now_s=lambda: self.clock.now_ms / 1000)
        journal = PaperJournal(self.disk, opening.header)
        desk = Desk(
            journal=cast("Any", journal),
            outbox=outbox,
            ledger=cast("Any", NoLedger()),
            whole=cast("Any", self._whole),
            wall=self.clock.wall,
        )
        broker = SimpleNamespace(events=False)
        document = SimpleNamespace(
            site="venezia", table="t", rulebook="robert-classic", broker=broker
        )
        settings = cast("Settings", SimpleNamespace(document=document, sensors=(SENSOR,)))
        watch = Watch(settings, line, desk, boot=f"b{self._boots}", soon=self._soon(journal))
        self._listen(outbox)
        watch.resume(opening, left)
        watch.tell_sensor(SENSOR, "ok", opening.header.at_ms)
        way = Way(self.broker, outbox, watch)
        self.life = Life(watch, outbox, line, journal, shelf, way)

    def _soon(self, journal: PaperJournal) -> Callable[[float, Callable[[], None]], object]:
        def soon(after_s: float, call: Callable[[], None]) -> None:
            def then() -> None:
                if journal.alive:
                    call()

            self.clock.after(after_s * 1000, then)

        return soon

    def _listen(self, outbox: Outbox) -> None:
        """Note every transition that the daemon means to send, in its order."""
        put = outbox.put

        def noted(message: Any, *, late: bool = False) -> None:
            if message.key and message.key not in self.said:
                self.said[message.key] = message.payload
                if not late:
                    self.order.setdefault(message.topic, []).append(message.payload)
            if message.key:
                self._lost.discard(message.key)
                self.said[message.key] = message.payload
            put(message, late=late)

        outbox.put = noted  # type: ignore[method-assign]

    def _opening(self, *, power_went: bool) -> tuple[Opening, list[bytes]]:
        away_ms = self.clock.wall_ms - self._wrote_wall_ms
        whole = self._whole.stands and not power_went
        if self._name and whole and 0 <= away_ms <= RESUME_MS:
            entries = tuple(self.disk.entries(self._name))
            ended_ms = entries[-1].at_ms if entries else 0
            header = self._header(self._opened, ended_ms + max(1, away_ms))
            lines = len(self.disk.journals[self._name])
            return Opening(header, entries, lines), self._left()
        left = self._left()
        self._opened = opened_at(self.clock, self._used)
        header = self._header(self._opened, 0)
        self._name = header.name
        return Opening(header), left

    def _left(self) -> list[bytes]:
        names = list(self.disk.journals)[-LOOKED_BACK:]
        return [words for name in names for words in self.disk.lines(name)]

    def _header(self, opened: str, at_ms: int) -> Header:
        return Header(
            table="t", site="venezia", opened=opened, version="0", rulebook="r", config="c",
            digest="d", at_ms=at_ms,
        )  # fmt: skip

    def _die(self, *, power: bool) -> None:
        life, self.life = self.life, None
        if life is None:
            return
        life.journal.alive = life.shelf.alive = False
        life.way.end()
        self._wrote_wall_ms = self.clock.wall_ms
        if power:
            self.disk.lose_power()
        kept = {words for name in self.disk.journals for words in self.disk.lines(name)}
        rows = {row.message.key for row, *_ in self.disk.rows.values()}
        self._lost = {
            key for key, words in self.said.items() if words not in kept and key not in rows
        }
        self.clock.after(self.chance.uniform(200, 20_000), lambda: self._live(power_went=power))

    # --- what goes wrong -----------------------------------------------------------------------

    def _next_fault(self) -> None:
        if self.clock.now_ms < FAULTS_MS:
            self.clock.after(self.chance.expovariate(1 / 5000), self._fault)

    def _fault(self) -> None:
        if self.clock.now_ms < FAULTS_MS:
            name, call = self.chance.choice(list(self._kinds().items()))
            self.faults.append(f"{self.clock.now_ms} {name}")
            call()
        self._next_fault()

    def _kinds(self) -> dict[str, Callable[[], None]]:
        broker, disk = self.broker, self.disk
        return {
            "kill -9": lambda: self._die(power=False),
            "power cut": lambda: self._die(power=True),
            "broker SIGTERM": lambda: self._broker_dies(killed=False),
            "broker SIGKILL": lambda: self._broker_dies(killed=True),
            "half-open": lambda: self._for_a_while(broker, "deaf", True, False),
            "slow broker": lambda: self._for_a_while(broker, "slowest_ms", 2_000.0, 20.0),
            "disk full": lambda: self._for_a_while(disk, "full", True, False),
            "slow disk": lambda: self._for_a_while(disk, "slowest_ms", 4_000.0, 30.0),
            "recorder away": self._recorder_goes,
            "hour forth": lambda: self._set_clock(HOUR_MS),
            "hour back": lambda: self._set_clock(-HOUR_MS),
            "connection cut": self._cut,
        }

    def _broker_dies(self, *, killed: bool) -> None:
        if self.broker.up:
            self.broker.die(killed=killed)
            self.clock.after(self.chance.uniform(50, 15_000), self.broker.start)

    def _for_a_while(self, where: object, name: str, bad: object, good: object) -> None:
        setattr(where, name, bad)
        self.clock.after(self.chance.uniform(100, 15_000), lambda: setattr(where, name, good))

    def _recorder_goes(self) -> None:
        self.broker.recorder_on = False
        self.clock.after(self.chance.uniform(100, 20_000), self.broker.recorder_comes)

    def _set_clock(self, by_ms: int) -> None:
        self.clock.step_ms += by_ms

    def _cut(self) -> None:
        if self.life is not None:
            self.life.way.broken()

    # --- what must be so in the end ------------------------------------------------------------

    def missing(self) -> list[str]:
        """Transitions that outlived everything and that the recorder does not hold."""
        held = {f"{alert}#{revision}@{audience}" for audience, alert, revision in self.got}
        return sorted(self.due - held)

    @property
    def got(self) -> dict[tuple[str, str, int], bytes]:
        return self.broker.recorder.got

    def out_of_order(self) -> list[str]:
        """Audiences of which something that is not said to be late came before an earlier one."""
        found = []
        for audience, came in self.broker.recorder.timely.items():
            meant = self.order.get(TOPICS.at("log", audience), [])
            places = {payload: place for place, payload in enumerate(meant)}
            order = [places[stripped(payload)] for payload in came if stripped(payload) in places]
            if order != sorted(order):
                found.append(audience)
        return found

    def wrongly_retained(self) -> dict[str, bytes | None]:
        """Alerts retained at the broker that do not stand in the daemon, or the other way round."""
        assert self.life is not None
        root = TOPICS.at("alerts", "")
        there = {
            topic: payload
            for topic, payload in self.broker.retained.items()
            if topic.startswith(root)
        }
        stands = {}
        for alert in self.life.line.standing.values():
            words = msgspec.json.encode(alert)
            for audience in dict.fromkeys([alert.audience, "surveillance"]):
                stands[TOPICS.at("alerts", audience, alert.id)] = words
        return {
            topic: there.get(topic)
            for topic in there.keys() | stands.keys()
            if there.get(topic) != stands.get(topic)
        }

    def status(self) -> dict[str, Any]:
        """What the broker says of the table."""
        said = msgspec.json.decode(self.broker.retained[TOPICS.at("status")])
        return cast("dict[str, Any]", said)


def evening(seed: int) -> Schedule:
    """The schedule of this seed, run to its end."""
    schedule = Schedule(seed)
    schedule.run()
    return schedule
