"""The live stream: a picture first, nothing that a role may not see, an end that leaves nothing."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.floor.views import AUDIENCES_OF, ROLES, Role
from daemon.floor.web import live, streams
from tests.floor import said
from tests.floor.web.side import HANG_S, Floorside, Visitor, opened, until


@dataclass
class Event:
    id: str = ""
    kind: str = ""
    view: Any = None


@dataclass
class Ear:
    """A page that hears: every byte, and the events that they are."""

    answer: httpx.Response
    heard: bytes = b""
    events: list[Event] = field(default_factory=list)
    _pieces: AsyncIterator[bytes] | None = None

    async def next(self) -> Event:
        """The next event, or EOFError at the stream's end."""
        self._pieces = self._pieces or self.answer.aiter_raw()
        async with asyncio.timeout(HANG_S):
            while not (found := self._parted()):
                piece = await anext(self._pieces, b"")
                if not piece:
                    raise EOFError
                self.heard += piece
        self.events.append(found)
        return found

    async def until(self, kind: str, held: Callable[[Any], bool] = lambda _: True) -> Event:
        while True:
            event = await self.next()
            if event.kind == kind and held(event.view):
                return event

    def _parted(self) -> Event | None:
        done = 0
        for block in self.heard.split(b"\n\n")[:-1]:
            lines = dict(line.partition(b": ")[::2] for line in block.split(b"\n"))
            if b"event" not in lines:
                continue
            done += 1
            if done > len(self.events):
                view = msgspec.json.decode(lines[b"data"])
                return Event(lines.get(b"id", b"").decode(), lines[b"event"].decode(), view)
        return None


@asynccontextmanager
async def listening(visitor: Visitor, screen: str = "s1", view: str = "") -> AsyncIterator[Ear]:
    path = f"/live?screen={screen}" + (f"&view={view}" if view else "")
    async with visitor.http.stream("GET", path) as answer:
        assert answer.status_code == 200, await answer.aread()
        yield Ear(answer)


def tell(side: Floorside, alert: dict[str, Any]) -> None:
    """A table says an alert: to whom it is for, and to surveillance a copy."""
    for audience in dict.fromkeys((alert["audience"], "surveillance")):
        place = ("alerts", audience, alert["id"]) if audience != "log" else ("log", "log")
        side.heard(said.topic(*place), msgspec.json.encode(alert), retained=False)


async def test_the_first_event_is_the_whole_picture_whatever_was_heard_before(
    side: Floorside,
) -> None:
    side.heard(said.topic("status"), said.status(), retained=True)
    tell(side, said.alert())
    visitor = await side.signed_in("supervise")
    visitor.http.headers["last-event-id"] = "boot-12"
    async with listening(visitor) as ear:
        first = await ear.next()
        assert (first.id, first.kind) == ("boot-1", "picture")
        assert [one["alert"]["id"] for one in first.view["alerts"]] == [said.alert()["id"]]
        assert ear.heard.startswith(b"retry: 2000\n\n")
        headers = ear.answer.headers
        assert headers["content-type"].startswith("text/event-stream")
        assert (headers["cache-control"], headers["x-accel-buffering"]) == ("no-store", "no")


async def test_a_picture_goes_out_in_pieces_so_that_no_screen_holds_all_of_it(
    side: Floorside,
) -> None:
    for number in range(60):
        tell(side, said.alert(number, stuff="x" * 40_000))
    visitor = await side.signed_in("supervise")
    head = f"GET /live?screen=s1 HTTP/1.1\r\nHost: 127.0.0.1:{side.serving.port}\r\n"
    head += f"Cookie: floorcall={visitor.http.cookies['floorcall']}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", side.serving.port), timeout=HANG_S) as page:
        page.sendall(head.encode())
        sizes = await asyncio.to_thread(chunks, page, 60 * 40_000)
    assert max(sizes) == live.PIECE


def chunks(page: socket.socket, wanted: int) -> list[int]:
    """The sizes of the pieces in which an answer comes, until so much of it has."""
    sizes: list[int] = []
    with page.makefile("rb") as lines:
        while lines.readline().strip():
            pass
        while sum(sizes) < wanted:
            sizes.append(int(lines.readline(), 16))
            lines.read(sizes[-1] + 2)
    return sizes


async def test_news_follow_in_order_with_ids_that_count(side: Floorside) -> None:
    async with listening(await side.signed_in("supervise")) as ear:
        await ear.next()
        tell(side, said.alert(1))
        tell(side, said.alert(2))
        await ear.until("alert", lambda view: view["alert"]["id"].endswith(":2"))
        told = [each.view["alert"]["id"][-1] for each in ear.events if each.kind == "alert"]
        assert told == sorted(told)
        numbers = [int(event.id.removeprefix("boot-")) for event in ear.events]
        assert numbers == list(range(1, len(numbers) + 1))


async def test_the_heartbeat_is_told_to_everybody(side: Floorside) -> None:
    async with listening(await side.signed_in("wall")) as ear:
        await ear.next()
        side.room.pass_time()
        assert (await ear.until("beat")).view["now"]


# --- who sees what ------------------------------------------------------------------------------

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
audiences = st.sampled_from(["floor", "maintenance", "surveillance", "log"])


@settings(max_examples=100 if SOAK else 10)
@given(told=st.lists(st.tuples(audiences, audiences, st.booleans()), min_size=1, max_size=6))
@pytest.mark.parametrize("role", ROLES)
def test_what_a_role_may_not_see_is_in_none_of_its_bytes(
    tmp_path_factory: pytest.TempPathFactory, role: Role, told: list[tuple[str, str, bool]]
) -> None:
    async def seen() -> tuple[bytes, list[dict[str, Any]]]:
        alerts = []
        async with opened(tmp_path_factory.mktemp("side")) as side:
            side.heard(said.topic("status"), said.status(), retained=True)
            visitor = await side.signed_in(role)
            async with listening(visitor) as ear:
                await ear.next()
                for number, (first, second, before) in enumerate(told):
                    for revision, audience in enumerate((first, second), 1):
                        mark = f"mark-{number}-{revision}-{audience}-end"
                        alerts.append({"mark": mark, "audience": audience})
                        tell(side, marked(number, revision, audience, mark))
                    if before:
                        async with listening(visitor, f"x{number}") as other:
                            await other.next()
                            alerts[-1]["picture"] = other.heard
                side.room.pass_time()
                await ear.until("beat")
                history = await visitor.get("/api/history?limit=500")
                every = ear.heard + history.content
                every += b"".join(one.get("picture", b"") for one in alerts)
                for number in range(len(told)):
                    key = f"house/poker-1/{said.alert(number)['id']}"
                    every += (await visitor.get("/api/alert", params={"key": key})).content
                return every, alerts

    heard, alerts = asyncio.run(seen())
    for one in alerts:
        allowed = role != "wall" and one["audience"] in AUDIENCES_OF[role]
        if not allowed:
            assert one["mark"].encode() not in heard, one
        elif one["audience"] != "log":
            assert one["mark"].encode() in heard, one


def marked(number: int, revision: int, audience: str, mark: str) -> dict[str, Any]:
    """An alert that says its mark wherever it has words."""
    text = {"en": {"title": mark, "ruling": mark, "remedy": [mark]}}
    return said.alert(number, revision, audience, text=text, cite=mark, irregularity=mark)


async def test_a_wall_shows_table_and_severity_only_whoever_opens_it(side: Floorside) -> None:
    side.heard(said.topic("status"), said.status(), retained=True)
    side.heard(said.topic("hand"), said.hand(), retained=True)
    tell(side, said.alert(cards=["Td"], dealer="pseudonym-7"))
    for visitor, view in (
        (await side.signed_in("wall"), ""), (await side.signed_in("administer"), "wall")
    ):  # fmt: skip
        async with listening(visitor, view=view) as ear:
            (alert,) = (await ear.next()).view["alerts"]
            assert alert["severity"] == "high"
            for secret in (b"Turn too early", b"Td", b"turn-premature", b"pseudonym", b"seat"):
                assert secret not in ear.heard


# --- how it ends --------------------------------------------------------------------------------


async def ends_with(ear: Ear) -> str:
    reason = str((await ear.until("ended")).view["reason"])
    with pytest.raises(EOFError):
        await ear.next()
    return reason


async def test_signing_out_a_new_role_and_a_new_password_end_it_at_once(side: Floorside) -> None:
    head = await side.signed_in("administer")
    visitor = await side.signed_in("supervise")
    async with listening(visitor) as ear, listening(visitor, "s2") as other:
        await ear.next()
        await other.next()
        await visitor.form("/logout", {})
        assert [await ends_with(ear), await ends_with(other)] == ["logout", "logout"]
    for sent, reason in (
        ({"role": "maintain"}, "role"), ({"disabled": True}, "disabled")
    ):  # fmt: skip
        async with listening(await side.signed_in("supervise")) as ear:
            await ear.next()
            await head.post("/api/people/change", {"login": "supervise"} | sent)
            assert await ends_with(ear) == reason
    async with listening(await side.signed_in("wall")) as ear:
        await ear.next()
        await head.post("/api/people/reset", {"login": "wall"})
        assert await ends_with(ear) == "password"
    assert len(side.web.streams) == 0


async def test_the_services_end_is_told_and_waits_for_no_screen(side: Floorside) -> None:
    async with listening(await side.signed_in("supervise")) as ear:
        await ear.next()
        side.serving.stop()
        assert await ends_with(ear) == "restart"
        async with asyncio.timeout(HANG_S):
            await side.running


async def test_the_same_page_coming_back_replaces_the_stream_it_left(side: Floorside) -> None:
    visitor = await side.signed_in("supervise")
    async with listening(visitor) as left:
        await left.next()
        async with listening(visitor) as ear:
            await ear.next()
            assert await ends_with(left) == "replaced"
            await until(lambda: len(side.web.streams) == 1)


async def test_more_pages_than_a_browser_has_connections_for_are_refused_in_words(
    side: Floorside,
) -> None:
    visitor = await side.signed_in("supervise")
    opened_pages = [
        side.web.streams.open(side.people.sessions.of("supervise")[0], f"p{number}")
        for number in range(streams.PER_SESSION_MAX)
    ]
    async with listening(visitor, "one-more") as ear:
        assert await ends_with(ear) == "too-many"
        assert b"retry: 30000" in ear.heard
    side.web.streams.close(opened_pages[0])
    async with listening(visitor, "one-more") as ear:
        assert (await ear.next()).kind == "picture"


async def test_a_browser_that_goes_leaves_nothing_behind(side: Floorside) -> None:
    visitor = await side.signed_in("supervise")
    async with listening(visitor) as ear:
        await ear.next()
        assert len(side.web.streams) == len(side.room._listeners) == 1
    await until(lambda: not len(side.web.streams) and not len(side.room._listeners))
    await until(lambda: not [task for task in asyncio.all_tasks() if "live" in task.get_name()])


def deaf(side: Floorside, visitor: Visitor, screen: str) -> socket.socket:
    """A browser that asks for the stream and never reads it."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.connect(("127.0.0.1", side.serving.port))
    head = (
        f"GET /live?screen={screen} HTTP/1.1\r\nHost: localhost\r\n"
        f"Cookie: floorcall={visitor.http.cookies['floorcall']}\r\n\r\n"
    )
    one.sendall(head.encode())
    return one


async def test_the_services_end_waits_for_no_screen_that_does_not_read(
    side: Floorside, caplog: pytest.LogCaptureFixture
) -> None:
    with deaf(side, await side.signed_in("supervise"), "deaf"):
        await until(lambda: len(side.room._listeners) == 1)
        numbers = count()

        def is_held_up() -> bool:
            for number in islice(numbers, 20):
                tell(side, said.alert(number % 50, number // 50 + 1, cite="x" * 2000))
            side.room.pass_time()
            return any(len(each._waiting) > 200 for each in side.room._listeners)

        await until(is_held_up)
        side.serving.stop()
        async with asyncio.timeout(HANG_S):
            await side.running
    assert len(side.web.streams) == len(side.room._listeners) == 0
    assert [record.message for record in caplog.records] == []


async def drained(ear: Ear) -> None:
    """Read for ever what nobody looks at."""
    assert ear._pieces is not None
    async for _ in ear._pieces:
        pass


async def test_a_screen_that_does_not_read_holds_back_nobody_and_is_let_go(
    side: Floorside, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(live, "STALLED_S", 1.0)
    visitor = await side.signed_in("supervise")
    with deaf(side, visitor, "deaf"):
        async with listening(await side.signed_in("surveillance")) as ear:
            await ear.next()
            await until(lambda: len(side.web.streams) == 2)
            hearing = asyncio.create_task(drained(ear))
            numbers = count()

            def is_let_go() -> bool:
                for number in islice(numbers, 20):
                    tell(side, said.alert(number % 50, number // 50 + 1, cite="x" * 2000))
                side.room.pass_time()
                return len(side.web.streams) == 1

            await until(is_let_go)
            assert not hearing.done()
            hearing.cancel()
        assert [record.message for record in caplog.records] == []
        waiting = [len(each._waiting) for each in side.room._listeners]
        assert max(waiting, default=0) <= 1000


async def test_asking_for_its_head_opens_no_stream(side: Floorside) -> None:
    visitor = await side.signed_in("supervise")
    answer = await visitor.http.head("/live?screen=s")
    assert (answer.status_code, len(side.web.streams)) == (200, 0)
    assert (await visitor.post("/live?screen=s", {})).status_code == 405


async def test_the_test_alert_is_answered_by_the_screen_that_had_it(side: Floorside) -> None:
    visitor = await side.signed_in("wall")
    async with listening(visitor, "s9") as ear:
        await ear.next()
        number, words = side.room.chain_begins()
        side.heard(side.room._chain_table.topic, words)
        assert (await ear.until("chain")).view == {"number": number}
        answer = await visitor.post("/api/chain", {"screen": "s9", "number": number})
        assert answer.json() == {"ok": True}


async def test_what_two_supervisors_do_is_told_to_both_at_once(side: Floorside) -> None:
    side.heard(said.topic("status"), said.status(), retained=False)
    tell(side, said.alert())
    one, two = await side.signed_in("supervise"), await side.signed_in("administer")
    async with listening(one) as ear, listening(two) as other:
        await ear.next()
        key = (await other.next()).view["alerts"][0]["key"]
        act = {"id": "act-1", "key": key, "revision": 1, "act": "acknowledge"}
        outcome = (await one.post("/api/act", act)).json()
        assert (outcome["state"], outcome["by"]) == ("pending", "Supervise")
        told = await other.until("act")
        assert (told.view["state"], told.view["by"]) == ("pending", "Supervise")
        assert (await two.post("/api/undo", {"id": "act-1"})).json()["state"] == "refused"
        assert (await one.post("/api/undo", {"id": "act-1"})).json()["state"] == "undone"
        assert (await other.until("act")).view["state"] == "undone"
