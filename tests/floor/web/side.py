"""The real web over a real socket, a real database and the real floor, to which tables speak."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any

import httpx
import msgspec
from argon2 import PasswordHasher

from daemon.floor import instant
from daemon.floor.acts import Acts, Order
from daemon.floor.chain_table import ChainTable
from daemon.floor.floor import CardRoom
from daemon.floor.history import Archive, Database, Scribe
from daemon.floor.people.accounts import Account
from daemon.floor.people.passwords import Passwords
from daemon.floor.people.people import People
from daemon.floor.people.sessions import Ages
from daemon.floor.picture import Picture
from daemon.floor.report.made import Reports
from daemon.floor.resend import Resends
from daemon.floor.showing import Showing
from daemon.floor.views import ROLES, Role
from daemon.floor.web.app import make_web
from daemon.floor.web.call import Web
from daemon.floor.web.house import House
from daemon.floor.web.serving import Place, Serving

HANG_S = 60.0
PASSWORD = "a long walk home"
CHEAP = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
SITE = "house"


@dataclass
class Sent:
    """Where orders would go out."""

    orders: list[Order] = field(default_factory=list)

    def send(self, order: Order) -> bool:
        self.orders.append(order)
        return True


@dataclass
class Visitor:
    """A browser: its cookies, its origin, its CSRF token."""

    http: httpx.AsyncClient
    csrf: str = ""

    async def get(self, path: str, **more: Any) -> httpx.Response:
        return await self.http.get(path, **more)

    async def post(self, path: str, sent: object = None, **more: Any) -> httpx.Response:
        headers = {"origin": str(self.http.base_url).rstrip("/"), "x-csrf-token": self.csrf}
        headers |= {"content-type": "application/json"} | more.pop("headers", {})
        return await self.http.post(path, content=msgspec.json.encode(sent), headers=headers)

    async def form(self, path: str, fields: dict[str, Any], **more: Any) -> httpx.Response:
        headers = {"origin": str(self.http.base_url).rstrip("/")} | more.pop("headers", {})
        return await self.http.post(path, data={"csrf": self.csrf} | fields, headers=headers)

    async def delete(self, path: str) -> httpx.Response:
        headers = {"origin": str(self.http.base_url).rstrip("/"), "x-csrf-token": self.csrf}
        return await self.http.delete(path, headers=headers)

    async def sign_in(self, login: str, password: str = PASSWORD) -> httpx.Response:
        page = await self.http.get("/login")
        if found := re.search(r'name="csrf" value="([0-9a-f]{64})"', page.text):
            self.csrf = found[1]
        answer = await self.form("/login", {"login": login, "password": password})
        if answer.status_code == 303:
            await self.know_itself()
        return answer

    async def know_itself(self) -> dict[str, Any]:
        me = (await self.http.get("/api/me")).json()
        self.csrf = me["csrf"]
        return dict(me)


@dataclass
class Floorside:
    """Everything behind one address, and the hands to turn it."""

    web: Web
    room: CardRoom
    serving: Serving
    database: Database
    scribe: Scribe
    sent: Sent
    running: asyncio.Task[None]
    visitors: list[httpx.AsyncClient] = field(default_factory=list)

    @property
    def people(self) -> People:
        return self.web.people

    def visitor(self, **more: Any) -> Visitor:
        http = httpx.AsyncClient(base_url=self.serving.address, timeout=HANG_S, **more)
        self.visitors.append(http)
        return Visitor(http)

    async def signed_in(self, login: str) -> Visitor:
        """Somebody of this login, without the way through the form."""
        visitor = self.visitor()
        begun = await self.people.trust(login)
        visitor.http.cookies.set(self.web.house.cookie, begun.token)
        await visitor.know_itself()
        return visitor

    def heard(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        self.room.heard(topic, payload, retained=retained)

    def audited(self) -> list[tuple[str, str, str, str]]:
        """Every line of the audit, the oldest first: login, what, about, outcome."""
        self.scribe.close()
        rows = self.web.archive.audit("administer")
        return [(row.login, row.what, row.about, row.outcome) for row in reversed(rows)]


async def until(held: Callable[[], bool]) -> None:
    """Wait until it holds: what is waited for happens in another task."""
    async with asyncio.timeout(HANG_S):
        while not held():  # noqa: ASYNC110 - another's state, not an event of ours
            await asyncio.sleep(0.01)


async def asked_until(
    ask: Callable[[], Awaitable[httpx.Response]], held: Callable[[Any], bool]
) -> Any:
    """Ask until what is answered is so; the answer."""
    async with asyncio.timeout(HANG_S):
        while True:
            answer = await ask()
            assert answer.status_code == 200, answer.text
            if held(found := answer.json()):
                return found
            await asyncio.sleep(0.01)


def make_room(scribe: Scribe, sent: Sent) -> CardRoom:
    known = Picture((SITE,), order=(), stale_s=20.0, dealers=True)
    room = CardRoom(
        known=known,
        showing=Showing(known, (SITE,), "boot", b"k" * 32, beat_s=2.0),
        acts=Acts(4.0),
        chain_table=ChainTable(SITE, "boot"),
        history=scribe,
        resends=Resends("boot"),
        now=instant.now,
    )
    room.speak_by(sent, None)
    room.link("up", ())
    return room


def add(people: People, login: str, role: Role, **more: Any) -> None:
    account = Account(
        login=login, name=login.title(), role=role, secret=CHEAP.hash(PASSWORD), **more
    )
    people.accounts.keep(account)


@asynccontextmanager
async def opened(  # noqa: PLR0913 - what a test turns
    folder: Path,
    *,
    house: House | None = None,
    ages: Ages | None = None,
    heads: tuple[str, ...] = (),
    clock: Callable[[], float] | None = None,
    reports: Reports | None = None,
    dealers: bool = False,
    everybody: bool = True,
    place: tuple[str, str | None] | None = None,
) -> AsyncIterator[Floorside]:
    """A floor's side on loopback, with one person of each role, whose login is the role.

    `place` is another database than SQLite in this folder: its URL and password.
    """
    house = house or House(site=SITE, version="0")
    database = Database(*(place or (f"sqlite:///{folder / 'history.db'}", None)))
    database.bring_up()
    scribe, sent = Scribe(database), Sent()
    passwords = Passwords(CHEAP)
    more = {} if clock is None else {"clock": clock, "now_s": clock}
    people = People(database, passwords, ages=ages, guests=house.demo, heads=heads, **more)
    room = make_room(scribe, sent)
    archive = Archive(database, dealers=dealers)
    web = make_web(
        floor=room, history=scribe, archive=archive, reports=reports or Reports(archive, UTC),
        people=people, house=house,
    )  # fmt: skip
    if everybody and not house.demo:
        people.accounts.load()
        for role in ROLES:
            if people.accounts.get(role) is None:
                add(people, role, role)
    await people.open()
    serving = Serving(web, Place())
    side = Floorside(
        web, room, serving, database, scribe, sent, asyncio.create_task(serving.run())
    )  # fmt: skip
    await until(lambda: serving.is_up or side.running.done())
    try:
        yield side
    finally:
        for http in side.visitors:
            await http.aclose()
        serving.stop()
        async with asyncio.timeout(HANG_S):
            await side.running
        passwords.close()
        scribe.close()
        database.close()
