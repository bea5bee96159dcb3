"""A simulated broker, the way to it, and a recorder behind it; all of it can break."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable

import msgspec

from daemon.edges.mqtt.welcome import Welcome
from daemon.edges.outbox import Outbox
from daemon.messages import Heard, Message, Topics
from daemon.watch import Watch
from tests.chaos.world import Clock
from tests.contract import checked

IN_FLIGHT_MAX = 16
CONFIRMED_WITHIN_MS = 3_000
ASK_AGAIN_MS = 5_000
MINUTES = 1440  # of a walls' clock that may be set: an hour of it can be none


class Recorder:
    """Keeps every message of `log/`, and passes over an alert whose id and revision it has had.

    A session that the broker has lost is a gap: it asks the table for what was sent before, until
    one of its questions since then is answered.
    """

    def __init__(self, topics: Topics) -> None:
        self._log = topics.at("log", "")
        self._answer = topics.at("answer")
        self.got: dict[tuple[str, str, int], bytes] = {}  # audience, id, revision: the first one
        self.timely: dict[str, list[bytes]] = {}  # by audience, those that did not come late
        self.again = 0
        self._asked = 0
        self._gap: int | None = None  # the questions that were asked before it

    @property
    def has_gap(self) -> bool:
        return self._gap is not None

    def lose(self) -> None:
        """What was on its way is gone."""
        self._gap = self._asked

    def question(self) -> bytes:
        """What it asks the table, under another id each time: older answers may still come."""
        self._asked += 1
        wish = {"command": "resend", "minutes": MINUTES, "by": "recorder", "id": f"{self._asked}"}
        return msgspec.json.encode(wish)

    def take(self, topic: str, payload: bytes) -> None:
        checked(topic, payload)
        if topic == self._answer:
            said = msgspec.json.decode(payload)
            mine = int(said["id"]) if said["id"].isdecimal() else 0
            if self._gap is not None and said["ok"] and mine > self._gap:
                self._gap = None
        audience = topic.removeprefix(self._log)
        if not topic.startswith(self._log) or "/" in audience:
            return
        alert = msgspec.json.decode(payload)
        key = (audience, alert["id"], alert["revision"])
        if key in self.got:
            self.again += 1
            assert stripped(self.got[key]) == stripped(payload), key
            return
        self.got[key] = payload
        if not alert.get("late"):
            self.timely.setdefault(audience, []).append(payload)


def stripped(payload: bytes) -> bytes:
    """The alert as it was, whether it came late or not."""
    return payload.replace(b',"late":true', b"")


class Broker:
    """Retained messages, one table, one recorder with a session that is kept while it is away."""

    def __init__(self, clock: Clock, chance: random.Random, topics: Topics) -> None:
        self.clock, self.chance = clock, chance
        self.up = True
        self.deaf = False  # takes bytes and does nothing: half-open, or stopped
        self.slowest_ms = 20.0
        self.retained: dict[str, bytes] = {}
        self.recorder = Recorder(topics)
        self.recorder_on = True
        self._queue: deque[tuple[str, bytes]] = deque()
        self._life = 0
        self._topics = topics
        self.table: Way | None = None
        clock.after(ASK_AGAIN_MS, self._ask_again)

    def latency_ms(self) -> float:
        return self.chance.uniform(0.1, self.slowest_ms)

    def publish(self, message: Message) -> None:
        if message.retain:
            self.retained.pop(message.topic, None)
            if message.payload:
                self.retained[message.topic] = message.payload
        self._queue.append((message.topic, message.payload))
        life = self._life
        self.clock.after(self.latency_ms(), lambda: self._deliver(life))
        if self.table is not None:
            self.table.echo(message)

    def _deliver(self, life: int) -> None:
        while self.up and life == self._life and self.recorder_on and self._queue:
            self.recorder.take(*self._queue.popleft())

    def die(self, *, killed: bool) -> None:
        """SIGTERM keeps sessions and what is retained, SIGKILL loses both."""
        self.up = False
        self._life += 1
        if killed:
            self.retained.clear()
            self._queue.clear()
            self.recorder.lose()
        if self.table is not None:
            self.table.broken()

    def start(self) -> None:
        self.up = True
        self._deliver(self._life)

    def recorder_comes(self) -> None:
        self.recorder_on = True
        self._deliver(self._life)

    def _ask_again(self) -> None:
        if self.recorder.has_gap and self.recorder_on and self.up and self.table is not None:
            self.table.hear(self.recorder.question())
        self.clock.after(ASK_AGAIN_MS, self._ask_again)


class Way:
    """The table's connection, as `Link` and `Carrier` keep it: with the real store and welcome."""

    def __init__(self, broker: Broker, outbox: Outbox, watch: Watch) -> None:
        self._broker, self._outbox, self._watch = broker, outbox, watch
        self._clock = broker.clock
        self._alive = True
        self._session = 0
        self._on = self._dead = False
        self._under_way: dict[int, tuple[int, int]] = {}
        self._serial = self._last_ms = 0
        self._welcome: Welcome | None = None
        self._will: Message | None = None
        self._try_soon()

    def end(self) -> None:
        """The process is gone."""
        self._alive = False
        self.broken()

    def broken(self) -> None:
        """The connection is gone; the broker says the last will."""
        self._outbox.unheeded()
        self._session += 1
        was_on, self._on = self._on, False
        if self._broker.table is self:
            self._broker.table = None
        if was_on and self._will is not None and self._broker.up:
            self._broker.publish(self._will)
        if self._alive:
            self._try_soon()

    def hear(self, payload: bytes) -> None:
        """A command comes over this connection."""
        if self._on and not self._broker.deaf:
            self._then(lambda: self._watch.heard(Heard(payload)))

    def echo(self, message: Message) -> None:
        """Our own words come back."""
        welcome = self._welcome
        if self._on and welcome is not None:
            self._then(lambda: self._came_back(welcome, message))

    def _came_back(self, welcome: Welcome, message: Message) -> None:
        if welcome is not self._welcome:
            return
        welcome.take(message.topic, message.payload, retained=False)
        if welcome.proven:
            self._welcome = None
            for stale in list(welcome.stale(self._outbox.standing())):
                self._outbox.put(stale)

    def _try_soon(self) -> None:
        self._clock.after(self._broker.chance.uniform(50, 2000), self._try)

    def _try(self) -> None:
        if not self._alive or self._on:
            return
        if not self._broker.up or self._broker.deaf:
            self._try_soon()
            return
        self._on, self._dead = True, False
        self._session += 1
        self._under_way.clear()
        self._broker.table = self
        self._will = self._watch.status("offline")
        self._outbox.rewind()
        greeting = self._watch.status("online")
        self._welcome = Welcome(self._watch.topics, greeting)
        for topic, payload in self._broker.retained.items():
            level = topic.removeprefix(self._watch.topics.at("")).partition("/")[0]
            if level in {"alerts", "sensors", "log"}:
                self._welcome.take(topic, payload, retained=True)
        self._broker.publish(greeting)
        self._outbox.news = self._carry
        for probe in self._welcome.probes:
            self._outbox.put(probe)
        self._carry()

    def _carry(self) -> None:
        while self._on and len(self._under_way) < IN_FLIGHT_MAX:
            found = self._outbox.take()
            if found is None:
                return
            number, message = found
            self._serial += 1
            serial, session = self._serial, self._session
            self._under_way[serial] = (number, self._clock.now_ms)
            self._then(lambda n=number, m=message, s=serial: self._arrives(n, m, s))
            self._clock.after(CONFIRMED_WITHIN_MS, lambda s=serial, k=session: self._overdue(s, k))

    def _arrives(self, number: int, message: Message, serial: int) -> None:
        self._dead = self._dead or self._broker.deaf  # what a half-open line lost is lost for good
        if not self._broker.up or self._dead:
            return
        self._broker.publish(message)
        session = self._session

        def confirmed() -> None:
            if self._on and session == self._session and serial in self._under_way:
                del self._under_way[serial]
                self._outbox.done(number)
                self._carry()

        self._clock.after(self._broker.latency_ms(), confirmed)

    def _overdue(self, serial: int, session: int) -> None:
        if self._on and session == self._session and serial in self._under_way:
            self.broken()

    def _then(self, call: Callable[[], None]) -> None:
        """Over this connection, in order: what is on its way when it breaks does not arrive."""
        session = self._session
        due_ms = max(self._clock.now_ms + self._broker.latency_ms(), self._last_ms)
        self._last_ms = due_ms

        def arrive() -> None:
            if session == self._session and self._alive:
                call()

        self._clock.after(due_ms - self._clock.now_ms, arrive)
