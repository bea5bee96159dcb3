"""Who may sign in: all of them in memory, each change in the database first.

A card room has tens of people, and each request asks for one: only changes touch the database.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from daemon.floor.history.database import Database
from daemon.floor.people.tables import person
from daemon.floor.views import ROLES, Person, Role

PEOPLE_MAX = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody who may sign in, and how he wants his screens; None is what he never chose."""

    login: str
    name: str
    role: Role
    secret: str = ""
    must_change: bool = False
    disabled: bool = False
    language: str | None = None
    theme: str | None = None
    sound_critical: bool | None = None
    sound_high: bool | None = None
    sound_volume: int | None = None
    made_ms: int = 0
    seen_ms: int | None = None

    @property
    def person(self) -> Person:
        """What others know of him."""
        return Person(self.login, self.name, self.role)


COLUMNS = tuple(column.name for column in person.columns)


class Accounts:
    """The people of this house. What touches the database blocks: call it in a thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, Account] = {}

    def __len__(self) -> int:
        return len(self._known)

    def load(self) -> None:
        """Read everybody; raises HistoryGone."""
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(person)).mappings().all()
        self._known = {row["login"]: _account(dict(row)) for row in rows if row["role"] in ROLES}

    def get(self, login: str) -> Account | None:
        return self._known.get(login)

    def all(self) -> list[Account]:
        """Everybody, by login."""
        return [self._known[login] for login in sorted(self._known)]

    def keep(self, account: Account) -> None:
        """Somebody new; raises HistoryGone."""
        with self._database.writing() as connection:
            connection.execute(sa.insert(person).values(**_row(account)))
        self._known[account.login] = account

    def change(self, login: str, **changed: Any) -> Account:  # noqa: ANN401 - columns
        """Somebody otherwise than before; raises HistoryGone, KeyError."""
        account = replace(self._known[login], **changed)
        if not changed:
            return account
        with self._database.writing() as connection:
            connection.execute(sa.update(person).where(person.c.login == login).values(**changed))
        self._known[login] = account
        return account

    def administrators(self) -> list[str]:
        """Who could let others in again, by login."""
        return [
            each.login for each in self.all() if each.role == "administer" and not each.disabled
        ]


def _account(row: dict[str, Any]) -> Account:
    return Account(**{name: row[name] for name in COLUMNS})


def _row(account: Account) -> dict[str, Any]:
    return {name: getattr(account, name) for name in COLUMNS}
