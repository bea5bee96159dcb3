"""An administrator who has lost his password: let in again by whoever sits at the machine."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from click.testing import CliRunner, Result

from daemon.cli import main
from daemon.floor.history import Archive, Database
from daemon.floor.people.passwords import Passwords
from daemon.floor.people.people import People

CONFIG = """\
site = "house"
[broker]
urls = ["mqtt://127.0.0.1:1"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "floor.toml").write_text(CONFIG)
    (tmp_path / "state").mkdir()
    return tmp_path


def rescued(folder: Path, login: str) -> Result:
    said = ["floor", "--config", str(folder / "floor.toml"), "--rescue", login]
    return CliRunner().invoke(main, said)


def database_of(folder: Path) -> Database:
    database = Database(f"sqlite:///{folder / 'state' / 'history.db'}")
    database.bring_up()
    return database


async def lost(folder: Path) -> str:
    """Mara administered, and was shut out; the token of a session that she had."""
    database, passwords = database_of(folder), Passwords(PasswordHasher(1, 64, 1))
    people = People(database, passwords)
    await people.open()
    await people.make("mara", "Mara", "administer")
    begun = await people.trust("mara")
    await people.change("mara", name=None, role="supervise", disabled=True)
    passwords.close()
    database.close()
    return begun.token


async def signs_in(folder: Path, password: str, token: str) -> tuple[str, bool, bool]:
    database, passwords = database_of(folder), Passwords()
    people = People(database, passwords)
    await people.open()
    is_old_in = people.who(token) is not None
    begun = await people.sign_in("mara", password, "here")
    passwords.close()
    database.close()
    return begun.account.role, begun.account.must_change, is_old_in


def test_she_has_a_new_password_that_is_shown_once_and_must_be_changed(folder: Path) -> None:
    token = asyncio.run(lost(folder))
    result = rescued(folder, "mara")
    assert result.exit_code == 0, result.output
    (password,) = re.findall(
        r"login mara, password ((?:[a-z2-9]{5}-){3}[a-z2-9]{5})\n", result.output
    )
    assert asyncio.run(signs_in(folder, password, token)) == ("administer", True, False)
    kept = b"".join(path.read_bytes() for path in (folder / "state").iterdir())
    assert password.encode() not in kept
    database = database_of(folder)
    (row,) = Archive(database).audit("administer")
    database.close()
    assert (row.what, row.about, row.outcome) == ("person-reset", "mara", "done at the machine")


def test_a_login_that_nobody_has_is_told_and_nobody_is_made(folder: Path) -> None:
    asyncio.run(lost(folder))
    result = rescued(folder, "nobody")
    assert result.exit_code == 78
    assert "nobody  there is nobody of this login" in result.output
    assert "password" not in result.output
