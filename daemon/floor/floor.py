"""The floor's side, joined: what is heard becomes news for each role, and acts become orders.

Nothing here waits for the network or the disk; `pass_time` is called a few times a second.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

import structlog

from daemon.floor import acts as acting
from daemon.floor import gravity, picture
from daemon.floor.acts import Acts, Known, Order, Target
from daemon.floor.chain_table import ChainTable
from daemon.floor.chain_test import ChainTest
from daemon.floor.ear import OWN
from daemon.floor.instant import Instant, iso
from daemon.floor.picture import Change, Picture
from daemon.floor.reduced import audiences_of
from daemon.floor.resend import Resends
from daemon.floor.showing import Showing
from daemon.floor.telling import Telling
from daemon.floor.troubles import trouble
from daemon.floor.views import (
    MAY_ACT,
    Act,
    AlertView,
    Beat,
    History,
    Link,
    News,
    Outcome,
    Payload,
    Person,
    Role,
    Snapshot,
    Transition,
    Trouble,
)

BEAT_S = 2.0
TABLES_S = 0.2  # news of tables are gathered for so long; those of alerts never
LOOK_S = 1.0
STEADY_S = 30.0  # by then every table that is there has said so, and was asked

log = structlog.get_logger(part="floor")


class Sender(Protocol):
    """Takes orders to the tables."""

    def send(self, order: Order) -> bool:
        """Take an order; False where it cannot be sent now."""
        ...


class CardRoom:
    """All that the floor knows and does; `views.Floor` for the web, `ear.Room` for the broker.

    `known` is the picture, `showing` makes views of it, `now` tells the time, `troubles`
    what else is wrong with the service.
    """

    def __init__(  # noqa: PLR0913 - what it joins
        self,
        *,
        known: Picture,
        showing: Showing,
        acts: Acts,
        chain_table: ChainTable,
        history: History,
        resends: Resends,
        now: Callable[[], Instant],
        troubles: Callable[[], Sequence[Trouble]] = lambda: (),
    ) -> None:
        self._picture = known
        self._showing = showing
        self._acts = acts
        self._chain = ChainTest()
        self._chain_table = chain_table
        self._history = history
        self._resends = resends
        self._now = now
        self._troubles = troubles
        self._sender: Sender | None = None
        self._telling = Telling(showing, acts, self.snapshot, now)
        self._listeners = self._telling.listeners
        self._link = "down"
        self._since = iso(now().at)
        self._wrong: Sequence[Trouble] = (trouble("not-yet", "not connected yet"),)
        self._since_s = now().s
        self._down_since_s: float | None = None
        self._away_s: float | None = None
        self._due_s = {"beat": 0.0, "tables": 0.0, "look": 0.0}

    def speak_by(self, sender: Sender, away_s: float | None) -> None:
        """Orders go by this; for `away_s` nobody heard before this run (None: never)."""
        self._sender = sender
        self._away_s = away_s

    @property
    def is_up(self) -> bool:
        """Whether the broker is heard."""
        return self._link == "up"

    @property
    def is_caught_up(self) -> bool:
        """Whether nothing that was missed is still to be asked for."""
        steady_s = self._now().s - self._since_s
        return self.is_up and steady_s > STEADY_S and not self._resends.is_waiting

    # --- what the web asks ---

    def snapshot(self, role: Role) -> Snapshot:
        """The whole picture now."""
        now = self._now()
        return self._showing.snapshot(
            role, now, self._told_link(), self._chain.view(now), self._acts
        )

    @contextmanager
    def _listened(self, person: Person, screen: str) -> Iterator[AsyncIterator[Sequence[News]]]:
        with self._listeners.opened(person, screen) as listener:
            try:
                yield listener
            finally:
                if all(each.screen != screen or each is listener for each in self._listeners):
                    self._chain.left(screen)

    def listen(
        self, person: Person, screen: str
    ) -> AbstractContextManager[AsyncIterator[Sequence[News]]]:
        """What is news from now on, for this person's screen, the first a `picture`."""
        return self._listened(person, screen)

    def alert(self, role: Role, key: str) -> AlertView | None:
        """One alert that stands or was lately closed."""
        standing = self._showing.find(key)
        if standing is None or role == "wall":
            return None
        return self._showing.whole(role, standing, self._acts, stands=False)

    def coverage(self, role: Role, site: str, table: str) -> Payload | None:
        """What a table said of what it can see."""
        return self._showing.coverage(role, site, table)

    async def act(self, person: Person, act: Act) -> Outcome:
        """Take what somebody wants; `pending` or `refused` at once."""
        if (known := self._acts.known(person, act.id)) is not None:
            return known
        now = self._now()
        outcome = self._taken(person, act, now)
        if outcome["state"] == "refused":
            self._audit(person, act.act, act.key, outcome, now)
            return outcome
        self._telling.act(person, outcome)
        return outcome

    async def undo(self, person: Person, act_id: str) -> Outcome:
        """Take it back, if it is his and was not sent yet."""
        outcome = self._acts.undo(person, act_id)
        if outcome["state"] == "undone":
            self._telling.act(person, outcome)
        self._audit(person, "undo", outcome["key"], outcome, self._now())
        return outcome

    def chain_seen(self, screen: str, number: int) -> None:
        """A screen has had the test alert of this number."""
        self._chain.seen(screen, number)

    # --- what the ear hears ---

    def began(self) -> None:
        """A connection is there; all that stands is about to be told."""
        self._picture.begin(self._now())

    def heard(self, topic: str, payload: bytes, *, retained: bool) -> None:
        """A message; raises nothing, since anybody at the broker may have written it."""
        now = self._now()
        try:
            number = self._chain_table.number(topic, payload)
            if number is not None:
                self._chain_heard(number, now)
            else:
                self._spread(self._picture.take(topic, payload, retained=retained, now=now), now)
        except Exception:
            log.exception("message passed over")

    def settled(self, *, proven: bool) -> None:
        """All that stands was told; ask again for what was missed."""
        now = self._now()
        if proven:
            self._spread(self._picture.settled(now), now)
        away_s = self._away_s
        if self._down_since_s is not None:
            away_s = now.s - self._down_since_s
        if away_s is not None:
            self._resends.missed(away_s, now.s)

    def link(self, state: str, wrong: Sequence[Trouble]) -> None:
        """The connection is `up` or `down`, and what is wrong with it."""
        now = self._now()
        if state == "down" and self._link == "up":
            self._down_since_s = now.s
        if state != self._link:
            self._since, self._since_s = iso(now.at), now.s
        self._link, self._wrong = state, wrong
        self._telling.outdated()
        self._due_s["beat"] = 0.0

    def unsent(self, order: Order) -> None:
        """This order could not be sent."""
        if (known := self._acts.unsent(order.command.id)) is not None:
            self._ended(known)

    # --- what time brings ---

    def pass_time(self) -> None:
        """Do what is due now."""
        now = self._now()
        self._send(self._acts.due(now))
        for known in self._acts.unheard(now):
            self._ended(known)
        if self._is_due("look", LOOK_S, now):
            self._spread(self._picture.pass_time(now), now)
            self._ask_again(now)
        if self._is_due("tables", TABLES_S, now):
            self._telling.tables()
        if self._is_due("beat", BEAT_S, now):
            link, chain = self._told_link(), self._chain.view(now)
            self._telling.beat(Beat(now=iso(now.at), link=link, chain=chain))

    def send_all(self) -> None:
        """The service goes: what people did and could still undo is sent now."""
        self._send(self._acts.due(self._now(), at_once=True))

    def chain_begins(self) -> tuple[int, bytes]:
        """A new test of the chain: its number, and the words that the virtual table says."""
        now = self._now()
        number = self._chain.begin(now)
        return number, self._chain_table.words(number, now)

    def chain_failed(self, number: int) -> None:
        """The virtual table could not say it."""
        self._chain.failed(number)

    # --- inside ---

    def _taken(self, person: Person, act: Act, now: Instant) -> Outcome:
        if person.role not in MAY_ACT:
            return acting.refused(person, act, "forbidden")
        standing = self._showing.find(act.key)
        copy = standing.latest(audiences_of(person.role)) if standing is not None else None
        if standing is None or copy is None:
            return acting.refused(person, act, "unknown-alert")
        if copy.revision != act.revision:
            return acting.refused(person, act, "stale")
        if not self.is_up:
            return acting.refused(person, act, "no-broker")
        if self._showing.state_of(standing) == "offline":
            return acting.refused(person, act, "offline")
        about = gravity.gravity(copy.payload)
        target = Target(standing.site, standing.table, standing.id, about)
        return self._acts.take(person, act, target, now)

    def _send(self, due: Iterable[Known]) -> None:
        for known in due:
            revision = known.act.revision
            standing = self._showing.find(known.act.key)
            copy = standing.latest(audiences_of(known.person.role)) if standing else None
            if copy is not None and gravity.is_still(
                known.target.gravity, copy.payload, known.person.name
            ):
                revision = copy.revision
            order = self._acts.order(known, revision)
            if self._sender is not None and self._sender.send(order):
                self._telling.act(known.person, known.outcome)
            else:
                self.unsent(order)

    def _ended(self, known: Known) -> None:
        self._telling.act(known.person, known.outcome)
        self._audit(known.person, known.act.act, known.act.key, known.outcome, self._now())

    def _audit(self, person: Person, what: str, key: str, outcome: Outcome, now: Instant) -> None:
        became = ": ".join(filter(None, (outcome["state"], outcome.get("reason", ""))))
        self._history.audit(
            at=now.at, login=person.login, role=person.role, what=what, about=key, outcome=became
        )

    def _spread(self, changes: Iterable[Change], now: Instant) -> None:
        alerts: dict[str, None] = {}
        for change in changes:
            match change:
                case Transition():
                    self._history.put(change)
                case picture.AlertChanged(key):
                    alerts[key] = None
                case picture.TableChanged(site, table, fields):
                    self._telling.changed(site, table, fields)
                case picture.TableGone():
                    self._telling.renew()
                case picture.ActsHeard(site, table, alert, acts):
                    self._history.acts(site, table, alert, acts, now.at)
                case picture.HandsEnded(site, table, count):
                    self._history.hands(site, table, count, now.at)
                case picture.Answered(site, table, answer):
                    self._answered(site, table, answer)
        for key in alerts:
            self._telling.alert(key)

    def _answered(self, site: str, table: str, answer: dict[str, object]) -> None:
        number, ok = str(answer.get("id") or ""), answer.get("ok") is True
        if self._resends.answered(site, table, number, ok=ok):
            return
        known = self._acts.answered(
            number, site, table, ok=ok, error=str(answer.get("error") or "")[:64]
        )
        if known is not None:
            self._ended(known)

    def _told_link(self) -> Link:
        """The link, and what else is wrong with the service."""
        wrong = [*self._wrong, *self._troubles()]
        is_well = self._link == "up" and not wrong
        return Link(state=self._link, since=self._since, well=is_well, troubles=wrong)

    def _chain_heard(self, number: int, now: Instant) -> None:
        if self._chain.heard(number, now):
            for screen in self._telling.chain(number):
                self._chain.asked(screen, now)

    def _ask_again(self, now: Instant) -> None:
        if self._sender is None or not self.is_up:
            return
        there = (
            (table.site, table.name)
            for table in self._picture.tables()
            if table.name != OWN and self._picture.state(table) == "live"
        )
        for site, table, command in self._resends.due(there, now.s):
            self._sender.send(Order(site, table, command))

    def _is_due(self, what: str, every_s: float, now: Instant) -> bool:
        if now.s < self._due_s[what]:
            return False
        self._due_s[what] = now.s + every_s
        return True
