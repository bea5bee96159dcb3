"""Signing in and out: who gets a session, what it is worth, and how it ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from daemon.floor.people import door
from daemon.floor.people.sessions import Ages, hashed
from daemon.floor.web.house import House
from tests.floor.web.side import PASSWORD, Floorside, Visitor, add, opened

NEW = "another long way round"


class Clock:
    """Seconds since 1970 as the test has them."""

    def __init__(self) -> None:
        self.now_s = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s


def token_of(visitor: Visitor) -> str:
    return str(visitor.http.cookies.get("floorcall"))


async def is_in(visitor: Visitor) -> bool:
    return (await visitor.get("/api/me")).status_code == 200


async def test_whoever_knows_the_password_is_led_to_his_first_page(side: Floorside) -> None:
    visitor = side.visitor()
    assert (await visitor.get("/")).headers["location"] == "/login?to=/"
    answer = await visitor.sign_in("supervise")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert (await visitor.get("/")).headers["location"] == "/floor"
    assert (await visitor.get("/floor")).status_code == 200


async def test_he_is_led_to_where_he_wanted_to_go_but_never_elsewhere(side: Floorside) -> None:
    for to, led in {
        "/alerts/house/t/1?x=1": "/alerts/house/t/1?x=1",
        "//evil.example/": "/",
        "/\\evil.example": "/",
        "https://evil.example": "/",
        "/login": "/",
        "/x\r\nset-cookie: a=b": "/",
    }.items():
        visitor = side.visitor()
        page = await visitor.get("/login", params={"to": to})
        visitor.csrf = re.findall(r'name="csrf" value="([0-9a-f]{64})"', page.text)[0]
        fields = {"login": "supervise", "password": PASSWORD, "to": to}
        assert (await visitor.form("/login", fields)).headers["location"] == led
        again = await visitor.get("/login", params={"to": to})
        assert again.headers["location"] == led


async def test_a_wrong_password_an_unknown_login_and_one_shut_out_are_answered_alike(
    side: Floorside,
) -> None:
    add(side.people, "zzz-known", "supervise")
    add(side.people, "zzz-shut-out", "supervise", disabled=True)
    told = set()
    for login, password in (
        ("zzz-known", "no"),
        ("zzz-unknown", PASSWORD),
        ("zzz-shut-out", PASSWORD),
    ):
        visitor = side.visitor()
        answer = await visitor.sign_in(login, password)
        assert answer.status_code == 403
        assert "floorcall" not in visitor.http.cookies
        told.add(answer.text.replace(login, "").replace(visitor.csrf, ""))
    assert len(told) == 1


async def test_nobody_known_or_not_a_hash_is_verified_once(side: Floorside) -> None:
    verified = []
    passwords = side.people._passwords
    right = passwords._is_right
    passwords._is_right = lambda stored, tried: verified.append(stored) or right(stored, tried)  # type: ignore[method-assign, func-returns-value]
    for login in ("supervise", "unknown", ""):
        await side.visitor().sign_in(login, "not it at all")
    assert len(verified) == 3


async def test_a_session_is_new_at_each_sign_in_and_the_browsers_old_one_is_over(
    side: Floorside,
) -> None:
    visitor = side.visitor()
    visitor.http.cookies.set("floorcall", "of-an-attacker")
    await visitor.sign_in("supervise")
    first = visitor.http.cookies.get("floorcall", domain="127.0.0.1") or token_of(visitor)
    assert first != "of-an-attacker"
    assert side.people.sessions.find("of-an-attacker") is None
    page = await side.visitor().get("/login")
    visitor.csrf = re.findall(r'name="csrf" value="([0-9a-f]{64})"', page.text)[0]
    visitor.http.cookies.set("floorcall-door", page.cookies["floorcall-door"])
    await visitor.form("/login", {"login": "administer", "password": PASSWORD})
    assert side.people.sessions.find(first) is None


async def test_only_a_hash_of_the_token_is_kept(side: Floorside) -> None:
    visitor = side.visitor()
    await visitor.sign_in("supervise")
    token = token_of(visitor)
    kept = b"".join(
        path.read_bytes() for path in Path(side.database.url.database or "").parent.iterdir()
    )
    assert hashed(token).encode() in kept
    assert token.encode() not in kept
    assert PASSWORD.encode() not in kept


async def test_the_cookie_is_for_no_script_and_no_other_site(side: Floorside) -> None:
    answer = await side.visitor().sign_in("supervise")
    cookie = next(one for one in answer.headers.get_list("set-cookie") if "floorcall=" in one)
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))


async def test_over_tls_the_cookie_is_secure_and_bound_to_the_host(tmp_path: Path) -> None:
    async with opened(tmp_path, house=House(secure=True)) as side:
        visitor = side.visitor(headers={"origin": "x"})
        origin = side.serving.address.replace("http:", "https:")
        page = await visitor.get("/login")
        csrf = re.findall(r'name="csrf" value="([0-9a-f]{64})"', page.text)[0]
        fields = {"login": "supervise", "password": PASSWORD, "csrf": csrf}
        door = page.headers["set-cookie"].partition(";")[0]
        answer = await visitor.form("/login", fields, headers={"origin": origin, "cookie": door})
        given = [*page.headers.get_list("set-cookie"), *answer.headers.get_list("set-cookie")]
        names = {one.partition("=")[0].removeprefix("__Host-floorcall") for one in given}
        assert names == {"", "-door", "-browser"}
        for cookie in given:
            assert {"Secure", "HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
            assert "Domain" not in cookie
        assert answer.headers["strict-transport-security"]


async def test_a_session_survives_a_restart_of_the_service(tmp_path: Path) -> None:
    async with opened(tmp_path) as side:
        visitor = side.visitor()
        await visitor.sign_in("supervise")
        token = token_of(visitor)
    async with opened(tmp_path) as side:
        visitor = side.visitor(cookies={"floorcall": token})
        assert await is_in(visitor)
        await visitor.know_itself()
        await visitor.form("/logout", {})
    async with opened(tmp_path) as side:
        assert not await is_in(side.visitor(cookies={"floorcall": token}))


async def test_signing_out_ends_this_session_and_everywhere_ends_all(side: Floorside) -> None:
    one, two, three = [await side.signed_in("supervise") for _ in range(3)]
    other = await side.signed_in("administer")
    await one.form("/logout", {})
    assert [await is_in(each) for each in (one, two, three)] == [False, True, True]
    await two.form("/logout", {"everywhere": "1"})
    assert [await is_in(each) for each in (two, three, other)] == [False, False, True]


async def test_two_tabs_of_one_browser_are_one_session(side: Floorside) -> None:
    tab = await side.signed_in("supervise")
    other = side.visitor(cookies={"floorcall": token_of(tab)})
    assert (await other.know_itself())["csrf"] == tab.csrf
    await tab.form("/logout", {})
    assert not await is_in(other)


async def test_another_password_ends_every_other_session(side: Floorside) -> None:
    visitor, other = await side.signed_in("supervise"), await side.signed_in("supervise")
    before = token_of(visitor)
    fields = {"old": PASSWORD, "new": NEW, "again": NEW}
    answer = await visitor.form("/password", fields)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert not await is_in(other)
    assert side.people.sessions.find(before) is None
    assert (await side.visitor().sign_in("supervise", PASSWORD)).status_code == 403
    assert (await side.visitor().sign_in("supervise", NEW)).status_code == 303


@pytest.mark.parametrize(
    ("old", "new", "again", "status"),
    [
        ("wrong one", NEW, NEW, 403),
        (PASSWORD, NEW, NEW + "!", 400),
        (PASSWORD, "short", "short", 400),
        (PASSWORD, "aaaaaaaaaaaaaa", "aaaaaaaaaaaaaa", 400),
        (PASSWORD, PASSWORD, PASSWORD, 400),
        (PASSWORD, "", "", 400),
    ],
)
async def test_a_password_that_will_not_do_changes_nothing(
    side: Floorside, old: str, new: str, again: str, status: int
) -> None:
    visitor = await side.signed_in("supervise")
    answer = await visitor.form("/password", {"old": old, "new": new, "again": again})
    assert answer.status_code == status
    assert await is_in(visitor)
    assert (await side.visitor().sign_in("supervise", PASSWORD)).status_code == 303


async def test_whoever_must_change_his_password_can_do_nothing_before(side: Floorside) -> None:
    add(side.people, "fresh", "supervise", must_change=True)
    visitor = side.visitor()
    assert (await visitor.sign_in("fresh")).headers["location"] == "/password"
    assert (await visitor.get("/floor")).headers["location"] == "/password"
    refused = await visitor.get("/api/history")
    assert (refused.status_code, refused.json()["error"]) == (403, "password-first")
    assert (await visitor.get("/live?screen=s")).status_code == 403
    await visitor.form("/password", {"old": PASSWORD, "new": NEW, "again": NEW})
    assert (await visitor.get("/floor")).status_code == 200


async def test_each_failure_makes_the_next_try_wait_longer_and_time_forgives(
    tmp_path: Path,
) -> None:
    clock = Clock()
    async with opened(tmp_path, clock=clock) as side:
        visitor = side.visitor()
        for _ in range(door.NAME_FREE):
            assert (await visitor.sign_in("supervise", "no")).status_code == 403
        waits = []
        for _ in range(4):
            answer = await visitor.sign_in("supervise", PASSWORD)
            assert answer.status_code == 429
            waits.append(int(answer.headers["retry-after"]))
            clock.now_s += waits[-1] + 0.01
            assert (await visitor.sign_in("supervise", "no")).status_code == 403
        assert waits == [1, 2, 4, 8]
        assert (await side.visitor().sign_in("administer")).status_code == 303  # another's name
        clock.now_s += door.NAME_MOST_S
        assert (await visitor.sign_in("supervise")).status_code == 303


async def test_nobody_keeps_another_out_of_a_browser_in_which_he_has_signed_in(
    tmp_path: Path,
) -> None:
    clock = Clock()
    async with opened(tmp_path, clock=clock) as side:
        own, attacker = side.visitor(), side.visitor()
        await own.sign_in("administer")
        await own.form("/logout", {})
        for number in range(door.ADDRESS_FREE + 9):
            await attacker.sign_in("administer", "no")
            await attacker.sign_in(f"nobody-{number}", "no")
            clock.now_s += door.NAME_MOST_S
        clock.now_s -= door.NAME_MOST_S
        assert (await side.visitor().sign_in("administer")).status_code == 429
        assert (await side.visitor().sign_in("supervise")).status_code == 429
        assert (await own.sign_in("administer")).status_code == 303
        assert (await side.visitor().sign_in("administer")).status_code == 429


async def test_a_browser_that_is_known_has_its_own_tries_and_no_more(side: Floorside) -> None:
    own = side.visitor()
    await own.sign_in("supervise")
    await own.form("/logout", {})
    tried = [(await own.sign_in("supervise", "no")).status_code for _ in range(7)]
    assert tried == [403] * door.NAME_FREE + [429] * 2
    assert (await side.visitor().sign_in("supervise")).status_code == 303  # nobody else waits


async def test_what_a_browser_is_known_by_is_void_for_others_and_after_another_password(
    side: Floorside,
) -> None:
    own = side.visitor()
    await own.sign_in("supervise")
    held = str(own.http.cookies.get("floorcall-browser"))
    account = side.people.accounts.get("supervise")
    assert account is not None
    assert door.known_browser(held, "supervise", account.secret)
    assert not door.known_browser(held, "administer", account.secret)
    await own.form("/password", {"old": PASSWORD, "new": NEW, "again": NEW})
    account = side.people.accounts.get("supervise")
    assert account is not None
    assert not door.known_browser(held, "supervise", account.secret)
    held = str(own.http.cookies.get("floorcall-browser"))
    assert door.known_browser(held, "supervise", account.secret)


async def test_whoever_tries_from_outside_keeps_nobody_from_changing_his_password(
    side: Floorside,
) -> None:
    visitor = await side.signed_in("supervise")
    for _ in range(9):
        await side.visitor().sign_in("supervise", "no")
    answer = await visitor.form("/password", {"old": PASSWORD, "new": NEW, "again": NEW})
    assert answer.status_code == 303
    await visitor.know_itself()
    for _ in range(door.NAME_FREE):
        await visitor.form("/password", {"old": "no", "new": NEW + "!", "again": NEW + "!"})
    answer = await visitor.form("/password", {"old": NEW, "new": NEW + "!", "again": NEW + "!"})
    assert answer.status_code == 429


async def test_an_address_that_tries_many_names_must_wait_too(side: Floorside) -> None:
    visitor = side.visitor()
    for number in range(door.ADDRESS_FREE):
        assert (await visitor.sign_in(f"nobody-{number}", "no")).status_code == 403
    assert (await visitor.sign_in("supervise")).status_code == 429


async def test_a_walls_browser_keeps_its_session_for_as_long_as_it_may_last(
    side: Floorside,
) -> None:
    for login, age in (("wall", f"Max-Age={90 * 86_400}"), ("supervise", None)):
        answer = await side.visitor().sign_in(login)
        given = answer.headers.get_list("set-cookie")
        (cookie,) = [one for one in given if one.startswith("floorcall=")]
        ages = [part for part in cookie.split("; ") if part.startswith("Max-Age")]
        assert ages == ([age] if age else [])


async def test_a_session_ends_when_it_is_old_and_a_page_keeps_it_from_being_idle(
    tmp_path: Path,
) -> None:
    clock = Clock()
    ages = Ages(idle_s=100, absolute_s=1000, wall_idle_s=10_000, wall_absolute_s=100_000)
    async with opened(tmp_path, clock=clock, ages=ages) as side:
        used, unused = await side.signed_in("supervise"), await side.signed_in("supervise")
        wall = await side.signed_in("wall")
        for _ in range(9):
            clock.now_s += 99
            assert await is_in(used)
        assert not await is_in(unused)
        clock.now_s += 110
        assert not await is_in(used)
        assert await is_in(wall)
        side.people.end_old()
        assert [each.login for each in side.people.sessions.all()] == ["wall"]


async def test_coming_going_and_failing_are_audited_by_name(side: Floorside) -> None:
    visitor = side.visitor()
    await visitor.sign_in("supervise", "no")
    await visitor.sign_in("<b>nobody\x01", "no")
    await visitor.sign_in("supervise")
    await visitor.form("/password", {"old": "no", "new": NEW, "again": NEW})
    await visitor.form("/logout", {})
    assert side.audited() == [
        ("supervise", "login", "from 127.0.0.1", "refused: login"),
        ("<b>nobody?", "login", "from 127.0.0.1", "refused: login"),
        ("supervise", "login", "from 127.0.0.1", "done"),
        ("supervise", "password", "", "refused: old"),
        ("supervise", "logout", "", "done"),
    ]


async def test_the_form_speaks_the_browsers_language_or_the_one_asked_for(side: Floorside) -> None:
    visitor = side.visitor(headers={"accept-language": "de, it-CH;q=0.8, en;q=0.5"})
    assert 'lang="it"' in (await visitor.get("/login")).text
    assert '<html lang="en"' in (await visitor.get("/login?lang=en")).text
    assert '<html lang="en"' in (await visitor.get("/login")).text
    assert '<html lang="en"' in (await visitor.get("/login?lang=xx")).text
