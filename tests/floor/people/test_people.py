"""Accounts, passwords and sessions over a real database."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

import pytest
from argon2 import PasswordHasher

from daemon.floor.history import Database
from daemon.floor.people import passwords as secrets_of
from daemon.floor.people.accounts import Account
from daemon.floor.people.passwords import Crowded, Passwords, made_up, weakness
from daemon.floor.people.people import FIRST, People, Refused
from daemon.floor.people.sessions import PER_PERSON_MAX

CHEAP = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
CHOSEN = "a long walk home"


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    made = Passwords(CHEAP)
    yield made
    made.close()


async def test_the_first_start_makes_an_administrator_who_must_change_his_password(
    database: Database, passwords: Passwords
) -> None:
    people = People(database, passwords)
    password = await people.open()
    assert password is not None
    assert re.fullmatch(r"(?:[a-z2-9]{5}-){3}[a-z2-9]{5}", password)
    begun = await people.sign_in(FIRST, password, "here")
    assert (begun.account.role, begun.account.must_change) == ("administer", True)
    assert people.first_used.is_set()


async def test_a_first_password_that_nobody_used_is_made_anew_and_a_used_one_is_not(
    database: Database, passwords: Passwords
) -> None:
    lost = await People(database, passwords).open()
    people = People(database, passwords)
    password = await people.open()
    assert password not in {None, lost}
    with pytest.raises(Refused):
        await people.sign_in(FIRST, str(lost), "here")
    await people.sign_in(FIRST, str(password), "here")
    assert await People(database, passwords).open() is None


async def test_where_there_is_anybody_else_no_first_password_is_made(
    database: Database, passwords: Passwords
) -> None:
    people = People(database, passwords, heads=("boss",))
    assert await people.open() is None
    assert people.accounts.administrators() == ["boss"]
    with pytest.raises(Refused):  # he has no password: the proxy names him
        await people.sign_in("boss", "", "here")
    assert (await people.trust("boss")).account.role == "administer"


async def test_a_head_by_configuration_is_one_again_at_each_start(
    database: Database, passwords: Passwords
) -> None:
    people = People(database, passwords, heads=("boss", "other"))
    await people.open()
    await people.change("boss", name=None, role="wall", disabled=True)
    again = People(database, passwords, heads=("boss", "other"))
    await again.open()
    assert again.accounts.administrators() == ["boss", "other"]


async def test_a_cheaper_hash_is_made_anew_when_its_owner_signs_in(
    database: Database, passwords: Passwords
) -> None:
    people = People(database, passwords)
    await people.open()
    _, password = await people.make("mara", "Mara", "supervise")
    dearer = Passwords(PasswordHasher(time_cost=2, memory_cost=128, parallelism=1))
    later = People(database, dearer)
    await later.open()
    before = later.accounts.get("mara")
    await later.sign_in("mara", password, "here")
    after = later.accounts.get("mara")
    assert before is not None
    assert after is not None
    assert before.secret != after.secret
    assert "t=2" in after.secret
    await later.sign_in("mara", password, "here")
    dearer.close()


async def test_whose_password_changes_while_it_is_verified_is_not_let_in(
    database: Database, passwords: Passwords
) -> None:
    people = People(database, passwords)
    await people.open()
    _, password = await people.make("mara", "Mara", "supervise")
    verify = passwords.verify

    async def slowly(stored: str | None, tried: str) -> bool:
        right = await verify(stored, tried)
        await people.reset("mara")
        return right

    passwords.verify = slowly  # type: ignore[method-assign]
    with pytest.raises(Refused):
        await people.sign_in("mara", password, "here")
    assert people.sessions.of("mara") == []


async def test_many_tries_at_once_are_not_one_try(database: Database, passwords: Passwords) -> None:
    people = People(database, passwords)
    await people.open()
    tries = [people.sign_in("admin", f"no-{number}", "here") for number in range(12)]
    found = await asyncio.gather(*tries, return_exceptions=True)
    words = [each.word for each in found if isinstance(each, Refused)]
    assert words.count("login") == 5
    assert words.count("slow-down") == 7


async def test_a_clock_that_is_set_neither_lengthens_a_wait_nor_signs_anybody_out(
    database: Database, passwords: Passwords
) -> None:
    shown_s, run_s = [1_800_000_000.0], [0.0]
    people = People(database, passwords, clock=lambda: shown_s[0], now_s=lambda: run_s[0])
    await people.open()
    _, password = await people.make("mara", "Mara", "supervise")
    begun = await people.sign_in("mara", password, "here")
    for step_s in (-3600.0, +7200.0, -3600.0):
        for _ in range(6):
            with pytest.raises(Refused):
                await people.sign_in("mara", "no", "here")
        shown_s[0] += step_s
        people.end_old()
        assert people.who(begun.token) is not None
        with pytest.raises(Refused) as no:
            await people.sign_in("mara", password, "here")
        assert 0 < no.value.wait_s <= 60
        run_s[0] += no.value.wait_s
        await people.sign_in("mara", password, "here")


async def test_people_of_the_same_name_are_told_apart_at_the_next_start_and_stay_so(
    database: Database, passwords: Passwords
) -> None:
    before = People(database, passwords)
    await before.open()
    for number, (login, name) in enumerate(
        [("zoe", "Mara Rossi"), ("adam", "mara  rossi"), ("eva", "Mara Rossi 2"), ("ivo", "Ivo")]
    ):
        before.accounts.keep(Account(login=login, name=name, role="supervise", made_ms=number))
    for _ in range(2):
        people = People(database, passwords)
        await people.open()
        names = {each.login: each.name for each in people.accounts.all()}
        del names["admin"]
        assert names == {
            "zoe": "Mara Rossi", "adam": "mara  rossi 3", "eva": "Mara Rossi 2", "ivo": "Ivo"
        }  # fmt: skip


async def test_two_who_are_made_at_once_do_not_get_one_name(
    database: Database, passwords: Passwords
) -> None:
    people = People(database, passwords)
    await people.open()
    made = [people.make(f"m{number}", "Mara", "supervise") for number in range(5)]
    found = await asyncio.gather(*made, return_exceptions=True)
    words = [each.word for each in found if isinstance(each, Refused)]
    assert words == ["name-taken"] * 4


async def test_a_head_whose_login_is_somebodys_name_gets_a_number(
    database: Database, passwords: Passwords
) -> None:
    people = People(database, passwords)
    await people.open()
    await people.make("mara", "Boss", "supervise")
    again = People(database, passwords, heads=("boss",))
    await again.open()
    head = again.accounts.get("boss")
    assert head is not None
    assert head.name == "boss 2"


async def test_a_crowd_at_the_door_is_told_to_wait() -> None:
    passwords = Passwords(CHEAP)
    tries = [passwords.hash("x") for _ in range(secrets_of.WAITING_MAX + 3)]
    found = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(each, Crowded) for each in found) == 3
    assert sum(isinstance(each, str) for each in found) == secrets_of.WAITING_MAX
    passwords.close()


async def test_a_person_has_so_many_sessions_and_the_oldest_goes(
    database: Database, passwords: Passwords
) -> None:
    people = People(database, passwords)
    await people.open()
    await people.make("mara", "Mara", "supervise")
    first = await people.trust("mara")
    for _ in range(PER_PERSON_MAX):
        await people.trust("mara")
    assert len(people.sessions.of("mara")) == PER_PERSON_MAX
    assert people.who(first.token) is None


async def test_changes_and_sessions_are_there_after_a_restart(
    database: Database, passwords: Passwords
) -> None:
    people = People(database, passwords)
    await people.open()
    await people.make("mara", "Mara", "supervise")
    begun = await people.trust("mara")
    await people.choose("mara", language="it", sound_volume=30)
    again = People(database, passwords)
    await again.open()
    found = again.who(begun.token)
    assert found is not None
    assert (found[1].language, found[1].sound_volume, found[1].theme) == ("it", 30, None)


@pytest.mark.parametrize(
    ("new", "word"),
    [
        ("another long way", None), ("short", "short"), ("x" * 257, "long"),
        ("aaaaaaaaaaaaaaa", "easy"), ("mara-mara-ma", "easy"), ("äöü-äöü-äöü", None),
        ("1234567890", "easy"), ("abcdefghijkl", "easy"), ("Password2026!", "easy"),
        ("passwordpassword", "easy"), ("casino-poker-1", "easy"), ("qwertyuiop1", "easy"),
        ("the poker of my aunt", None), ("8261-5930-1174", None),
    ],
)  # fmt: skip
def test_what_will_not_do_as_a_password_is_named(new: str, word: str | None) -> None:
    assert weakness(new, new, "mara") == word
    assert weakness(new, new + "x", "mara") == "differ"


def test_made_up_passwords_are_never_the_same() -> None:
    assert len({made_up() for _ in range(1000)}) == 1000
