"""Sessions: a random token in the browser, its hash here and in the database.

They survive a restart. An open page keeps its session alive, since an alert screen that signs
itself out is a hazard; its absolute age ends it in any case, a wall's later than a person's.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

from daemon.floor.history.database import Database
from daemon.floor.people.tables import session as stored
from daemon.floor.views import Role

TOKEN_BYTES = 32
TOKEN_MAX = 64  # letters of one that is looked at
PER_PERSON_MAX = 20
SEEN_EVERY_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ages:
    """How old a session may be, in seconds: unused, and in all."""

    idle_s: float = 8 * 3600.0
    absolute_s: float = 16 * 3600.0
    wall_idle_s: float = 7 * 86_400.0
    wall_absolute_s: float = 90 * 86_400.0

    def end_s(self, session: Session, role: Role) -> float:
        """When it ends if nothing more is heard of it."""
        wall = role == "wall"
        idle_s = self.wall_idle_s if wall else self.idle_s
        absolute_s = self.wall_absolute_s if wall else self.absolute_s
        return min(session.begun_s + absolute_s, session.seen_s + idle_s)


@dataclass(eq=False, slots=True)
class Session:
    """One browser that is signed in. `token` is the hash of what it holds."""

    token: str
    login: str
    begun_s: float
    seen_s: float
    written_s: float = 0.0
    is_kept: bool = True  # in the database; a guest's is not


def hashed(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("ascii", "replace")).hexdigest()


def csrf_of(token: str) -> str:
    """The token that proves that a request comes from a page of this session."""
    return hmac.new(token.encode("ascii", "replace"), b"csrf", hashlib.sha256).hexdigest()


class Sessions:
    """All sessions. What touches the database blocks: call it in a thread."""

    def __init__(self, database: Database | None, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._known: dict[str, Session] = {}

    def load(self) -> None:
        """Read those that were open before; raises HistoryGone."""
        if self._database is None:
            return
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(stored)).all()
        for row in rows:
            begun_s, seen_s = row.begun_ms / 1000, row.seen_ms / 1000
            found = Session(row.token, row.login, begun_s, seen_s, written_s=seen_s)
            self._known.setdefault(row.token, found)

    def find(self, token: str) -> Session | None:
        """The session of this token, however old."""
        return self._known.get(hashed(token)) if 0 < len(token) <= TOKEN_MAX else None

    def of(self, login: str) -> list[Session]:
        """Somebody's, the oldest first."""
        mine = [each for each in self._known.values() if each.login == login]
        return sorted(mine, key=lambda each: each.begun_s)

    def all(self) -> list[Session]:
        """Everybody's."""
        return list(self._known.values())

    def begin(self, login: str, *, is_kept: bool = True) -> tuple[str, Session]:
        """A new token and its session; raises HistoryGone, and then there is none."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        now_s = self._clock()
        made = Session(hashed(token), login, now_s, now_s, written_s=now_s, is_kept=is_kept)
        if is_kept and self._database is not None:
            row = {"begun_ms": int(now_s * 1000), "seen_ms": int(now_s * 1000)}
            with self._database.writing() as connection:
                connection.execute(sa.insert(stored).values(token=made.token, login=login, **row))
        self._known[made.token] = made
        return token, made

    def drop(self, session: Session) -> None:
        """It is no more, from now on."""
        self._known.pop(session.token, None)

    def forget(self, dropped: list[Session]) -> None:
        """Take dropped ones out of the database; raises HistoryGone."""
        tokens = [each.token for each in dropped if each.is_kept]
        if tokens and self._database is not None:
            with self._database.writing() as connection:
                connection.execute(sa.delete(stored).where(stored.c.token.in_(tokens)))

    def is_due(self, session: Session) -> bool:
        """Whether it is time to write down that it was seen."""
        return session.is_kept and session.seen_s - session.written_s >= SEEN_EVERY_S

    def write_seen(self) -> None:
        """Write down when each was last seen; raises HistoryGone."""
        due = [each for each in self._known.values() if self.is_due(each)]
        if not due or self._database is None:
            return
        with self._database.writing() as connection:
            for each in due:
                seen_ms = int(each.seen_s * 1000)
                mine = stored.c.token == each.token
                connection.execute(sa.update(stored).where(mine).values(seen_ms=seen_ms))
        for each in due:
            each.written_s = each.seen_s
