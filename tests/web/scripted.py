"""A table at the broker that says exactly what a test wants said, and obeys orders as tables do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

SITE = "house"
BEAT_S = 5.0  # as often as a table says that it lives, so that none grows stale here

STEPS = ("set-aside", "close", "burn", "turn")
TEXT = {
    "en": {
        "title": "Turn dealt before the betting was complete",
        "ruling": "The card is out of play for this round. The betting is finished, a card is "
        "burned, and what would have been the river plays as the turn.",
        "remedy": [
            "Set the turn card aside, face up; its burn stays",
            "Finish the betting round",
            "Burn one card",
            "Deal the card that would have been the river as the turn",
        ],
    },
    "it": {
        "title": "Turn dato prima che le puntate fossero complete",
        "ruling": "La carta è fuori gioco per questo giro. Si completano le puntate, si brucia una "
        "carta, e quella che sarebbe stata il river vale da turn.",
        "remedy": [
            "Metti da parte il turn, scoperto; la sua bruciata resta",
            "Completa il giro di puntate",
            "Brucia una carta",
            "Dai come turn la carta che sarebbe stata il river",
        ],
    },
}
HAND = {
    "v": 1, "hand": "12", "deal": 1, "street": "flop", "button": 1, "seats_in": [1, 2, 3, 5, 6, 9],
    "places": {"stub": 31, "seats": 12, "board": 3, "burn": 2, "aside": 1, "muck": 3},
    "public": [["2s", "board"], ["Ah", "board"], ["Kd", "board"], ["Td", "aside"]],
    "due": [{"step": "close"}], "seen": True, "acts": [],
}  # fmt: skip
COVERAGE = {
    "v": 1, "spots": ["turn-premature"], "called": ["deal-exposed-card"],
    "unseen": [{"irregularity": "deck-joker", "add": ["face"]}],
    "text": {"en": {"turn-premature": "Turn too early"}, "it": {"turn-premature": "Turn prima"}},
}  # fmt: skip


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class ScriptedTable:
    """One table; `alerts` are its alerts as they now stand, by id."""

    def __init__(self, name: str, client: aiomqtt.Client) -> None:
        self.name = name
        self.alerts: dict[str, dict[str, Any]] = {}
        self.orders: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.refuses = ""  # the word by which it refuses every order
        self._client = client
        self._seq = 0
        self._more: dict[str, Any] = {}

    async def say(self, kind: str, payload: object, *, retain: bool = True) -> None:
        topic = f"floorcall/v1/{SITE}/{self.name}/{kind}"
        said = b"" if payload is None else json.dumps(payload).encode()
        await self._client.publish(topic, said, qos=1, retain=retain)

    async def live(self, **more: Any) -> None:
        """Say how it stands, from now on."""
        self._more = more
        await self.beat()

    async def beat(self) -> None:
        """Say so once more."""
        self._seq += 1
        status = {
            "v": 1, "state": "online", "boot": "b", "seq": self._seq, "version": "0.1.0",
            "rulebook": "robert-classic", "table_state": "open", "since": now()[:19] + "Z",
            "at": now()[:19] + "Z", "beat_ms": self._seq * 1000, "troubles": [],
        }  # fmt: skip
        await self.say("status", status | self._more)

    async def furnish(self) -> None:
        """All that a table says of itself."""
        await self.live()
        await self.say("hand", HAND)
        await self.say("coverage", COVERAGE)
        sensor = {
            "v": 1,
            "state": "ok",
            "since": now()[:19] + "Z",
            "hands": 3,
            "errors": {"ghost": 1},
        }
        await self.say("sensors/felt", sensor)

    async def alarm(self, number: str = "1", **changes: Any) -> str:
        """Raise an alert; its id."""
        name = f"{self.name}:j:12:1:turn-premature:turn-{number}"
        states = changes.pop("steps", ("due", "later", "later", "later"))
        alert = {
            "v": 1, "id": name, "revision": 1, "table": self.name, "hand": "12",
            "irregularity": "turn-premature", "state": "raised", "final": False, "seen": True,
            "acknowledged": None, "shelved": None, "severity": "critical", "audience": "floor",
            "street": "flop", "subject": "turn", "seats": [3, 1], "cards": ["Td"], "at_ms": 32600,
            "known_ms": 32600, "at": now(), "rulebook": "robert-classic",
            "cite": "Hold'em irregularities 4", "unconfirmed": False,
            "window": {"kind": "substantial-action", "open": True},
            "remedy": [
                {"step": step, "state": state}
                for step, state in zip(STEPS, states, strict=True)
            ],
            "text": TEXT, "evidence": [19, 20],
        }  # fmt: skip
        self.alerts[name] = alert | changes
        await self._tell(name)
        return name

    async def change(self, name: str, **changes: Any) -> None:
        """The alert's next revision; `steps` are the states of its remedy."""
        alert = self.alerts[name]
        if states := changes.pop("steps", None):
            changes["remedy"] = [
                {"step": step, "state": state} for step, state in zip(STEPS, states, strict=True)
            ]
        self.alerts[name] = alert | changes | {"revision": alert["revision"] + 1}
        await self._tell(name)

    async def obey(self, order: dict[str, Any], response: str | None, correlation: Any) -> None:
        """Carry an order out, and answer, as docs/topics.md has it."""
        name, by = order["alert"], order["by"]
        signed = {"by": by, "at": now()}
        match "" if self.refuses else order["command"]:
            case "acknowledge":
                await self.change(name, acknowledged=signed)
            case "close":
                verdict = {"state": "closed", "verdict": order["verdict"], "closed": signed}
                if order.get("text"):
                    verdict["note"] = signed | {"text": order["text"]}
                await self.change(name, **verdict)
            case "shelve":
                shelf = {"by": by, "until": "2099-01-01T00:00:00.000Z", "reason": order["text"]}
                await self.change(name, shelved=shelf)
            case "unshelve":
                await self.change(name, shelved=None)
            case "note":
                await self.change(name, note=signed | {"text": order["text"]})
        answer = {"v": 1, "id": order.get("id", ""), "ok": True, "alert": name}
        answer["revision"] = self.alerts[name]["revision"]
        if self.refuses:
            answer |= {"ok": False, "error": self.refuses}
        await self.say("answer", answer, retain=False)
        if response:
            properties = Properties(PacketTypes.PUBLISH)
            if correlation is not None:
                properties.CorrelationData = correlation
            said = json.dumps(answer).encode()
            await self._client.publish(response, said, qos=1, properties=properties)

    async def _tell(self, name: str) -> None:
        alert = self.alerts[name]
        audience = alert["audience"]
        stands = alert if alert["state"] != "closed" else None
        for under in dict.fromkeys((audience, "surveillance")):
            await self.say(f"alerts/{under}/{name}", stands)
        for under in dict.fromkeys((audience, "surveillance")):
            await self.say(f"log/{under}", alert, retain=False)


@asynccontextmanager
async def at_broker(port: int, name: str, *, beats: bool = True) -> AsyncIterator[ScriptedTable]:
    """A table that lives, obeys, and is gone at the end with all that it left at the broker.

    Without `beats` it says that it lives only when it is told to.
    """
    async with aiomqtt.Client(
        "127.0.0.1", port, identifier=f"t-{name}", protocol=aiomqtt.ProtocolVersion.V5
    ) as client:
        table = ScriptedTable(name, client)
        await client.subscribe(f"floorcall/v1/{SITE}/{name}/command/#", qos=1)
        await table.furnish()
        tasks = [asyncio.create_task(_listen(table, client))]
        if beats:
            tasks.append(asyncio.create_task(_beat(table)))
        try:
            yield table
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for alert in table.alerts:
                for under in ("floor", "maintenance", "surveillance"):
                    await table.say(f"alerts/{under}/{alert}", None)
            for kind in ("status", "hand", "coverage", "sensors/felt"):
                await table.say(kind, None)


async def _beat(table: ScriptedTable) -> None:
    while True:
        await asyncio.sleep(BEAT_S)
        await table.beat()


async def _listen(table: ScriptedTable, client: aiomqtt.Client) -> None:
    async for message in client.messages:
        order = json.loads(message.payload)
        properties = message.properties
        response = getattr(properties, "ResponseTopic", None)
        correlation = getattr(properties, "CorrelationData", None)
        if order.get("command") == "resend":
            continue
        await table.orders.put(order)
        await table.obey(order, response, correlation)
