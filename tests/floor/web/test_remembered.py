"""One alert of the past: each role its own lines, as they were last told, and what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from daemon.floor.web.house import House
from daemon.floor.web.remembered import LINES_MAX
from tests.floor import said
from tests.floor.web.side import (
    HANG_S,
    SITE,
    Floorside,
    Visitor,
    asked_until,
    make_room,
    opened,
)
from tests.floor.web.test_past import away, tell

KEY = f"{SITE}/poker-1/{said.alert()['id']}"
SIGNED = {"by": "Anna Rossi", "at": "2026-12-01T20:00:03.000Z"}


async def past(visitor: Visitor, lines: int, key: str = KEY) -> dict[str, Any]:
    """What is told of it once so many lines are written."""
    found = await asked_until(
        lambda: visitor.get("/api/past", params={"key": key}),
        lambda told: len(told["lines"]) >= lines,
    )
    return dict(found)


async def test_an_alert_that_stands_no_more_is_told_with_all_its_lines(side: Floorside) -> None:
    tell(side, said.alert())
    tell(side, said.alert(revision=2, acknowledged=SIGNED))
    tell(side, said.alert(revision=3, state="closed", verdict="none", closed=SIGNED, late=True))
    found = await past(await side.signed_in("supervise"), 3)
    assert (found["earlier"], found["written"]) == (False, True)
    assert found["view"]["alert"]["verdict"] == "none"
    assert found["view"]["key"] == KEY
    assert [(one["revision"], one["late"]) for one in found["lines"]] == [
        (1, False), (2, False), (3, True),
    ]  # fmt: skip
    assert [[one["what"] for one in each["changes"]] for each in found["lines"]] == [
        ["state"], ["acknowledged"], ["state", "closed", "verdict"],
    ]  # fmt: skip


async def test_a_role_sees_no_line_of_an_audience_that_is_not_its_own(side: Floorside) -> None:
    tell(side, said.alert())
    tell(side, said.alert(revision=2, audience="surveillance", note=SIGNED | {"text": "watch"}))
    assert len((await past(await side.signed_in("surveillance"), 2))["lines"]) == 2
    for role in ("supervise", "administer"):
        visitor = await side.signed_in(role)
        answer = await visitor.get("/api/past", params={"key": KEY})
        assert [one["revision"] for one in answer.json()["lines"]] == [1], role
        assert "watch" not in answer.text
    answer = await (await side.signed_in("maintain")).get("/api/past", params={"key": KEY})
    assert (answer.status_code, answer.json()["error"]) == (404, "unknown-alert")


async def test_the_acts_since_the_fault_are_remembered_for_whom_the_hand_is(
    side: Floorside,
) -> None:
    acts = [{"at_ms": 6000, "seat": 3, "act": "raise"}, {"at_ms": 7000, "seat": 4, "act": "fold"}]
    before = {"at_ms": 100, "seat": 1, "act": "post"}
    about = said.alert()
    side.heard(said.topic("hand"), said.hand("12", [before, acts[0]]), retained=True)
    side.heard(said.topic("alerts", "floor", about["id"]), msgspec.json.encode(about))
    tell(side, about, about | {"revision": 2, "audience": "maintenance"})
    side.heard(said.topic("hand"), said.hand("12", [*acts]), retained=True)
    assert side.scribe.written(HANG_S)
    side.web.floor = make_room(side.scribe, side.sent)  # as after a restart
    for role, seen in (("supervise", acts), ("surveillance", acts), ("maintain", [])):
        found = await past(await side.signed_in(role), 1)
        assert found["view"]["acts"] == seen, role


async def test_another_tables_name_or_no_name_leads_to_nothing(side: Floorside) -> None:
    tell(side, said.alert())
    visitor = await side.signed_in("supervise")
    await past(visitor, 1)
    for key in (KEY.replace("poker-1/", "poker-2/"), "house", "house//", "/", "' OR 1=1 --"):
        answer = await visitor.get("/api/past", params={"key": key})
        assert answer.status_code == 404, key


async def test_who_dealt_is_told_to_whom_the_house_allows_only(tmp_path: Path) -> None:
    for place, allows in (("off", False), ("on", True)):
        folder = tmp_path / place
        folder.mkdir()
        house = House(site=SITE, version="0", dealer_identity=allows)
        async with opened(folder, house=house, dealers=allows) as side:
            tell(side, said.alert(dealer="d-7"))
            for role in ("supervise", "surveillance", "administer"):
                found = await past(await side.signed_in(role), 1)
                told = found["view"]["alert"].get("dealer")
                assert told == ("d-7" if allows and role != "supervise" else None), role


async def test_of_a_flood_of_lines_the_last_are_told(side: Floorside) -> None:
    count = LINES_MAX + 20
    for revision in range(1, count + 1):
        tell(side, said.alert(revision=revision, level=min(revision, 9)))
    visitor = await side.signed_in("supervise")
    found = await asked_until(
        lambda: visitor.get("/api/past", params={"key": KEY}),
        lambda told: told["view"]["alert"]["revision"] == count,
    )
    assert found["earlier"]
    assert [one["revision"] for one in found["lines"]] == list(range(21, count + 1))
    assert found["lines"][0]["changes"] == []


async def test_where_the_history_is_away_what_the_floor_knows_is_told(side: Floorside) -> None:
    said_so = msgspec.json.encode(said.alert())
    side.heard(said.topic("status"), said.status(), retained=True)
    side.heard(said.topic("alerts", "floor", said.alert()["id"]), said_so, retained=True)
    visitor = await side.signed_in("supervise")
    with away(side):
        told = (await visitor.get("/api/past", params={"key": KEY})).json()
        assert (told["written"], told["lines"]) == (False, [])
        assert told["view"]["alert"]["id"] == said.alert()["id"]
        other = await visitor.get("/api/past", params={"key": f"{KEY}0"})
        assert (other.status_code, other.json()["error"]) == (503, "history")


async def test_the_history_is_asked_by_what_the_floor_ruled(side: Floorside) -> None:
    tell(side, said.alert(1, state="closed", verdict="none", closed=SIGNED), said.alert(2))
    visitor = await side.signed_in("supervise")
    await past(visitor, 1)
    asked = {"verdict": "none"}
    found = await asked_until(
        lambda: visitor.get("/api/history", params=asked), lambda told: told["alerts"]
    )
    assert [one["verdict"] for one in found["alerts"]] == ["none"]
    assert (await visitor.get("/api/history?verdict=maybe")).status_code == 400
