"""What people do: pending, undone, sent, answered, refused, unheard."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from daemon.floor.acts import OPEN_MAX, UNHEARD_S
from daemon.floor.views import ROLES, Act, Person, Role
from daemon.orders import ERRORS, read
from tests.floor.rooms import ANNA, BRUNO, KEY, Stage, of_kind, person
from tests.floor.said import alert, line, status


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


def note(number="n1", text="ask Carla"):
    return Act(id=number, key=KEY, revision=1, act="note", text=text)


@pytest.mark.parametrize("again", [ANNA, BRUNO])
@pytest.mark.parametrize("wait_s", [0, 4])
async def test_what_somebody_does_already_is_not_ordered_twice(
    stage: Stage, again: Person, wait_s: float
) -> None:
    await stage.room.act(ANNA, acknowledge())
    stage.passes(wait_s)
    outcome = await stage.room.act(again, acknowledge("a2"))
    told = (outcome["state"], outcome["reason"], outcome["who"])
    assert told == ("refused", "doing", "Anna Rossi")
    stage.passes(4)
    assert len(stage.sent.orders) == 1


async def test_what_was_taken_back_or_refused_can_be_done_by_another(stage: Stage) -> None:
    await stage.room.act(ANNA, acknowledge())
    await stage.room.undo(ANNA, "a1")
    assert (await stage.room.act(BRUNO, acknowledge("b1")))["state"] == "pending"
    stage.passes(4)
    stage.answers(ok=False, error="busy")
    assert (await stage.room.act(ANNA, acknowledge("a2")))["state"] == "pending"


async def test_notes_say_different_things_and_the_same_one_is_a_touch_too_many(
    stage: Stage,
) -> None:
    await stage.room.act(ANNA, note())
    assert (await stage.room.act(ANNA, note("n2")))["reason"] == "doing"
    assert (await stage.room.act(ANNA, note("n3", "deck changed")))["state"] == "pending"
    assert (await stage.room.act(BRUNO, note("n4")))["state"] == "pending"


async def test_an_act_is_shown_as_begun_until_its_table_has_answered(stage: Stage) -> None:
    await stage.room.act(ANNA, acknowledge())
    assert pending_of(stage)["until"] is not None
    stage.passes(4)
    assert pending_of(stage) | {"until": None, "by": ANNA.name} == pending_of(stage)
    stage.answers()
    assert pending_of(stage) is None


async def test_a_wall_is_told_that_somebody_comes_and_not_who(stage: Stage) -> None:
    with stage.room.listen(person("wall"), "w1") as ear:
        await anext(ear)
        await stage.room.act(ANNA, acknowledge())
        (told,) = await anext(ear)
        assert (told.kind, told.view["taking"], told.view["acknowledged"]) == ("alert", True, False)
        assert "Anna" not in str(told.view)
        await stage.room.undo(ANNA, "a1")
        (told,) = await anext(ear)
        assert not told.view["taking"]


async def test_two_people_with_the_same_id_do_two_things(stage: Stage) -> None:
    await stage.room.act(ANNA, note())
    await stage.room.act(BRUNO, note())
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


async def test_its_author_hears_of_it_even_where_the_alert_is_known_no_more(
    stage: Stage,
) -> None:
    await stage.room.act(ANNA, acknowledge())
    stage.passes(4)
    for audience in ("floor", "surveillance"):
        stage.says("alerts", audience, alert()["id"], payload=b"")
    stage.says("status", payload=b"")
    wall_of_hers = replace(ANNA, role="wall")
    with (
        stage.room.listen(ANNA, "s1") as author,
        stage.room.listen(BRUNO, "s2") as other,
        stage.room.listen(wall_of_hers, "s3") as wall,
    ):
        for each in (author, other, wall):
            await anext(each)
        stage.passes(UNHEARD_S)
        assert of_kind(await anext(author), "act")[0].view["reason"] == "unheard"
        assert of_kind(await anext(other), "act") == []
        assert of_kind(await anext(wall), "act") == []


async def test_an_act_that_finds_no_broker_says_so_and_does_not_leave_later(stage: Stage) -> None:
    stage.sent.there = False
    await stage.room.act(ANNA, acknowledge())
    stage.passes(4)
    assert (await stage.room.act(ANNA, acknowledge()))["reason"] == "no-broker"
    stage.sent.there = True
    stage.passes(60)
    assert stage.sent.orders == []


async def test_nobody_orders_a_table_that_is_offline(stage: Stage) -> None:
    stage.says("status", payload=status("offline"))
    assert (await stage.room.act(ANNA, acknowledge()))["reason"] == "offline"


async def test_without_a_broker_nothing_is_taken_that_could_not_be_sent(stage: Stage) -> None:
    stage.room.link("down", ())
    assert (await stage.room.act(ANNA, acknowledge()))["reason"] == "no-broker"
    stage.room.link("up", ())
    assert (await stage.room.act(ANNA, acknowledge("a2")))["state"] == "pending"


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


@pytest.mark.parametrize(("by", "revision"), [(ANNA.name, 2), (BRUNO.name, 1)])
async def test_ones_own_acknowledgement_meanwhile_is_no_news_and_anothers_is(
    stage: Stage, by: str, revision: int
) -> None:
    await stage.room.act(ANNA, replace(acknowledge("c1"), act="close", verdict="upheld"))
    stage.raises(alert(revision=2, acknowledged={"by": by, "at": None}))
    stage.passes(4)
    assert stage.sent.orders[-1].command.revision == revision


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
        await stage.room.act(ANNA, note(f"n{number}", f"seat {number}"))
    assert (await stage.room.act(ANNA, acknowledge("more")))["reason"] == "busy"
