"""What a role may not see is nowhere in what it is told: searched for byte by byte."""

from __future__ import annotations

import msgspec
import pytest

from daemon.floor.troubles import trouble
from daemon.floor.views import ROLES, Role
from tests.floor.rooms import Stage, of_kind, person
from tests.floor.said import alert, hand, line

# Each is said in one place only, and whoever sees that place may see it.
SECRETS: dict[str, frozenset[Role]] = {
    "floor-only-title": frozenset({"supervise", "surveillance", "administer"}),
    "maintenance-only-title": frozenset({"maintain", "surveillance", "administer"}),
    "surveillance-only-title": frozenset({"surveillance"}),
    "d-7f3a": frozenset({"surveillance", "administer"}),
    "an-act-of-a-seat": frozenset({"supervise", "surveillance", "administer"}),
    "trouble-of-the-table": frozenset({"supervise", "maintain", "surveillance", "administer"}),
    "sensor-felt": frozenset({"supervise", "maintain", "surveillance", "administer"}),
    "robert 14.9": frozenset({"supervise", "maintain", "surveillance", "administer"}),
    "turn-premature": frozenset({"supervise", "maintain", "surveillance", "administer"}),
}


def full_stage() -> Stage:
    stage = Stage(dealers=True)
    stage.says("status", payload=_status())
    stage.says("sensors", "sensor-felt", payload=line(v=1, state="ok"))
    acts = [{"at_ms": 6000, "seat": 3, "act": "an-act-of-a-seat"}]
    stage.says("hand", payload=hand("12", acts))
    for number, audience in enumerate(("floor", "maintenance", "surveillance")):
        text = {"en": {"title": f"{audience}-only-title", "ruling": "", "remedy": []}}
        stage.raises(alert(number, audience=audience, text=text, dealer="d-7f3a"))
    return stage


def _status() -> bytes:
    return line(v=1, state="online", table_state="open", troubles=["trouble-of-the-table"])


@pytest.mark.parametrize("role", ROLES)
def test_a_picture_has_nothing_that_its_role_may_not_see(role: Role) -> None:
    told = msgspec.json.encode(full_stage().room.snapshot(role)).decode()
    assert {word for word in SECRETS if word in told} == {
        word for word, roles in SECRETS.items() if role in roles
    }


@pytest.mark.parametrize("role", ROLES)
async def test_no_news_has_what_its_role_may_not_see(role: Role) -> None:
    stage = full_stage()
    with stage.room.listen(person(role), "s1") as ear:
        await anext(ear)
        stage.says("status", payload=_status()[:-1] + b',"beat_ms":9}')
        acts = [{"at_ms": at_ms, "seat": 3, "act": "an-act-of-a-seat"} for at_ms in (6000, 7000)]
        stage.says("hand", payload=hand("12", acts))
        stage.says("sensors", "sensor-felt", payload=line(v=1, state="lost"))
        for number, audience in enumerate(("floor", "maintenance", "surveillance")):
            text = {"en": {"title": f"{audience}-only-title", "ruling": "", "remedy": []}}
            said = alert(number, 2, audience, text=text, dealer="d-7f3a")
            stage.raises(said)
            for under in {audience, "surveillance"}:
                stage.says("alerts", under, said["id"], payload=b"")
        stage.passes(3)
        told = msgspec.json.encode([(one.kind, one.view) for one in await anext(ear)]).decode()
    assert {word for word in SECRETS if word in told} == {
        word for word, roles in SECRETS.items() if role in roles
    }


@pytest.mark.parametrize("role", ROLES)
def test_an_alert_asked_for_by_its_key_is_told_to_whom_it_is_for_only(role: Role) -> None:
    stage = full_stage()
    for number, audience in enumerate(("floor", "maintenance", "surveillance")):
        view = stage.room.alert(role, f"house/poker-1/{alert(number)['id']}")
        is_for_it = role in SECRETS[f"{audience}-only-title"]
        assert (view is not None) is is_for_it


def test_a_wall_shows_table_severity_and_state_and_nothing_else() -> None:
    snapshot = full_stage().room.snapshot("wall")
    (shown,) = snapshot["alerts"]
    key = shown.pop("key")
    assert shown == {
        "site": "house", "table": "poker-1", "live": True, "severity": "high", "state": "raised",
        "level": 1, "acknowledged": False, "taking": False, "shelved": False,
        "received": "2026-12-01T19:59:58.000Z",
    }  # fmt: skip
    assert "poker" not in key
    assert "turn" not in key
    (table,) = snapshot["tables"]
    assert table == {
        "site": "house", "table": "poker-1", "order": 0, "state": "live", "table_state": "open",
        "heard": "2026-12-01T20:00:00.000Z", "awaited": "2026-12-01T20:00:00.000Z",
    }  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
async def test_what_a_program_said_of_a_trouble_is_for_whoever_looks_after_it(role: Role) -> None:
    stage = full_stage()
    errno = "[Errno 111] Connection refused"
    away = trouble("broker-away", errno, errno)
    stage.room.link("down", (away, trouble("", f"odd: {errno}")))
    with stage.room.listen(person(role), "s") as ear:
        (picture,) = await anext(ear)
        stage.passes(3)
        beat = of_kind(await anext(ear), "beat")[-1]
    for told in (picture.view["link"], beat.view["link"]):
        assert (errno in str(told)) is (role in ("maintain", "administer"))
        keys = [one["key"] for one in told["troubles"]]
        expected = {"wall": [], "maintain": ["broker-away", ""], "administer": ["broker-away", ""]}
        assert keys == expected.get(role, ["broker-away", "unnamed"])


def test_a_wall_shows_none_of_the_words_that_a_table_makes_up() -> None:
    stage = Stage()
    stage.says("status", payload=line(v=1, state="online", table_state="<b>seat 3</b>"))
    stage.raises(alert(severity="Td!", state="a seat"))
    told = msgspec.json.encode(stage.room.snapshot("wall")).decode()
    assert "seat" not in told
    assert "Td" not in told


async def test_an_alert_that_goes_from_the_floor_to_surveillance_is_gone_for_the_floor() -> None:
    stage = Stage()
    stage.opens()
    stage.raises()
    with stage.room.listen(person("supervise"), "s1") as ear:
        await anext(ear)
        stage.says("alerts", "floor", alert()["id"], payload=b"")
        stage.raises(alert(revision=2, audience="surveillance", severity="critical"))
        news = await anext(ear)
    assert of_kind(news, "gone")
    assert "critical" not in msgspec.json.encode([one.view for one in news]).decode()
