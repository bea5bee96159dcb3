"""A card room without a network: tables speak by calls, orders are caught, time is set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from daemon.floor.acts import Acts, Order
from daemon.floor.chain_table import ChainTable
from daemon.floor.floor import BEAT_S, CardRoom
from daemon.floor.picture import Picture
from daemon.floor.resend import Resends
from daemon.floor.showing import Showing
from daemon.floor.views import ActSeen, News, Person, Role, Transition
from tests.floor.said import SITE, alert, at, line, status, topic

ANNA = Person("anna", "Anna Rossi", "supervise")
BRUNO = Person("bruno", "Bruno Neri", "supervise")
KEY = f"{SITE}/poker-1/{alert()['id']}"


class Kept:
    """A history in memory."""

    def __init__(self) -> None:
        self.transitions: list[Transition] = []
        self.hands_ended = 0
        self.acts_told: list[ActSeen] = []
        self.deeds: list[tuple[str, str, str]] = []

    def put(self, transition: Transition) -> None:
        self.transitions.append(transition)

    def acts(
        self, _site: str, _table: str, _alert: str, acts: Sequence[ActSeen], _told: datetime
    ) -> None:
        self.acts_told += acts

    def hands(self, _site: str, _table: str, count: int, _until: datetime) -> None:
        self.hands_ended += count

    def audit(self, *, login: str, what: str, outcome: str, **_: object) -> None:
        self.deeds.append((login, what, outcome))


class Sent:
    """Where orders go; `there` is whether there is a broker."""

    def __init__(self) -> None:
        self.orders: list[Order] = []
        self.there = True

    def send(self, order: Order) -> bool:
        if self.there:
            self.orders.append(order)
        return self.there


class Stage:
    """The room, its clock and all that it touches."""

    def __init__(self, *, undo_s: float = 4.0, dealers: bool = False) -> None:
        self.s = 0.0
        self.kept = Kept()
        self.sent = Sent()
        known = Picture([SITE], order=["poker-1"], dealers=dealers)
        self.chain_table = ChainTable(SITE, "b00t")
        self.room = CardRoom(
            known=known,
            showing=Showing(known, (SITE,), "b00t", b"secret", beat_s=BEAT_S),
            acts=Acts(undo_s),
            chain_table=self.chain_table,
            history=self.kept,
            resends=Resends("b00t"),
            now=lambda: at(self.s),
        )
        self.room.speak_by(self.sent, None)
        self.room.link("up", ())

    def says(self, *levels: str, payload: bytes, table: str = "poker-1", retained: bool = False):
        self.room.heard(topic(*levels, table=table), payload, retained=retained)

    def opens(self, table: str = "poker-1") -> None:
        self.says("status", payload=status(), table=table)

    def raises(self, said=None, *, table: str = "poker-1") -> None:
        said = said or alert()
        for audience in dict.fromkeys((said["audience"], "surveillance")):
            self.says("alerts", audience, said["id"], payload=line(**said), table=table)
            self.says("log", audience, payload=line(**said), table=table)

    def passes(self, s: float) -> None:
        """Time goes by, a quarter of a second at a time."""
        end = self.s + s
        while self.s < end:
            self.s = min(end, self.s + 0.25)
            self.room.pass_time()

    def answers(self, number: int = -1, *, ok: bool = True, **more) -> None:
        order = self.sent.orders[number]
        self.says("answer", payload=line(v=1, id=order.command.id, ok=ok, **more))


def person(role: Role, login: str = "") -> Person:
    return Person(login or role, role.title(), role)


def of_kind(news: Iterable[News], kind: str) -> list[News]:
    return [one for one in news if one.kind == kind]
