"""A table that says very much: nobody else waits for it, and no screen is told all of it."""

from __future__ import annotations

from daemon.floor.listening import Listener
from daemon.floor.table import STANDING_MAX
from daemon.floor.telling import ALERTS_AT_ONCE, RENEW_S
from tests.floor.rooms import ANNA, Stage, of_kind
from tests.floor.said import alert, line, status


async def test_a_table_that_changes_more_alerts_than_any_table_does_keeps_nobody_else_waiting(
    stage: Stage,
) -> None:
    stage.opens("poker-2")
    stage.passes(1)
    with stage.room.listen(ANNA, "s1") as ear:
        await anext(ear)
        for revision in range(2, 200):
            stage.raises(alert(revision=revision))
        stage.raises(alert(7), table="poker-2")
        at_once = of_kind(await anext(ear), "alert")
        assert len(at_once) == ALERTS_AT_ONCE + 1
        assert at_once[-1].view["table"] == "poker-2"
        stage.passes(0.5)
        (last,) = of_kind(await anext(ear), "alert")
        assert last.view["alert"]["revision"] == 199


async def test_heavy_alerts_wait_sooner_since_every_screen_is_to_read_them(stage: Stage) -> None:
    stage.passes(1)
    with stage.room.listen(ANNA, "s1") as ear:
        await anext(ear)
        for number in range(2, 9):
            stage.raises(alert(number, stuff="x" * 40_000))
        assert len(of_kind(await anext(ear), "alert")) == 2
        stage.passes(2)
        heard = []
        while len(heard) < 5:
            heard += of_kind(await anext(ear), "alert")


async def test_a_table_that_raises_without_end_gives_nobody_a_new_picture_and_fills_no_memory(
    stage: Stage,
) -> None:
    with stage.room.listen(ANNA, "s1") as ear:
        (picture,) = await anext(ear)
        shown = {one["key"] for one in picture.view["alerts"]}
        for number in range(100, 3000):
            said = alert(number)
            stage.says("alerts", "floor", said["id"], payload=line(**said))
            if number % 50 == 0:
                stage.passes(0.25)
                await heard_by(ear, shown)
                assert len(stage.room._telling._waiting) <= STANDING_MAX + 50
        for _ in range(60):
            stage.passes(1)
            await heard_by(ear, shown)
    assert shown == {one["key"] for one in stage.room.snapshot("supervise")["alerts"]}
    assert len(shown) == STANDING_MAX


async def heard_by(ear: Listener, shown: set[str]) -> None:
    """What a page of alerts shows once it has heard all that waits for it, and no new picture."""
    while ear._waiting:
        for news in await anext(ear):
            assert news.kind != "picture"
            if news.kind == "alert":
                shown.add(news.view["key"])
            elif news.kind == "gone":
                shown.discard(news.view["key"])


async def test_a_table_that_comes_and_goes_gives_a_new_picture_only_so_often(stage: Stage) -> None:
    stage.passes(1)
    with stage.room.listen(ANNA, "s1") as ear:
        kinds = [one.kind for one in await anext(ear)]
        for _ in range(100):
            stage.says("status", payload=status(), table="poker-2")
            stage.says("status", payload=b"", table="poker-2")
            stage.passes(0.25)
            kinds += [one.kind for one in await anext(ear)] if ear.behind or ear._waiting else []
        assert 10 < kinds.count("picture") <= 1 + 25 / RENEW_S + 1
        stage.passes(RENEW_S + 1)
        (last,) = of_kind(await anext(ear), "picture")
    assert [one["table"] for one in last.view["tables"]] == ["poker-1"]
