"""By which names the web is reached, and whose word is taken: addresses in, answers out."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.floor.web.call import spoken
from daemon.floor.web.house import (
    House,
    address_of,
    client_of,
    is_inside,
    is_ours,
    is_same_origin,
    is_trusted,
)

HOUSE = House(hosts=("floor.house",), proxies=(ip_network("10.0.0.0/8"), ip_network("fd00::/8")))


@pytest.mark.parametrize(
    ("host", "local", "ours"),
    [
        ("floor.house", "10.1.1.1", True), ("Floor.House.:80", "10.1.1.1", True),
        ("other.house", "10.1.1.1", False), ("floor.house.evil", "10.1.1.1", False),
        ("192.0.2.4:8080", "192.0.2.4", True), ("192.0.2.5", "192.0.2.4", False),
        ("localhost", "127.0.0.1", True), ("localhost", "192.0.2.4", False),
        ("[::1]:80", "::1", True), ("[::2]", "::1", False), ("127.0.0.1", "::ffff:127.0.0.1", True),
        ("", "127.0.0.1", False), ("a/b", "127.0.0.1", False), ("floor.house", None, True),
        ("127.0.0.1", None, False),
    ],
)  # fmt: skip
def test_a_host_is_ours_by_name_or_by_the_address_it_came_to(
    host: str, local: str | None, ours: bool
) -> None:
    assert is_ours(HOUSE, host, local) is ours


@pytest.mark.parametrize(
    ("peer", "told", "client"),
    [
        ("192.0.2.9", "1.1.1.1", "192.0.2.9"), ("10.0.0.1", "1.1.1.1", "1.1.1.1"),
        ("10.0.0.1", "6.6.6.6, 1.1.1.1, 10.0.0.2", "1.1.1.1"), ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "nonsense", "10.0.0.1"), ("10.0.0.1", "1.1.1.1, nonsense", "10.0.0.1"),
        ("fd00::1", "2001:db8::1", "2001:db8::1"), ("::ffff:10.0.0.1", "1.1.1.1", "1.1.1.1"),
        ("10.0.0.1", "10.0.0.2, 10.0.0.3", "10.0.0.1"), ("::ffff:192.0.2.9", "", "192.0.2.9"),
    ],
)  # fmt: skip
def test_only_a_trusted_proxy_says_for_whom_it_asks(peer: str, told: str, client: str) -> None:
    assert client_of(HOUSE, peer, [told]) == client


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_words_make_somebody_trusted_or_break_anything(peer: str, told: str) -> None:
    client_of(HOUSE, peer, [told])
    if address_of(peer) is None:
        assert client_of(HOUSE, peer, [told]) == (peer or "?")
    assert not is_trusted(House(), peer)
    is_ours(HOUSE, peer, told)
    spoken(told)


@pytest.mark.parametrize(
    ("to", "inside"),
    [
        ("/", True), ("/floor?x=//y", True), ("//evil", False), ("/\\evil", False), ("", False),
        ("https://evil", False), ("/a\nb", False), ("/a\\b", False), ("javascript:x", False),
    ],
)  # fmt: skip
def test_an_address_to_go_on_to_is_one_of_ours(to: str, inside: bool) -> None:
    assert is_inside(to) is inside


def test_an_origin_is_ours_with_scheme_and_port() -> None:
    assert is_same_origin(House(), "http://floor.house:8080", "floor.house:8080")
    assert not is_same_origin(House(), "http://floor.house", "floor.house:8080")
    assert not is_same_origin(House(secure=True), "http://floor.house", "floor.house")


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"), ("it", "it"), ("it-IT,it;q=0.9,en;q=0.8", "it"), ("de,fr", "en"),
        ("en;q=0.1,it;q=0.2", "it"), ("it;q=x,en", "en"), ("it;q=0", "en"), ("it;q=nan", "en"),
    ],
)  # fmt: skip
def test_the_dearest_language_that_we_speak_is_spoken(accepted: str, language: str) -> None:
    assert spoken(accepted) == language
