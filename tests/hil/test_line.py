"""Real hands, bytes and all: shoe, readers and console on ptys, the daemon, a real broker."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from daemon.demo.dealers import tellable
from daemon.demo.dealing import lawful
from daemon.demo.mischief import Incident, incident, kinds
from daemon.demo.outcome import RIGHT
from daemon.demo.real_hands import deal_of
from daemon.table.events import DealingEvent, HandStarted
from drivers.simulated.rig import Faults
from tests.conftest import Broker
from tests.hands.judged import told
from tests.hands.loader import Recorded, lawful_hands, recorded_hands
from tests.hil.line import SPEED, Subscriber, subscribed, watched_table

SOAK = bool(os.environ.get("FLOORCALL_SOAK"))
SEATS = 6  # readers cost time, and most recorded hands were played six-handed
TABLES = 5  # that run at once: more of them in one process cannot keep pace with their dealers
CUT = Faults(piece_bytes=9, before=b"\x00\xff$")  # at every second table the lines cut what is said
LAWFUL = 160 if SOAK else 16

# The irregularities of the house's own text, each with a fault in its remedy where it has one.
FOUNDING = {
    "deal-first-card-exposed": "remedy-no-shuffle",
    "deal-single-card-exposed": "flop-multiple-burns",
    "deal-multiple-cards-exposed": "remedy-no-cut",
    "flop-overcount": "remedy-burned-when-forbidden",
    "flop-premature": "remedy-too-early",
    "turn-premature": "remedy-burned-when-forbidden",
    "river-premature": "remedy-no-shuffle",
    "deal-extra-card-first-player": "flop-multiple-burns",
    "deal-multiple-extra-cards": "remedy-misdeal-too-late",
    "showdown-board-undeclared": "declared",
}


def small(hands: Iterable[Recorded]) -> list[Recorded]:
    """Hands that fit at a table of so many seats."""
    return [hand for hand in hands if max(*hand["seats"]["occupied"], hand["button"]) <= SEATS]


def incident_of(name: str, handling: str) -> Incident:
    """A recorded hand with this mischief, the shortest of some."""
    found = []
    hands = small(recorded_hands())
    random.Random(f"line {name} {handling}").shuffle(hands)
    for recorded in hands:
        rng = random.Random(f"line {recorded['id']} {name} {handling}")
        happened = incident(name, handling, deal_of(recorded, rng), rng)
        if happened is not None:
            found.append(happened)
        if len(found) == 5:
            break
    return min(found, key=lambda one: len(one.events))


def cases() -> list[tuple[str, str]]:
    if SOAK:
        return [kind for kind in kinds() if tellable(*kind) and "unentitled" not in kind[0]]
    right = [(name, RIGHT) for name in FOUNDING if (name, RIGHT) in set(kinds())]
    ignored = [("showdown-board-undeclared", "ignored")]
    return [*right, *ignored, *FOUNDING.items()]


async def at_the_tables(
    hands: list[list[DealingEvent]], folder: Path, broker: Broker, name: str
) -> list[tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]]:
    """Deal each hand at one of the tables; for each, the transitions of alerts and what stands."""
    heard: list[Any] = [None] * len(hands)
    waiting = list(enumerate(hands))

    async def table(number: int) -> None:
        own, dealt = f"{name}-{number}", []
        spoilt = CUT if number % 2 else None
        async with subscribed(broker.port, own) as subscriber:
            async with watched_table(own, folders[number], broker.url, SEATS, spoilt) as live:
                stage = live.stage(SPEED)
                while waiting:
                    turn, events = waiting.pop()
                    dealt.append(turn)
                    await live.perform(stage.play(renamed(events, turn)))
                    await subscriber.until(lambda: len(ended(subscriber, own)) == len(dealt))
            await subscriber.until_left(own)
        said, over = subscriber.transitions(own), ended(subscriber, own)
        assert {alert["hand"] for alert in said} <= set(over), said  # nothing of the table itself
        for turn, hand in zip(dealt, over, strict=True):
            transitions = [alert for alert in said if alert["hand"] == hand]
            ids = {alert["id"] for alert in transitions}
            standing = {
                topic: alert
                for topic, alert in subscriber.retained(own).items()
                if alert["id"] in ids
            }
            heard[turn] = (transitions, standing)

    folders = [folder / f"{name}-{number}" for number in range(TABLES)]
    for one in folders:
        one.mkdir()
    async with asyncio.TaskGroup() as group:
        for number in range(min(TABLES, len(hands))):
            group.create_task(table(number))
    return heard


def renamed(events: list[DealingEvent], turn: int) -> list[DealingEvent]:
    """The same events of a hand that has a name of its own: one may be dealt at a table twice."""
    return [
        replace(event, hand=f"{event.hand}-{turn}") if isinstance(event, HandStarted) else event
        for event in events
    ]


def ended(subscriber: Subscriber, table: str) -> list[str]:
    """The hands that the table has said are over, oldest first."""
    said = [word["hand"] for word in subscriber.hands(table)]
    return [hand for hand, next_ in pairwise(said) if hand is not None and next_ != hand]


async def test_recorded_hands_dealt_over_the_wires_reach_the_broker_without_an_alert(
    tmp_path: Path, broker: Broker
) -> None:
    chosen = random.Random("line").sample(small(lawful_hands()), LAWFUL)
    hands = []
    for recorded in chosen:
        rng = random.Random(recorded["id"])
        hands.append(lawful(deal_of(recorded, rng), rng))
    heard = await at_the_tables(hands, tmp_path, broker, "lawful")
    for recorded, hand, (transitions, _) in zip(chosen, hands, heard, strict=True):
        assert not transitions, f"{recorded['id']}\n{told(hand)}"


async def test_each_founding_irregularity_reaches_the_broker_alone_and_is_followed_to_its_end(
    tmp_path: Path, broker: Broker
) -> None:
    incidents = [(name, handling, incident_of(name, handling)) for name, handling in cases()]
    hands = [happened.events for _, _, happened in incidents]
    heard = await at_the_tables(hands, tmp_path, broker, "mischief")
    for (name, handling, happened), (transitions, standing) in zip(incidents, heard, strict=True):
        case = f"{name} {handling}\n{told(happened.events)}"
        last = {alert["id"]: alert for alert in transitions}
        states = {alert["irregularity"]: judged(alert) for alert in last.values()}
        assert sorted(states) == sorted(happened.found), f"{states} {case}"
        for found, state in happened.found.items():
            assert state in ("any", states[found]), f"{states} {case}"
        retained(last, standing, case)


def judged(alert: dict[str, Any]) -> str:
    """How it ended; nobody acknowledges anything here, so that only what is withdrawn closes."""
    return "withdrawn" if alert["state"] == "closed" else str(alert["state"])


def retained(
    last: dict[str, dict[str, Any]], standing: dict[str, dict[str, Any]], case: str
) -> None:
    """What stands is retained as it was last told, for its readers and for surveillance.

    All of it is final by now, and what is final and withdrawn stands no longer.
    """
    wanted = {}
    for alert in last.values():
        assert alert["final"], case
        if alert["audience"] != "log" and alert["state"] not in ("closed", "withdrawn"):
            for audience in {alert["audience"], "surveillance"}:
                wanted[f"{audience}/{alert['id']}"] = alert
    assert {"/".join(topic.split("/")[5:]): alert for topic, alert in standing.items()} == wanted, (
        case
    )
