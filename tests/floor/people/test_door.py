"""The door: by what tries are counted, and how a browser is known again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daemon.floor.people import door
from daemon.floor.people.accounts import Account

MARA = Account(login="mara", name="Mara", role="supervise", secret="$argon2id$one")


def test_the_addresses_of_one_house_are_one() -> None:
    assert door.origin_of("2001:db8:1:2::1") == door.origin_of("2001:db8:1:2:3:4:5:6")
    assert door.origin_of("2001:db8:1:2::1") != door.origin_of("2001:db8:1:3::1")
    assert door.origin_of("192.0.2.1") != door.origin_of("192.0.2.2")
    assert door.origin_of("?") == "?"


def test_a_house_with_many_addresses_has_the_tries_of_one() -> None:
    one = door.Door(lambda: 0.0)
    for number in range(door.ADDRESS_FREE):
        one.tries(f"n{number}", None, f"2001:db8:1:2::{number:x}", "").failed(0.0)
    assert one.tries("mara", MARA, "2001:db8:1:2::ffff", "").wait_s(0.0) > 0
    assert one.tries("mara", MARA, "2001:db8:9:9::1", "").wait_s(0.0) == 0


def test_a_browser_is_known_again_by_what_it_was_given_and_keeps_the_last_few() -> None:
    held = ""
    for number in range(door.TOKENS_MAX + 3):
        each = Account(login=f"l{number}", name="x", role="wall", secret=f"secret {number}")
        held = door.with_token(held, door.browser_token(each))
        assert door.known_browser(held, each.login, each.secret)
    assert len(held.split(".")) == door.TOKENS_MAX
    assert not door.known_browser(held, "l0", "secret 0")
    assert len(held) < 1000


def test_who_has_no_password_has_no_known_browser() -> None:
    head = Account(login="boss", name="boss", role="administer")
    assert not door.known_browser(door.browser_token(head), "boss", "")


@given(st.text(max_size=60))
def test_nothing_made_up_makes_a_browser_known(held: str) -> None:
    assert not door.known_browser(held, "mara", MARA.secret)
    door.with_token(held, door.browser_token(MARA))
