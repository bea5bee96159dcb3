"""What screens are told: the picture, news, the heartbeat, the chain's test; what is remembered."""

from __future__ import annotations

import asyncio

from daemon.floor.listening import WAITING_MAX
from daemon.floor.troubles import trouble
from tests.floor.rooms import ANNA, BRUNO, KEY, Stage, of_kind, person
from tests.floor.said import alert, hand, line, status


def test_the_acts_since_a_fault_are_remembered_once_each(stage: Stage) -> None:
    acts = [{"at_ms": 6000, "seat": 1, "act": "bet"}, {"at_ms": 7000, "seat": 2, "act": "fold"}]
    stage.says("hand", payload=hand("12", acts[:1]))
    stage.says("hand", payload=hand("12", acts))
    stage.says("hand", payload=hand("12", [*acts, {"at_ms": 7000, "seat": 2, "act": "fold"}]))
    assert stage.kept.acts_told == acts


# --- what is told --------------------------------------------------------------------------------


async def test_the_first_that_a_screen_hears_is_the_whole_picture(stage: Stage) -> None:
    with stage.room.listen(ANNA, "s1") as ear:
        (news,) = await anext(ear)
    assert news.kind == "picture"
    assert [one["key"] for one in news.view["alerts"]] == [KEY]
    assert [one["table"] for one in news.view["tables"]] == ["poker-1"]


async def test_news_of_a_table_have_only_what_has_changed(stage: Stage) -> None:
    stage.passes(1)
    with stage.room.listen(ANNA, "s1") as ear:
        await anext(ear)
        stage.says("hand", payload=hand())
        stage.says("hand", payload=hand("12", [{"at_ms": 1, "seat": 1, "act": "check"}]))
        stage.passes(1)
        (news,) = of_kind(await anext(ear), "table")
    assert set(news.view) == {"site", "table", "order", "hand"}
    assert news.view["hand"]["acts"]


async def test_the_first_news_of_a_table_have_everything(stage: Stage) -> None:
    stage.passes(1)
    with stage.room.listen(ANNA, "s1") as ear, stage.room.listen(person("wall"), "s2") as wall:
        (picture,) = await anext(ear)
        (shown,) = await anext(wall)
        stage.says("hand", payload=hand(), table="poker-2")
        stage.passes(1)
        (news,) = of_kind(await anext(ear), "table")
        (tile,) = of_kind(await anext(wall), "table")
    assert set(news.view) == set(picture.view["tables"][0])
    assert set(tile.view) == set(shown.view["tables"][0])


def test_tables_stand_in_the_floors_order_and_others_by_their_numbers(stage: Stage) -> None:
    for name in ("poker-10", "poker-9", "bar", "poker-2b", "poker-2"):
        stage.opens(name)
    tables = stage.room.snapshot("supervise")["tables"]
    assert [one["table"] for one in tables] == [
        "poker-1", "bar", "poker-2", "poker-2b", "poker-9", "poker-10",
    ]  # fmt: skip


async def test_an_alert_is_told_at_once_and_when_it_stands_no_more(stage: Stage) -> None:
    with stage.room.listen(ANNA, "s1") as ear:
        await anext(ear)
        stage.raises(alert(2))
        (news, *_) = of_kind(await anext(ear), "alert")
        assert news.view["alert"]["id"] == alert(2)["id"]
        for audience in ("floor", "surveillance"):
            stage.says("alerts", audience, alert(2)["id"], payload=b"")
        gone = of_kind(await anext(ear), "gone")
    assert gone[0].view == {"key": KEY[:-1] + "2"}


async def test_a_screen_that_is_too_slow_hears_a_new_picture_instead(stage: Stage) -> None:
    with stage.room.listen(ANNA, "slow") as slow, stage.room.listen(BRUNO, "quick") as quick:
        await anext(slow)
        await anext(quick)
        for revision in range(2, WAITING_MAX + 10):
            stage.raises(alert(revision=revision))
            stage.passes(0.25)
            await anext(quick)
        (news,) = await anext(slow)
    assert news.kind == "picture"
    assert news.view["alerts"][0]["alert"]["revision"] == WAITING_MAX + 9


async def test_one_object_of_news_goes_to_all_screens_of_a_role(stage: Stage) -> None:
    with stage.room.listen(ANNA, "s1") as first, stage.room.listen(BRUNO, "s2") as second:
        pictures = (await anext(first))[0], (await anext(second))[0]
        stage.raises(alert(2))
        alerts = of_kind(await anext(first), "alert"), of_kind(await anext(second), "alert")
    assert pictures[0] is pictures[1]
    assert alerts[0][0] is alerts[1][0]


async def test_a_picture_is_made_anew_once_an_alert_has_changed(stage: Stage) -> None:
    with stage.room.listen(ANNA, "s1") as ear:
        (before,) = await anext(ear)
    stage.raises(alert(2))
    with stage.room.listen(ANNA, "s1") as ear:
        (after,) = await anext(ear)
    assert (len(before.view["alerts"]), len(after.view["alerts"])) == (1, 2)


async def test_a_table_that_is_none_any_more_is_in_no_picture(stage: Stage) -> None:
    stage.says("status", payload=status(), table="poker-2")
    with stage.room.listen(ANNA, "s1") as ear:
        (before,) = await anext(ear)
        stage.says("status", payload=b"", table="poker-2")
        (after,) = await anext(ear)
    assert [one["table"] for one in before.view["tables"]] == ["poker-1", "poker-2"]
    assert [one["table"] for one in after.view["tables"]] == ["poker-1"]


async def test_what_changed_of_a_table_since_a_picture_was_made_is_told_behind_it(
    stage: Stage,
) -> None:
    stage.passes(1)
    with stage.room.listen(ANNA, "s1") as ear:
        await anext(ear)
    stage.says("hand", payload=hand())
    with stage.room.listen(ANNA, "s1") as ear:
        await anext(ear)
        stage.passes(1)
        (news,) = of_kind(await anext(ear), "table")
    assert news.view["hand"]["hand"] == "12"


async def test_a_heartbeat_comes_every_two_seconds_with_the_link_in_words(stage: Stage) -> None:
    stage.passes(2)
    with stage.room.listen(ANNA, "s1") as ear:
        await anext(ear)
        stage.room.link("down", (trouble("broker-away", "timed out"),))
        stage.passes(4)
        beats = [one.view for one in of_kind(await anext(ear), "beat")]
    assert [one["now"][17:19] for one in beats] == ["02", "04"]
    assert beats[0]["link"]["state"] == "down"
    assert [one["key"] for one in beats[0]["link"]["troubles"]] == ["broker-away"]


def test_what_else_is_wrong_with_the_service_is_told_while_the_link_is_up(stage: Stage) -> None:
    assert stage.room.snapshot("wall")["link"]["well"]
    unwritten = trouble("history-unwritten", "history: not written", "full")
    stage.room._troubles = lambda: [unwritten]
    assert stage.room.snapshot("maintain")["link"]["troubles"] == [unwritten]
    ends = trouble("certificate-ends", "ends", whose="certificate", on="2026-12-09T00:00:00Z")
    stage.room.link("up", (ends,))
    assert stage.room.snapshot("maintain")["link"]["troubles"] == [ends, unwritten]
    wall = stage.room.snapshot("wall")["link"]
    assert (wall["state"], wall["well"], wall["troubles"]) == ("up", False, [])


def test_what_stood_before_this_run_is_as_old_as_its_table_says_and_not_as_this_run() -> None:
    stage = Stage()
    stage.passes(2)
    said = status(at="2026-12-01T19:58:00Z")
    stage.says("status", payload=said, retained=True)
    stage.says("alerts", "floor", alert()["id"], payload=line(**alert()), retained=True)
    stage.passes(1)
    new = alert(2)
    stage.says("alerts", "floor", new["id"], payload=line(**new))
    snapshot = stage.room.snapshot("supervise")
    assert [one["found"] for one in snapshot["alerts"]] == [True, False]
    (table,) = snapshot["tables"]
    assert table["awaited"] == "2026-12-01T20:00:02.000Z"
    assert table["heard"] == "2026-12-01T20:00:03.000Z"  # the new alert
    assert table["status"]["at"] == "2026-12-01T19:58:00Z"


async def test_a_screen_that_goes_away_leaves_nothing_behind(stage: Stage) -> None:
    with stage.room.listen(ANNA, "s1") as ear:
        waiting = asyncio.create_task(anext(ear))
        await waiting
    assert len(stage.room._listeners) == 0


async def test_what_a_table_can_see_is_told_when_it_is_asked_for_and_else_its_number(
    stage: Stage,
) -> None:
    assert stage.room.snapshot("supervise")["tables"][0]["coverage"] is None
    stage.passes(1)
    with stage.room.listen(ANNA, "s1") as ear:
        await anext(ear)
        for spots in (["a"], ["a"], ["a", "b"]):
            stage.says("coverage", payload=line(v=1, spots=spots), retained=True)
        stage.passes(1)
        (news,) = of_kind(await anext(ear), "table")
    assert news.view["coverage"] == 2
    assert stage.room.coverage("maintain", "house", "poker-1") == {"v": 1, "spots": ["a", "b"]}
    assert stage.room.coverage("wall", "house", "poker-1") is None
    assert stage.room.coverage("maintain", "house", "poker-2") is None


# --- the chain's test ----------------------------------------------------------------------------


def chain_tested(stage: Stage) -> int:
    number, words = stage.room.chain_begins()
    stage.s += 0.1
    stage.room.heard(stage.chain_table.topic, words, retained=False)
    return number


def chain_of(stage: Stage):
    return stage.room.snapshot("supervise")["chain"]


async def test_a_test_alert_goes_to_every_screen_and_comes_back(stage: Stage) -> None:
    with stage.room.listen(ANNA, "s1") as first, stage.room.listen(person("wall"), "s2") as second:
        await anext(first)
        await anext(second)
        number = chain_tested(stage)
        for ear, screen in ((first, "s1"), (second, "s2")):
            (news,) = of_kind(await anext(ear), "chain")
            assert news.view == {"number": number}
            stage.room.chain_seen(screen, number)
        stage.passes(60)
        chain = chain_of(stage)
    assert chain["whole"]
    assert chain["took_ms"] == 100
    assert chain["at"] == "2026-12-01T20:00:00.100Z"


async def test_a_screen_that_does_not_answer_is_named_until_it_goes(stage: Stage) -> None:
    with stage.room.listen(ANNA, "s1") as ear:
        await anext(ear)
        chain_tested(stage)
        assert chain_of(stage)["whole"]
        stage.passes(21)
        assert chain_of(stage)["broken"] == "screens"
        assert chain_of(stage)["screens"] == ["s1"]
    assert chain_of(stage)["whole"]


async def test_nobody_is_told_of_a_screen_of_surveillance(stage: Stage) -> None:
    eye = person("surveillance")
    with stage.room.listen(ANNA, "anna/s1") as ear, stage.room.listen(eye, "eye/s1") as other:
        await anext(ear)
        await anext(other)
        chain_tested(stage)
        assert of_kind(await anext(other), "chain")
        stage.room.chain_seen("anna/s1", 1)
        stage.passes(25)
        assert chain_of(stage)["whole"]
        beats = of_kind(await anext(ear), "beat") + of_kind(await anext(other), "beat")
    assert [beat.view["chain"]["screens"] for beat in beats] == [[]] * len(beats)


async def test_a_wall_is_told_how_many_screens_are_silent_and_not_whose_nor_why(
    stage: Stage,
) -> None:
    stage.room.link("down", (trouble("own-ended", "our certificate has ended"),))
    with stage.room.listen(ANNA, "anna/s1") as ear, stage.room.listen(person("wall"), "w") as wall:
        await anext(ear)
        await anext(wall)
        chain_tested(stage)
        stage.room.chain_seen("w", 1)
        stage.passes(25)
        beat = of_kind(await anext(wall), "beat")[-1].view
    picture = stage.room.snapshot("wall")
    for told in (beat, picture):
        assert told["link"]["troubles"] == []
        assert told["link"]["state"] == "down"
    assert beat["chain"]["screens"] == ["1"]


def test_a_test_that_does_not_come_back_breaks_the_chain_at_the_floor(stage: Stage) -> None:
    chain_tested(stage)
    number, words = stage.room.chain_begins()
    assert chain_of(stage)["whole"]
    stage.passes(16)
    assert chain_of(stage)["broken"] == "floor"
    stage.room.chain_begins()
    assert chain_of(stage)["broken"] == "floor"
    chain_tested(stage)
    assert chain_of(stage)["whole"]
    stage.room.heard(stage.chain_table.topic, words, retained=False)
    assert number < 4
    assert chain_of(stage)["whole"]


def test_a_test_that_cannot_be_said_breaks_it_at_the_broker(stage: Stage) -> None:
    number, _ = stage.room.chain_begins()
    stage.room.chain_failed(number)
    assert chain_of(stage)["broken"] == "broker"


def test_a_test_alert_is_in_no_picture_and_no_history(stage: Stage) -> None:
    kept, shown = len(stage.kept.transitions), len(stage.room.snapshot("surveillance")["alerts"])
    chain_tested(stage)
    assert len(stage.kept.transitions) == kept
    assert len(stage.room.snapshot("surveillance")["alerts"]) == shown
    assert [one["table"] for one in stage.room.snapshot("surveillance")["tables"]] == ["poker-1"]


def test_another_services_test_alert_is_not_ours(stage: Stage) -> None:
    _, words = stage.room.chain_begins()
    other = words.replace(b"b00t", b"else")
    stage.room.heard(stage.chain_table.topic, other, retained=False)
    assert chain_of(stage)["at"] is None


# --- what was missed -----------------------------------------------------------------------------


def resends_of(stage: Stage):
    return [one.command.minutes for one in stage.sent.orders if one.command.command == "resend"]


def test_the_first_connection_of_all_asks_for_nothing(stage: Stage) -> None:
    stage.room.settled(proven=True)
    stage.passes(120)
    assert resends_of(stage) == []


def test_a_connection_that_was_away_asks_each_table_that_is_there_until_it_answers(
    stage: Stage,
) -> None:
    stage.room.settled(proven=True)
    stage.room.link("down", (trouble("", "away"),))
    stage.passes(300)
    stage.room.began()
    stage.opens()
    stage.raises()
    stage.room.settled(proven=True)
    stage.room.link("up", ())
    stage.passes(1)
    assert resends_of(stage) == [8]
    for _ in range(7):
        stage.opens()
        stage.passes(10)
    assert len(resends_of(stage)) == 2
    stage.answers()
    for _ in range(20):
        stage.opens()
        stage.passes(10)
    assert len(resends_of(stage)) == 2


def test_it_is_caught_up_once_every_table_that_was_asked_has_answered(stage: Stage) -> None:
    stage.room.speak_by(stage.sent, 3600)
    stage.room.settled(proven=True)
    stage.room.link("down", ())
    stage.room.link("up", ())
    stage.opens()
    stage.passes(15)
    stage.opens()
    stage.passes(16)
    assert not stage.room.is_caught_up
    stage.answers()
    assert stage.room.is_caught_up
    stage.room.link("down", ())
    assert not stage.room.is_caught_up


def test_a_restart_asks_for_the_time_in_which_nobody_heard() -> None:
    stage = Stage()
    stage.room.speak_by(stage.sent, 3600)
    stage.room.began()
    stage.opens()
    stage.room.settled(proven=True)
    stage.passes(1)
    assert resends_of(stage) == [63]


# --- the history ---------------------------------------------------------------------------------


def test_lines_and_hands_go_into_the_history_once(stage: Stage) -> None:
    stage.raises()
    stage.says("hand", payload=hand("12"))
    stage.says("hand", payload=hand(None))
    assert [one.revision for one in stage.kept.transitions] == [1]
    assert stage.kept.hands_ended == 1


def test_a_history_that_fails_costs_nobody_a_message(stage: Stage) -> None:
    def broken(_: object) -> None:
        raise ValueError

    stage.kept.put = broken
    stage.raises(alert(2))
    assert len(stage.room.snapshot("supervise")["alerts"]) == 2
