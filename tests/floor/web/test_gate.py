"""The gate: whose request it is, that it is his own doing, and that nothing sent breaks it."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon.floor.web import gate
from daemon.floor.web.headers import POLICY
from daemon.floor.web.house import House
from tests.floor.web.side import SITE, Floorside, Visitor, opened

ACT = {"id": "a1", "key": "house/t/1", "revision": 1, "act": "acknowledge"}


async def refused(visitor: Visitor, **headers: str) -> tuple[int, str]:
    answer = await visitor.post("/api/act", ACT, headers=headers)
    return answer.status_code, str(answer.json().get("error", ""))


# --- that it is his own doing -------------------------------------------------------------------


async def test_a_change_needs_the_token_of_its_own_session(side: Floorside) -> None:
    visitor, other = await side.signed_in("supervise"), await side.signed_in("supervise")
    assert await refused(visitor) == (200, "")
    for token in ("", "0" * 64, other.csrf, visitor.csrf[:-1], "é"):
        raw = {"x-csrf-token": token.encode("latin-1", "replace").decode("latin-1")}
        if token.isascii():
            assert await refused(visitor, **raw) == (403, "csrf"), token
    answer = await visitor.form("/logout", {"csrf": other.csrf})
    assert answer.status_code == 403
    assert await refused(visitor) == (200, "")


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "https://127.0.0.1"])
async def test_a_change_from_another_page_is_refused(side: Floorside, origin: str) -> None:
    visitor = await side.signed_in("supervise")
    assert await refused(visitor, origin=origin) == (403, "origin")


async def test_a_form_to_sign_in_by_another_page_is_refused(side: Floorside) -> None:
    visitor = side.visitor()
    fields = {"login": "supervise", "password": "x"}
    answer = await visitor.form("/login", fields)  # no token
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?again=1")
    assert 'role="alert"' in (await visitor.get("/login?again=1")).text
    assert "floorcall" not in visitor.http.cookies
    elsewhere = {"origin": "http://evil.example"}
    assert (await visitor.form("/login", fields, headers=elsewhere)).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "a b", "[::1]:x"])
async def test_a_name_that_is_not_ours_is_refused(side: Floorside, host: str) -> None:
    visitor = await side.signed_in("supervise")
    for path in ("/api/me", "/login", "/healthz"):
        answer = await visitor.get(path, headers={"host": host})
        assert answer.status_code == 400, path


async def test_names_of_the_house_are_ours(tmp_path: Path) -> None:
    async with opened(tmp_path, house=House(hosts=("floor.house",))) as side:
        for host in ("floor.house", "FLOOR.house:8080", "localhost", "127.0.0.1:1"):
            assert (await side.visitor().get("/healthz", headers={"host": host})).is_success, host


async def test_only_what_an_address_takes_is_read(side: Floorside) -> None:
    visitor = await side.signed_in("supervise")
    assert await refused(visitor, **{"content-type": "text/plain"}) == (415, "media")
    assert (await visitor.form("/api/act", {})).status_code == 415
    too_large = ACT | {"text": "x" * gate.BODY_MAX}
    answer = await visitor.post("/api/act", too_large)
    assert (answer.status_code, answer.json()["error"]) == (413, "too-large")


HOSTILE: list[object] = [
    None, [], 1, "x", {}, {"id": 1}, ACT | {"revision": -1}, ACT | {"revision": 10**30},
    ACT | {"act": "destroy"}, ACT | {"minutes": 99999}, ACT | {"text": "x" * 501},
    ACT | {"id": "<script>"}, ACT | {"id": "a\n"}, ACT | {"key": ""}, ACT | {"more": 1},
    ACT | {"verdict": "guilty"},
]  # fmt: skip


@pytest.mark.parametrize("sent", HOSTILE)
async def test_what_is_not_of_its_form_is_refused_in_words(side: Floorside, sent: object) -> None:
    visitor = await side.signed_in("supervise")
    answer = await visitor.post("/api/act", sent)
    assert answer.status_code == 400
    assert answer.json()["error"] == "malformed"
    assert answer.json()["words"] != "malformed"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b'"\xed\xa0\x80"', b"[" * 9000, b'{"id":"\\ud800"}', b"NaN"]
)
async def test_what_is_no_json_is_refused(side: Floorside, body: bytes) -> None:
    visitor = await side.signed_in("supervise")
    headers = {"origin": side.serving.address, "x-csrf-token": visitor.csrf}
    headers |= {"content-type": "application/json"}
    answer = await visitor.http.post("/api/act", content=body, headers=headers)
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        "/api/history?from=yesterday", "/api/history?from=2026-01-01T00:00:00",
        "/api/history?limit=0", "/api/history?limit=x", "/api/history?after=%5B%5D",
        "/api/history?after=%5B1e999%2C%22a%22%2C%22b%22%5D", "/api/history?severity=no",
        "/api/history?after=" + "%5B" * 180,
        "/api/report?from=2026-02-02T00:00:00Z&to=2026-01-01T00:00:00Z",
        "/api/alert", "/live", "/live?screen=%0A", "/live?screen=" + "x" * 65,
        "/api/history?" + "&".join(f"a{n}=1" for n in range(80)),
    ],
)  # fmt: skip
async def test_a_query_that_is_none_is_refused(side: Floorside, path: str) -> None:
    visitor = await side.signed_in("supervise")
    assert (await visitor.get(path)).status_code == 400


async def test_whatever_stands_in_an_address_becomes_no_markup(side: Floorside) -> None:
    visitor = await side.signed_in("supervise")
    evil = "%3Cscript%3Ealert(1)%3C/script%3E"
    for path in (f"/alerts/{evil}", f"/tables/{evil}/{evil}", f"/{evil}", f"/login?to={evil}"):
        answer = await visitor.get(path, headers={"accept": "text/html"})
        assert b"<script>alert" not in answer.content, path
    answer = await side.visitor().sign_in('"><script>alert(1)</script>', "x")
    assert "<script>alert" not in answer.text


# --- what every answer says to the browser ------------------------------------------------------


@pytest.mark.parametrize("path", ["/login", "/api/me", "/nowhere", "/floor", "/healthz"])
async def test_every_answer_tells_the_browser_what_it_may_do(side: Floorside, path: str) -> None:
    answer = await side.visitor().get(path)
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert "server" not in answer.headers


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere() -> None:
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert {"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"} <= {
        *POLICY.split("; ")
    }


# --- proxies ------------------------------------------------------------------------------------

PROXY = House(
    site=SITE, proxies=(ip_network("127.0.0.1/32"),), identity="x-remote-user"
)  # fmt: skip


async def test_a_trusted_proxy_says_who_is_there_and_there_is_no_form(tmp_path: Path) -> None:
    async with opened(tmp_path, house=PROXY, heads=("boss@house",)) as side:
        visitor = side.visitor(headers={"x-remote-user": "Supervise"})
        me = await visitor.know_itself()
        assert me["login"] == "supervise"
        assert (await visitor.post("/api/me", {"theme": "dark"})).status_code == 200
        assert len(side.people.sessions.of("supervise")) == 1
        assert (await visitor.get("/password")).status_code == 404
        assert (await side.visitor().get("/login")).status_code == 404
        named = side.visitor(headers={"x-remote-user": "boss@house"})
        assert (await named.know_itself())["role"] == "administer"


async def test_whom_an_administrator_makes_comes_in_by_the_proxys_word_alone(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, house=PROXY, heads=("boss",)) as side:
        head = side.visitor(headers={"x-remote-user": "boss"})
        await head.know_itself()
        sent = {"login": "mara", "name": "Mara", "role": "supervise"}
        made = await head.post("/api/people", sent)
        assert (made.status_code, made.json()["password"]) == (200, "")
        assert "/password" not in (await head.get("/settings")).text.partition("<main")[2]
        mara = side.visitor(headers={"x-remote-user": "mara"})
        assert (await mara.know_itself())["must_change"] is False
        assert (await mara.get("/floor")).status_code == 200


async def test_another_name_in_the_header_is_another_session(tmp_path: Path) -> None:
    async with opened(tmp_path, house=PROXY) as side:
        visitor = side.visitor(headers={"x-remote-user": "supervise"})
        await visitor.know_itself()
        visitor.http.headers["x-remote-user"] = "wall"
        assert (await visitor.know_itself())["login"] == "wall"
        visitor.http.headers["x-remote-user"] = "unknown"
        assert (await visitor.get("/api/me")).status_code == 403
        del visitor.http.headers["x-remote-user"]
        assert (await visitor.get("/api/me")).status_code == 403


@pytest.mark.parametrize("named", ["bo\xdf", "boss,boss", "boss x", "B\xd6SS", "boss\xa0x"])
async def test_a_name_that_only_resembles_one_is_nobodys(tmp_path: Path, named: str) -> None:
    async with opened(tmp_path, house=PROXY, heads=("boss",)) as side:
        visitor = side.visitor(headers=[(b"x-remote-user", named.encode("latin-1"))])
        answer = await visitor.get("/api/me")
        assert (answer.status_code, answer.json()["error"]) == (403, "not-known")


async def test_the_header_of_anybody_else_is_refused(tmp_path: Path) -> None:
    house = House(proxies=(ip_network("10.0.0.0/8"),), identity="x-remote-user")
    async with opened(tmp_path, house=house) as side:
        visitor = side.visitor(headers={"x-remote-user": "administer"})
        answer = await visitor.get("/api/me")
        assert (answer.status_code, answer.json()["error"]) == (403, "proxy")


async def test_without_a_proxy_its_header_says_nothing(side: Floorside) -> None:
    visitor = side.visitor(headers={"x-remote-user": "administer", "x-forwarded-for": "1.2.3.4"})
    assert (await visitor.get("/api/me")).status_code == 401
    await visitor.sign_in("supervise", "no")
    assert side.audited()[-1][2] == "from 127.0.0.1"


async def test_a_trusted_proxy_says_from_where_somebody_comes(tmp_path: Path) -> None:
    house = House(proxies=(ip_network("127.0.0.0/8"),))
    async with opened(tmp_path, house=house) as side:
        told = {"x-forwarded-for": "6.6.6.6, 192.0.2.7, 127.0.0.9"}
        await side.visitor(headers=told).sign_in("supervise", "no")
        assert side.audited()[-1][2] == "from 192.0.2.7"


async def test_a_line_of_the_header_that_the_proxy_adds_counts_and_not_the_visitors_own(
    tmp_path: Path,
) -> None:
    house = House(proxies=(ip_network("127.0.0.0/8"),))
    async with opened(tmp_path, house=house) as side:
        told = [("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "192.0.2.7")]
        await side.visitor(headers=told).sign_in("supervise", "no")
        assert side.audited()[-1][2] == "from 192.0.2.7"


# --- the demo -----------------------------------------------------------------------------------


async def test_in_the_demo_everybody_is_a_supervisor_who_needs_no_password(tmp_path: Path) -> None:
    async with opened(tmp_path, house=House(demo=True)) as side:
        visitor = side.visitor()
        assert (await visitor.get("/")).headers["location"] == "/wall"
        me = await visitor.know_itself()
        assert (me["role"], me["demo"]) == ("supervise", True)
        for path in ("/floor", "/tables", "/history", "/report", "/help", "/settings"):
            assert (await visitor.get(path)).status_code == 200, path
        for path in ("/people", "/audit", "/api/people"):
            assert (await visitor.get(path)).status_code == 403, path
        assert await refused(visitor) == (200, "")
        assert await refused(visitor, **{"x-csrf-token": ""}) == (403, "csrf")
        assert await refused(visitor, origin="http://evil.example") == (403, "origin")
        assert (await visitor.post("/api/me", {"language": "it"})).json()["language"] == "it"


# --- connections --------------------------------------------------------------------------------


def raw(side: Floorside) -> socket.socket:
    return socket.create_connection(("127.0.0.1", side.serving.port), timeout=60)


async def test_whoever_does_not_end_his_request_is_cut_off(
    side: Floorside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.floor.web.serving.HEAD_S", 0.2)
    with raw(side) as one:
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: local")
        with pytest.raises(ConnectionResetError):
            await asyncio.to_thread(_all_of, one)


def _all_of(one: socket.socket) -> bytes:
    told = b""
    while piece := one.recv(65536):
        told += piece
    raise ConnectionResetError(told)


async def test_whoever_does_not_end_his_body_is_answered_that_it_is_too_slow(
    side: Floorside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.floor.web.gate.BODY_S", 0.2)
    visitor = await side.signed_in("supervise")
    token = visitor.http.cookies["floorcall"]
    head = (
        f"POST /api/act HTTP/1.1\r\nHost: 127.0.0.1:{side.serving.port}\r\n"
        f"Origin: {side.serving.address}\r\nCookie: floorcall={token}\r\n"
        f"X-CSRF-Token: {visitor.csrf}\r\nContent-Type: application/json\r\n"
        "Content-Length: 100\r\n\r\n{"
    )
    with raw(side) as one:
        one.sendall(head.encode())
        told = await asyncio.to_thread(one.recv, 65536)
    assert told.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + b"x" * 20_000,
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"POST /api/act HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/act HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
    ],
)  # fmt: skip
async def test_nonsense_on_the_line_harms_nobody(side: Floorside, nonsense: bytes) -> None:
    with raw(side) as one:
        one.sendall(nonsense)
        told = await asyncio.to_thread(one.recv, 65536)
    assert b" 5" not in told[:16]
    assert (await side.visitor().get("/healthz")).json() == {"ok": True}


async def test_a_fault_of_ours_is_told_as_one_and_says_nothing_else(
    side: Floorside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("a secret")

    monkeypatch.setattr(side.web.floor, "alert", broken)
    answer = await (await side.signed_in("supervise")).get("/api/alert?key=house/t/1")
    assert answer.status_code == 500
    assert answer.json()["error"] == "broken"
    assert b"secret" not in answer.content
    assert answer.headers["content-security-policy"] == POLICY


async def test_more_acts_than_a_person_can_mean_are_refused(side: Floorside) -> None:
    visitor = await side.signed_in("supervise")
    side.web.now_s = lambda: 1.0
    answers = [
        await visitor.post("/api/act", ACT | {"id": f"a{number}"}) for number in range(31)
    ]  # fmt: skip
    assert [each.status_code for each in answers] == [200] * 30 + [429]
    assert msgspec.json.decode(answers[-1].content)["error"] == "slow-down"
    assert answers[-1].headers["retry-after"] == "1"
