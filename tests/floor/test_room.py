"""What people do and what they are told of it: pending, undone, sent, answered; slow ears."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from daemon.floor.acts import OPEN_MAX, UNHEARD_S
from daemon.floor.listening import WAITING_MAX
from daemon.floor.views import ROLES, Act, Role
from daemon.orders import ERRORS, read
from tests.floor.rooms import ANNA, BRUNO, KEY, Stage, of_kind, person
from tests.floor.said import alert, hand, line, status


@pytest.fixture
def stage() -> Stage:
    stage = Stage()
    stage.opens()
    stage.raises()
    return stage


def acknowledge(number="a1", revision=1, key=KEY):
    return Act(id=number, key=key, revision=revision, act="acknowledge")


def pending_of(stage):
    return stage.room.alert("supervise", KEY)["pending"]


# --- acts ----------------------------------------------------------------------------------------


async def test_an_act_waits_is_seen_by_all_and_is_sent_when_it_cannot_be_undone_any_more(
    stage: Stage,
) -> None:
    with stage.room.listen(BRUNO, "s2") as ear:
        await anext(ear)
        outcome = await stage.room.act(ANNA, acknowledge())
        assert outcome["state"] == "pending"
        news = await anext(ear)
        assert of_kind(news, "act")[0].view["by"] == "Anna Rossi"
        assert of_kind(news, "alert")[0].view["pending"]["act"] == "acknowledge"
        stage.passes(3.75)
        assert stage.sent.orders == []
        stage.passes(0.25)
        (order,) = stage.sent.orders
        stage.answers()
        states = [one.view["state"] for one in of_kind(await anext(ear), "act")]
    assert states == ["sent", "done"]
    assert (order.site, order.table) == ("house", "poker-1")
    assert order.command.by == "Anna Rossi"
    assert pending_of(stage) is None
    assert stage.kept.deeds == [("anna", "acknowledge", "done")]


async def test_its_author_takes_it_back_and_nobody_else_does(stage: Stage) -> None:
    await stage.room.act(ANNA, acknowledge())
    assert (await stage.room.undo(BRUNO, "a1"))["reason"] == "unknown-alert"
    assert (await stage.room.undo(ANNA, "a1"))["state"] == "undone"
    assert pending_of(stage) is None
    stage.passes(10)
    assert stage.sent.orders == []
    assert (await stage.room.act(ANNA, acknowledge()))["state"] == "undone"
    assert (await stage.room.act(ANNA, acknowledge("a2")))["state"] == "pending"


async def test_what_was_sent_cannot_be_undone(stage: Stage) -> None:
    await stage.room.act(ANNA, acknowledge())
    stage.passes(4)
    outcome = await stage.room.undo(ANNA, "a1")
    assert (outcome["state"], outcome["reason"]) == ("refused", "too-late")
    stage.answers()
    assert (await stage.room.undo(ANNA, "a1"))["reason"] == "too-late"


async def test_the_same_act_once_more_is_sent_once(stage: Stage) -> None:
    for _ in range(3):
        await stage.room.act(ANNA, acknowledge())
    stage.passes(4)
    await stage.room.act(ANNA, acknowledge())
    assert len(stage.sent.orders) == 1
    stage.answers()
    assert (await stage.room.act(ANNA, acknowledge()))["state"] == "done"
    stage.answers()
    assert stage.kept.deeds == [("anna", "acknowledge", "done")]


async def test_two_people_with_the_same_id_do_two_things(stage: Stage) -> None:
    await stage.room.act(ANNA, acknowledge())
    await stage.room.act(BRUNO, acknowledge())
    stage.passes(4)
    first, second = (order.command.id for order in stage.sent.orders)
    assert first != second


@pytest.mark.parametrize("error", ERRORS)
async def test_a_tables_refusal_is_told_with_its_reason(stage: Stage, error: str) -> None:
    await stage.room.act(ANNA, acknowledge())
    stage.passes(4)
    with stage.room.listen(ANNA, "s1") as ear:
        await anext(ear)
        stage.answers(ok=False, error=error)
        (news,) = of_kind(await anext(ear), "act")
    assert (news.view["state"], news.view["reason"]) == ("refused", error)


async def test_an_act_that_nobody_answers_is_unheard_and_done_if_the_answer_comes_late(
    stage: Stage,
) -> None:
    await stage.room.act(ANNA, acknowledge())
    stage.passes(4 + UNHEARD_S)
    outcome = await stage.room.act(ANNA, acknowledge())
    assert (outcome["state"], outcome["reason"]) == ("refused", "unheard")
    stage.answers()
    assert (await stage.room.act(ANNA, acknowledge()))["state"] == "done"


async def test_an_act_without_a_broker_is_unheard_and_does_not_leave_later(stage: Stage) -> None:
    stage.sent.there = False
    await stage.room.act(ANNA, acknowledge())
    stage.passes(4)
    assert (await stage.room.act(ANNA, acknowledge()))["reason"] == "unheard"
    stage.sent.there = True
    stage.passes(60)
    assert stage.sent.orders == []


async def test_nobody_orders_a_table_that_is_offline(stage: Stage) -> None:
    stage.says("status", payload=status("offline"))
    assert (await stage.room.act(ANNA, acknowledge()))["reason"] == "unheard"


async def test_another_tables_answer_is_none(stage: Stage) -> None:
    await stage.room.act(ANNA, acknowledge())
    stage.passes(4)
    number = stage.sent.orders[0].command.id
    stage.says("answer", payload=line(v=1, id=number, ok=True), table="poker-2")
    assert (await stage.room.act(ANNA, acknowledge()))["state"] == "sent"


async def test_a_step_that_ticks_meanwhile_leaves_the_act_and_a_graver_alert_does_not(
    stage: Stage,
) -> None:
    await stage.room.act(ANNA, acknowledge())
    stage.raises(alert(revision=2, remedy=[{"step": "set-aside", "state": "done"}]))
    stage.passes(4)
    assert stage.sent.orders[-1].command.revision == 2
    await stage.room.act(ANNA, acknowledge("a2", revision=2))
    stage.raises(alert(revision=3, severity="critical"))
    stage.passes(4)
    assert stage.sent.orders[-1].command.revision == 2  # the table will say that it is stale


async def test_an_act_on_another_revision_than_the_one_that_stands_is_stale(stage: Stage) -> None:
    stage.raises(alert(revision=2))
    assert (await stage.room.act(ANNA, acknowledge()))["reason"] == "stale"


@pytest.mark.parametrize("role", ROLES)
async def test_who_may_act_is_said_by_his_role_and_about_what_he_sees(role: Role) -> None:
    stage = Stage()
    stage.opens()
    stage.raises()
    outcome = await stage.room.act(person(role), acknowledge())
    expected = {
        "wall": "forbidden", "surveillance": "forbidden", "maintain": "unknown-alert",
    }  # fmt: skip
    assert outcome.get("reason") == expected.get(role)


async def test_at_shutdown_what_is_pending_is_sent_at_once(stage: Stage) -> None:
    await stage.room.act(ANNA, acknowledge())
    stage.room.send_all()
    assert len(stage.sent.orders) == 1


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (Act(id="x", key=KEY, revision=1, act="close"), "incomplete"),
        (Act(id="x", key=KEY, revision=1, act="close", verdict="maybe"), "malformed"),
        (Act(id="x", key=KEY, revision=1, act="shelve", minutes=5), "incomplete"),
        (Act(id="x", key=KEY, revision=1, act="shelve", minutes=5000, text="a"), "malformed"),
        (Act(id="x", key=KEY, revision=1, act="note", text="a\nb"), "malformed"),
        (Act(id="x", key=KEY, revision=1, act="note", text="a" * 501), "malformed"),
        (Act(id="x", key=KEY, revision=1, act="table-state"), "unknown-command"),
        (Act(id="x", key="nonsense", revision=1, act="acknowledge"), "unknown-alert"),
    ],
)
async def test_what_no_table_would_take_is_refused_at_once(
    stage: Stage, act: Act, reason: str
) -> None:
    assert (await stage.room.act(ANNA, act))["reason"] == reason


@pytest.mark.parametrize(
    "act",
    [
        Act(id="x", key=KEY, revision=1, act="acknowledge"),
        Act(id="x", key=KEY, revision=1, act="close", verdict="upheld", text="seen <b>"),
        Act(id="x", key=KEY, revision=1, act="shelve", minutes=5, text="spill"),
        Act(id="x", key=KEY, revision=1, act="unshelve"),
        Act(id="x", key=KEY, revision=1, act="note", text="ask Carla"),
    ],
)
async def test_every_order_is_one_that_a_table_reads(stage: Stage, act: Act) -> None:
    await stage.room.act(ANNA, act)
    stage.passes(4)
    command = stage.sent.orders[0].command
    assert read(msgspec.json.encode(command)) == command


async def test_more_acts_at_a_time_than_people_can_mean_are_busy(stage: Stage) -> None:
    for number in range(OPEN_MAX):
        await stage.room.act(ANNA, acknowledge(f"n{number}"))
    assert (await stage.room.act(ANNA, acknowledge("more")))["reason"] == "busy"


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
    with stage.room.listen(person("wall"), "s1") as ear:
        await anext(ear)
        stage.room.link("down", "timed out")
        stage.passes(4)
        beats = [one.view for one in of_kind(await anext(ear), "beat")]
    assert [one["now"][17:19] for one in beats] == ["02", "04"]
    assert beats[0]["link"]["state"] == "down"
    assert beats[0]["link"]["words"] == "timed out"


async def test_a_screen_that_goes_away_leaves_nothing_behind(stage: Stage) -> None:
    with stage.room.listen(ANNA, "s1") as ear:
        waiting = asyncio.create_task(anext(ear))
        await waiting
    assert len(stage.room._listeners) == 0


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
    stage.room.link("down", "away")
    stage.passes(300)
    stage.room.began()
    stage.opens()
    stage.raises()
    stage.room.settled(proven=True)
    stage.room.link("up", "")
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
