"""The people of the house as the web asks of them: signing in and out, and what is changed of them.

Nothing here answers differently, or sooner, for a login that nobody has.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from daemon.floor.history.database import Database, HistoryError
from daemon.floor.people.accounts import PEOPLE_MAX, Account, Accounts
from daemon.floor.people.door import Door, browser_token
from daemon.floor.people.names import free, is_name, is_taken, told_apart
from daemon.floor.people.passwords import Passwords, made_up, weakness
from daemon.floor.people.sessions import PER_PERSON_MAX, Ages, Session, Sessions
from daemon.floor.views import Role

LOGIN = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
FIRST = "admin"
GUEST = Account(login="demo", name="Demo", role="supervise")
GUESTS_MAX = 200
HOUSEKEEPING_S = 60.0

Given = TypeVar("Given")
Ended = Callable[[list[Session], str], None]


class Refused(Exception):  # noqa: N818 - an answer, no fault
    """Why not, as a word of the web's refusals; `wait_s` where a later try may do."""

    def __init__(self, word: str, wait_s: float = 0.0) -> None:
        super().__init__(word)
        self.word = word
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session that has begun: the token goes to the browser and nowhere else.

    So does `browser`, where a password was given: by it that browser is known again.
    """

    token: str
    session: Session
    account: Account
    browser: str = ""


class People:
    """Everybody who may sign in. `ended` is told of sessions that are over, and why.

    `guests` is the demo's way: no password, everybody who comes is the same guest. `heads` are
    logins that are administrators by configuration, where a proxy says who somebody is. `clock`
    tells the time of day, `now_s` the time that nobody sets.
    """

    def __init__(  # noqa: PLR0913 - what a house says of its people
        self,
        database: Database,
        passwords: Passwords,
        *,
        ages: Ages | None = None,
        guests: bool = False,
        heads: tuple[str, ...] = (),
        clock: Callable[[], float] = time.time,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.accounts = Accounts(database)
        self.sessions = Sessions(database, clock)
        self.ended: Ended = lambda _sessions, _reason: None
        self.is_open = guests
        self.first_used = asyncio.Event()  # the first password has done its work
        self.guest = GUEST if guests else None
        self._passwords = passwords
        self._ages = ages or Ages()
        self._heads = heads
        self._clock = clock
        self._door = Door(now_s)
        self._turn = asyncio.Lock()  # one change after the other
        self._owed: list[Session] = []  # that the database has still to forget

    # --- at the start -----------------------------------------------------------------------------

    async def open(self) -> str | None:
        """Read everybody; the first administrator's password until he has used it, else None.

        Raises HistoryGone; what was configured as a head is made.
        """
        if self.guest is not None:
            return None
        await self._in_thread(self.accounts.load)
        await self._in_thread(self.sessions.load)
        for login, name in told_apart(self.accounts.all()).items():
            await self._change(login, name=name)
        for login in self._heads:
            await self._as_head(login)
        password = await self._first()
        if password is None:
            self.first_used.set()
        self.is_open = True
        return password

    async def keep_house(self) -> None:
        """Once a minute, for ever: what is over ends, what is owed to the database is done."""
        while True:
            await asyncio.sleep(HOUSEKEEPING_S)
            self.end_old()
            await self.settle()

    async def settle(self) -> None:
        """Write down what is to be written; a database that is away is asked again later."""
        owed, self._owed = self._owed, []
        try:
            await self._in_thread(self.sessions.forget, owed)
            await self._in_thread(self.sessions.write_seen)
        except Exception:  # noqa: BLE001 - whatever the database says, it is owed still
            self._owed += owed

    async def _first(self) -> str | None:
        """An administrator where there is none; his password anew until he has signed in."""
        unused = self.accounts.get(FIRST) if len(self.accounts) == 1 else None
        if len(self.accounts) and not (unused and unused.must_change and unused.seen_ms is None):
            return None
        password = made_up()
        secret = await self._passwords.hash(password)
        if unused is None:
            made = Account(
                login=FIRST, name="Administrator", role="administer", secret=secret,
                must_change=True, made_ms=self._now_ms(),
            )  # fmt: skip
            await self._in_thread(self.accounts.keep, made)
        else:
            await self._change(FIRST, secret=secret)
        return password

    async def _as_head(self, login: str) -> None:
        found = self.accounts.get(login)
        if found is None:
            name = free(login, self.accounts.all())
            made = Account(login=login, name=name, role="administer", made_ms=self._now_ms())
            await self._in_thread(self.accounts.keep, made)
        elif found.role != "administer" or found.disabled:
            await self._change(login, role="administer", disabled=False)

    # --- sessions ---------------------------------------------------------------------------------

    def who(self, token: str) -> tuple[Session, Account] | None:
        """The session of this token and whose it is, if it still holds; it counts as seen now."""
        session = self.sessions.find(token)
        account = self._account(session.login) if session else None
        if session is None or account is None or account.disabled:
            return None
        now_s = self._clock()
        if self.end_s(session, account.role) <= now_s:
            return None
        session.seen_s = now_s
        return session, account

    def seen(self, session: Session) -> None:
        """A page of this session is open."""
        session.seen_s = self._clock()

    def end_s(self, session: Session, role: Role) -> float:
        """When a session ends if nothing more is heard of it, in seconds since 1970."""
        return self._ages.end_s(session, role)

    def cookie_s(self, role: Role) -> float | None:
        """For how long a browser keeps its session; None for as long as it runs.

        A wall's may be started anew, and nobody tells it that it was seen: as long as it may last.
        """
        return self._ages.wall_absolute_s if role == "wall" else None

    def _account(self, login: str) -> Account | None:
        if self.guest is not None:
            return self.guest if login == self.guest.login else None
        return self.accounts.get(login)

    async def sign_in(self, login: str, password: str, address: str, browser: str = "") -> SignedIn:
        """A session for whoever knows the password; raises Refused, Crowded, HistoryGone.

        `browser` is what his browser holds of those who signed in there before.
        """
        login = login.strip().lower()
        account = self.accounts.get(login)
        tries, now_s = self._door.tries(login, account, address, browser), self._door.now_s()
        if (wait_s := tries.wait_s(now_s)) > 0:
            raise Refused("slow-down", wait_s)
        tries.failed(now_s)  # before it is looked at, so that many at once are not one
        usable = account is not None and not account.disabled
        right = await self._passwords.verify(
            account.secret if account and usable else None, password
        )
        if account is None or not right:
            raise Refused("login")
        tries.right()
        return await self._begun(account, password)

    async def _begun(self, account: Account, password: str) -> SignedIn:
        changed: dict[str, Any] = {"seen_ms": self._now_ms()}
        if self._passwords.is_outdated(account.secret):
            changed["secret"] = await self._passwords.hash(password)
        async with self._turn:
            now = self.accounts.get(account.login)
            if now is None or now.disabled or now.secret != account.secret:
                raise Refused("login")  # it was another one, or nobody's, while we looked at it
            account = await self._in_thread(lambda: self.accounts.change(account.login, **changed))
            return replace(await self._admitted(account), browser=browser_token(account))

    async def trust(self, login: str) -> SignedIn:
        """A session for whom a trusted proxy names; raises Refused, HistoryGone."""
        account = self.accounts.get(login)
        if account is None or account.disabled:
            raise Refused("not-known")
        return await self._admitted(await self._change(login, seen_ms=self._now_ms()))

    async def _admitted(self, account: Account) -> SignedIn:
        token, session = await self._in_thread(self.sessions.begin, account.login)
        if account.login == FIRST:
            self.first_used.set()
        mine = self.sessions.of(account.login)
        self.end(mine[: max(0, len(mine) - PER_PERSON_MAX)], "expired")
        return SignedIn(token, session, account)

    def welcome(self) -> SignedIn:
        """A session for a guest, which no database keeps."""
        assert self.guest is not None
        token, session = self.sessions.begin(self.guest.login, is_kept=False)
        mine = self.sessions.of(self.guest.login)
        self.end(mine[: max(0, len(mine) - GUESTS_MAX)], "expired")
        return SignedIn(token, session, self.guest)

    def end(self, sessions: list[Session], reason: str) -> None:
        """These are over, from this moment; the database forgets them a moment later."""
        if not sessions:
            return
        for each in sessions:
            self.sessions.drop(each)
        self._owed += sessions
        self.ended(sessions, reason)

    def end_old(self) -> None:
        """End those that are too old, or whose owner is no more."""
        now_s = self._clock()
        old = []
        for each in self.sessions.all():
            account = self._account(each.login)
            if account is None or account.disabled or self.end_s(each, account.role) <= now_s:
                old.append(each)
        self.end(old, "expired")

    # --- what is changed of people ----------------------------------------------------------------

    async def choose(self, login: str, **chosen: Any) -> Account:  # noqa: ANN401 - columns
        """How somebody wants his screens; raises HistoryGone."""
        if self.guest is not None:
            self.guest = replace(self.guest, **chosen)
            return self.guest
        return await self._change(login, **chosen)

    async def new_password(self, login: str, old: str, new: str, again: str) -> SignedIn:
        """Another password, and a new session instead of all his others; raises Refused too."""
        account = self.accounts.get(login)
        tries, now_s = self._door.tries_inside(login), self._door.now_s()
        wait_s = tries.wait_s(now_s)
        if account is None or wait_s > 0:
            raise Refused("slow-down", wait_s)
        if weak := weakness(new, again, login):
            raise Refused(weak)
        tries.failed(now_s)
        if not await self._passwords.verify(account.secret, old):
            raise Refused("old")
        tries.right()
        if new == old:
            raise Refused("same")
        secret = await self._passwords.hash(new)
        async with self._turn:
            account = await self._in_thread(
                lambda: self.accounts.change(login, secret=secret, must_change=False)
            )
            self.end(self.sessions.of(login), "password")
            return replace(await self._admitted(account), browser=browser_token(account))

    async def make(self, login: str, name: str, role: Role) -> tuple[Account, str]:
        """Somebody new and his password; raises Refused, Crowded, HistoryGone."""
        if not LOGIN.fullmatch(login) or not is_name(name):
            raise Refused("malformed")
        password = made_up()
        secret = await self._passwords.hash(password)
        made = Account(
            login=login, name=name.strip(), role=role, secret=secret, must_change=True,
            made_ms=self._now_ms(),
        )  # fmt: skip
        async with self._turn:
            if self.accounts.get(login) is not None:
                raise Refused("taken")
            if is_taken(name, self.accounts.all()):
                raise Refused("name-taken")
            if len(self.accounts) >= PEOPLE_MAX:
                raise Refused("too-many")
            await self._in_thread(self.accounts.keep, made)
        return made, password

    async def change(
        self, login: str, *, name: str | None, role: Role | None, disabled: bool | None
    ) -> Account:
        """Another name or role, in or out; the last administrator stays one. Raises Refused.

        Whoever is to be shut out is so at once, even where the database does not take it now: his
        screens end, and nobody signs in anew without it.
        """
        wanted = {"name": name and name.strip(), "role": role, "disabled": disabled}
        changed = {column: value for column, value in wanted.items() if value is not None}
        async with self._turn:
            before = self.accounts.get(login)
            if before is None:
                raise Refused("unknown-person")
            if name is not None:
                self._look_at_name(name, login)
            falls = role not in {None, "administer"} or disabled
            if falls and self.accounts.administrators() == [login]:
                raise Refused("last-administrator")
            try:
                after = await self._in_thread(lambda: self.accounts.change(login, **changed))
            except HistoryError:
                if disabled:
                    self.end(self.sessions.of(login), "disabled")
                raise
        if after.disabled and not before.disabled:
            self.end(self.sessions.of(login), "disabled")
        elif after.role != before.role:
            self.end(self.sessions.of(login), "role")
        return after

    def _look_at_name(self, name: str, login: str) -> None:
        """Raises Refused for a name that he cannot have."""
        if not is_name(name):
            raise Refused("malformed")
        if is_taken(name, (each for each in self.accounts.all() if each.login != login)):
            raise Refused("name-taken")

    async def reset(self, login: str) -> tuple[Account, str]:
        """A new password that must be changed, all sessions ended; raises Refused."""
        if self.accounts.get(login) is None:
            raise Refused("unknown-person")
        password = made_up()
        secret = await self._passwords.hash(password)
        account = await self._change(login, secret=secret, must_change=True)
        self._door.forget(login)
        self.end(self.sessions.of(login), "password")
        return account, password

    async def rescue(self, login: str) -> str:
        """A new password for an administrator who has lost his, by whoever sits at the machine.

        He is one again from then on, whatever became of him. Raises Refused, HistoryGone.
        """
        if self.accounts.get(login) is None:
            raise Refused("unknown-person")
        _, password = await self.reset(login)
        await self._change(login, role="administer", disabled=False)
        await self.settle()
        return password

    # --- how it is written ------------------------------------------------------------------------

    async def _change(self, login: str, **changed: Any) -> Account:  # noqa: ANN401 - columns
        async with self._turn:
            return await self._in_thread(lambda: self.accounts.change(login, **changed))

    async def _in_thread(self, work: Callable[..., Given], *said: Any) -> Given:  # noqa: ANN401
        return await asyncio.to_thread(work, *said)

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)
