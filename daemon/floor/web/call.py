"""One request on its way: who asks, what for, and what all addresses have to work with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from daemon.floor.history.asking import Archive
from daemon.floor.people.accounts import Account
from daemon.floor.people.limits import Pace
from daemon.floor.people.people import People
from daemon.floor.people.sessions import Session
from daemon.floor.report.made import Reports
from daemon.floor.views import Floor, History, Role
from daemon.floor.web.assets import Assets
from daemon.floor.web.exports import Exports
from daemon.floor.web.house import House
from daemon.floor.web.routes import Route
from daemon.floor.web.speech import Speech
from daemon.floor.web.streams import Streams
from daemon.floor.web.words import LANGUAGES, words

RECKONED_AT_ONCE = 2
RECKONED_WAITING_MAX = 20
LANGUAGE = "floorcall-language"  # the cookie of a choice at the door

_encode = msgspec.json.Encoder(enc_hook=str).encode


class Queue:
    """A few at a time, and some that wait: what takes threads leaves others to who signs in."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(RECKONED_AT_ONCE)
        self._count = 0

    @property
    def is_full(self) -> bool:
        """Whether one more would wait too long."""
        return self._count >= RECKONED_AT_ONCE + RECKONED_WAITING_MAX

    async def __aenter__(self) -> None:
        self._count += 1
        try:
            await self._turn.acquire()
        except BaseException:
            self._count -= 1
            raise

    async def __aexit__(self, *_: object) -> None:
        self._turn.release()
        self._count -= 1


@dataclass(slots=True, kw_only=True)
class Web:
    """What every address works with."""

    floor: Floor
    history: History
    archive: Archive
    reports: Reports
    people: People
    house: House
    assets: Assets
    streams: Streams
    speech: Speech
    exports: Exports
    acts: Pace
    export_pace: Pace
    reckoned: Queue
    now_s: Callable[[], float]


@dataclass(slots=True, kw_only=True)
class Call:
    """A request that has passed the gate: `asked` is its query, `sent` its body, as types."""

    web: Web
    request: Request
    route: Route
    client: str
    token: str = ""
    session: Session | None = None
    account: Account | None = None
    at_door: str = ""
    asked: Any = None
    sent: Any = None

    @property
    def known(self) -> Account:
        """Who asks, at an address that only people who are known come to."""
        assert self.account is not None
        return self.account

    @property
    def opened(self) -> Session:
        """His session."""
        assert self.session is not None
        return self.session

    @property
    def role(self) -> Role:
        """His role."""
        return self.known.role

    @property
    def must_change(self) -> bool:
        """Whether he must change his password first."""
        return self.known.must_change and self.has_passwords

    @property
    def has_passwords(self) -> bool:
        """Whether people sign in here; neither in the demo nor where a proxy names them."""
        return not (self.web.house.demo or self.web.house.identity)

    @property
    def language(self) -> str:
        """The language he chose, here or at the door, or the dearest of his browser's."""
        at_door = self.at_door or self.request.cookies.get(LANGUAGE)
        for chosen in (self.account.language if self.account else None, at_door):
            if chosen in LANGUAGES:
                return str(chosen)
        return spoken(self.request.headers.get("accept-language", ""))

    def audit(self, what: str, about: str, outcome: str, login: str | None = None) -> None:
        """Write down who did what. `login` where he is not known, or not yet."""
        account = self.account
        self.web.history.audit(
            at=datetime.now(UTC),
            login=printable(login if login is not None else self.known.login),
            role=account.role if account else "",
            what=what,
            about=printable(about),
            outcome=printable(outcome),
        )

    def told(self, word: str) -> str:
        """A refusal's word for people, in his language."""
        mistakes: Mapping[str, Any] = words(self.language).get("mistake", {})
        return str(mistakes.get(word, word))


Endpoint = Callable[[Call], Any]
"""What stands at an address: takes the call, gives a Response, or awaits to give one."""


def json_of(content: object, status: int = 200) -> Response:
    """An answer for a script."""
    return Response(_encode(content), status, media_type="application/json")


def spoken(accepted: str) -> str:
    """Of an Accept-Language header the dearest language that we speak; English without any."""
    dearest, found = 0.0, LANGUAGES[0]
    for part in accepted[:500].split(","):
        name, _, quality = part.strip().partition(";q=")
        sign = name.partition("-")[0].strip().casefold()
        try:
            weight = float(quality) if quality else 1.0
        except ValueError:
            continue
        if sign in LANGUAGES and weight > dearest:
            dearest, found = weight, sign
    return found


def printable(text: str, most: int = 200) -> str:
    """Somebody's text as it may stand in an audit: of bounded length, nothing that hides."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:most])
