"""The whole daemon in virtual time, with real bytes going in and all that leaves it kept.

Everything but the loop, the ports and the socket is the daemon's own: settings, journal, outbox,
shelf, ledger, line, watch, log at debug level. What goes out is kept with the virtual time at which
it went, whatever it is: a topic that comes to be is covered by being there.
"""

from __future__ import annotations

import os
import random
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from msgspec import structs

from daemon.demo.stage import Stage
from daemon.demo.table_fit import decks, write_configuration
from daemon.demo.virtual import VirtualTable
from daemon.edges import logs
from daemon.edges.books import read_books
from daemon.edges.journal import (
    Journal,
    latest_journal,
    open_journal,
    published_last,
    read_journal,
)
from daemon.edges.ledger import Ledger
from daemon.edges.outbox import Outbox, Shelf
from daemon.edges.settings import layout, read_settings
from daemon.edges.whole import Whole
from daemon.pipeline import Pipeline
from daemon.signals import Chunk, PortBack, PortLost, Tick
from daemon.table import events as dealing
from daemon.table.places import SEAT, STUB
from daemon.transcript import Header
from daemon.watch import Desk, Watch
from drivers.readings import Face
from drivers.simulated.camera import picture
from tests.secrecy.tables import BADGE_ANTENNA, EYE

OPENED = datetime(2026, 11, 29, 20, 13, 31, tzinfo=UTC)
SPEED = 200
BEAT_MS = 10_000
SURE_PERCENT = 95
RULEBOOK = "robert-classic"


@cache
def books():
    return read_books(RULEBOOK)


@dataclass(frozen=True, slots=True)
class Left:
    """Something that left the process: when, by which way, and all of it."""

    at_ms: int
    way: str  # mqtt, will, log
    what: Any

    @property
    def texts(self):
        """All of it as texts: a line of the log, or every field of a message."""
        if isinstance(self.what, str):
            return [self.what]
        return [one.decode() if isinstance(one, bytes) else str(one) for one in self.what.values()]


_CLOCK = re.compile(r'"at":"[^"]*",?')  # of a log line: this machine's, always as long


@dataclass(frozen=True, slots=True)
class Parts:
    """What the daemon is made of; a leak put in on purpose is another part."""

    line: type = Pipeline
    watch: type = Watch


class Hands(Stage):
    """The stage's hands, telling what they are about to do in the moment in which they do it."""

    def __init__(self, performing, *stage):
        super().__init__(*stage)
        self._performing = performing

    def _perform(self, event):
        self._performing(event)
        yield from super()._perform(event)


class VirtualDaemon:
    """A table with its daemon. `deal` plays a hand; `left` is all that has left so far.

    `search` is made with the tags, and then reads all that leaves in the moment in which it does.
    """

    def __init__(self, folder, table, parts=Parts(), *, search=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.left, self.rng = folder, [], random.Random(f"table {table.seed}")
        self.now_ms = self._ahead_ms = 0
        self.face_up = frozenset()
        self._parts, fit = parts, table.fit
        self._both = decks(self.rng)
        self.badge, self.foreign = (f"04{self.rng.randbytes(6).hex()}" for _ in range(2))
        self.search = search(self.tags) if search else None
        self._fit, self.devices = fit, fit.devices()
        self.misread, self._misread_at = (
            table.misread,
            self.rng.choice(("board", "seat:1", "seat:3")),
        )
        path = folder / "table.toml"
        write_configuration(path, fit.configured(self.devices, self._both, self.badge))
        self.settings = read_settings(path)
        self._away, self._is_heard, self._is_down, self._frame = set(), False, False, 0
        self._due, self._beaten_ms = [], 0
        logs.configure("debug", self)
        self._start()
        plan = layout(self.settings, "")
        readers = [sensor for sensor in plan.sensors if sensor.name != EYE]
        plan = structs.replace(plan, sensors=tuple(readers))
        self._table = VirtualTable(plan, self.devices.named(), self._take)
        if fit.camera:
            self._plug(EYE)
        self._stage = Hands(self._performing, self.devices, self._both, self.rng, SPEED)
        self._script = None
        self.devices.felt.lay(self.badge, BADGE_ANTENNA)

    # --- what is played ---

    def deal(self, events, script=None):
        """Play a hand. Before each event `script(daemon)`; then the `search` is told."""
        self._script = script
        self._table.perform(self._stage.play(events))

    def close(self):
        self._watch.look_around(self._stamp())
        self._journal.close(self._stamp())
        self._outbox.close()

    @property
    def tags(self):
        """Every tag id that nobody may learn, with what it is."""
        cards = {uid: card for deck in self._both.values() for uid, card in deck.items()}
        return cards | {self.badge: "badge", self.foreign: "foreign"}

    def _performing(self, event):
        self.now_ms = self._table.now_ms
        self.face_up = turned(self.face_up, event, self._lying)
        if self._script:
            self._script(self)
        if self.search:
            blind = bool(self._away)
            self.search.told(event, self.now_ms, waits=not self._is_heard, blind=blind)

    # --- what goes wrong meanwhile ---

    def unplug(self, sensor):
        self._away.add(sensor)
        self._lose(sensor)

    def replug(self, sensor):
        self._away.discard(sensor)
        self._plug(sensor)
        if sensor != EYE:
            self._table.reopen(sensor)

    def noise(self, sensor, said):
        """Bytes on the line that no device meant."""
        self._step(Chunk(self._stamp(), sensor, said))

    def broker_gone(self):
        self._is_heard = False
        self._keep("will", structs.asdict(self._will))

    def broker_back(self):
        self._will = self._watch.status("offline")
        self._outbox.rewind()
        self._is_heard = True
        self._keep("mqtt", structs.asdict(self._watch.status("online")))
        self._carry()

    def restart(self, *, killed):
        """The process ends, with a word or without, and another one goes on."""
        if killed:
            self._journal.close(self._stamp(), words=None)
        else:
            self._watch.look_around(self._stamp())
            self._journal.close(self._stamp())
        self._outbox.close()
        self._keep("will", structs.asdict(self._will if killed else self._watch.status("offline")))
        self._is_down = True
        self._as_if_written_now()
        self._start()
        self._is_down = False
        for sensor in self.settings.sensors:
            if sensor.name not in self._away:
                self.replug(sensor.name)

    # --- the daemon ---

    def _start(self):
        folder, document = self.settings.journal_folder, self.settings.document
        header = Header(
            table=document.table, site=document.site, opened="", version="0", digest="",
            rulebook=document.rulebook, config="table.toml",
        )  # fmt: skip
        left, whole = published_last(folder), Whole(folder)
        opening = open_journal(folder, header, self._wall(), may_go_on=whole.vouches_for)
        self._journal = Journal(folder, opening.header, lines=opening.lines)
        shelf = Shelf(folder, lambda: self._stamp() + 1)
        self._outbox = Outbox(shelf, now_s=lambda: self.now_ms / 1000)
        desk = Desk(
            journal=self._journal,
            outbox=self._outbox,
            ledger=Ledger(folder),
            whole=whole,
            wall=self._wall,
        )
        line = self._parts.line(
            layout(self.settings, opening.header.opened, opening.carried), *books()
        )
        self._watch = self._parts.watch(self.settings, line, desk, boot="b007", soon=self._soon)
        self._watch.link_trouble = lambda: None if self._is_heard else "not connected"
        self._watch.tell = self._tell
        self._ahead_ms = max(0, opening.header.at_ms - self.now_ms)
        self._watch.resume(opening, left)
        self._outbox.news = self._carry
        self.broker_back()

    def heard(self, words):
        """Somebody's words on `command`."""
        self._watch.heard(words)

    def _plug(self, name):
        self._step(PortBack(self._stamp(), name))
        self._watch.tell_sensor(self._sensor(name), "ok", self._stamp())

    def _lose(self, name):
        self._step(PortLost(self._stamp(), name))
        self._watch.tell_sensor(self._sensor(name), "hung up", self._stamp())

    def _sensor(self, name):
        return next(sensor for sensor in self.settings.sensors if sensor.name == name)

    def _take(self, signal):
        """A signal from the virtual lines."""
        self.now_ms = signal.at_ms
        if isinstance(signal, PortBack):
            self._plug(signal.port)
            return
        if getattr(signal, "port", None) not in self._away:
            self._step(structs.replace(signal, at_ms=self._stamp()))
        if isinstance(signal, Tick):
            self._tick()

    def _tick(self):
        if self._fit.camera and EYE not in self._away:
            self._frame += 1
            self._step(Chunk(self._stamp(), EYE, picture(tuple(self._faces()), self._frame)))
        if self._is_heard and self.now_ms - self._beaten_ms >= BEAT_MS:
            self._tell()
        due, self._due = self._due, []
        for call in due:
            call()

    def _step(self, signal):
        self._watch.step(signal)

    def _soon(self, _after_s, call):
        self._due.append(call)

    def _faces(self):
        """What the camera sees: all that lies face up, one card of it misread."""
        misread_at = self._misread_at if self.misread else ""
        cards = self.tags
        for uid, place in self._stage._lies.items():
            if uid not in self._stage._held and cards[uid] in self.face_up:
                told = self.misread if place == misread_at else cards[uid]
                misread_at = "" if place == misread_at else misread_at
                if place != STUB:
                    yield Face(told, place, SURE_PERCENT)

    def _lying(self, place):
        cards = self.tags
        return {cards[uid] for uid, at in self._stage._lies.items() if at == place}

    # --- what leaves ---

    def write(self, text):
        """A piece of the log."""
        self._keep("log", text)

    def flush(self):
        """The log's stream has nothing to flush."""

    def isatty(self):
        return False

    def _tell(self):
        if self._is_heard and not self._is_down:
            self._beaten_ms = self.now_ms
            self._keep("mqtt", structs.asdict(self._watch.status("online")))

    def _carry(self):
        while self._is_heard and (sending := self._outbox.take()) is not None:
            number, message = sending
            self._keep("mqtt", structs.asdict(message))
            self._outbox.done(number)

    def _keep(self, way, what):
        self.left.append(Left(self.now_ms, way, what))
        if self.search:
            for text in self.left[-1].texts:
                self.search.leaves(text, self.now_ms, way)

    # --- time ---

    def _stamp(self):
        return self.now_ms + self._ahead_ms

    def _wall(self):
        return OPENED + timedelta(milliseconds=self._stamp())

    def _as_if_written_now(self):
        """The journal's last part gets the virtual time of its last entry."""
        first = latest_journal(self.settings.journal_folder)
        last = max(first.parent.glob(f"{first.stem}*"), key=lambda path: (len(path.name), path))
        ended_ms = max((entry.at_ms for entry in read_journal(first)), default=0)
        at = (OPENED + timedelta(milliseconds=ended_ms)).timestamp()
        os.utime(last, (at, at))


def turned(face_up, event, lying):
    """The cards that lie face up once this has happened; `lying` gives those at a place."""
    match event:
        case dealing.CardMoved(card=card, face=face) | dealing.CardTurned(card=card, face=face):
            return face_up | {card} if face == "up" else face_up - {card}
        case dealing.CardExposed(card=str(card), sure=True) | dealing.CardBoxed(card=card):
            return face_up | {card}
        case dealing.HandTabled(seat=seat, cards=cards):
            return face_up | (set(cards) or lying(SEAT[seat]))
        case dealing.CardsCollected() | dealing.DeckShuffled() | dealing.DeckChanged():
            return frozenset()
        case _:
            return face_up


def difference(before, after):
    """The first thing that left the one and not the other, as text; empty where there is none."""
    for number, (one, other) in enumerate(zip(before, after, strict=False)):
        if _timeless(one) != _timeless(other):
            return f"number {number}:\n{one}\n{other}"
    if len(before) != len(after):
        longer = max(before, after, key=len)
        return f"one more: {longer[min(len(before), len(after))]}"
    return ""


def _timeless(one):
    if one.way != "log":
        return one
    return replace(one, what=_CLOCK.sub("", one.what))
