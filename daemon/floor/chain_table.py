"""The virtual table of the chain's test: a client of its own, which says one line now and then.

Its name begins with a dot, which no table's can. Its line is an alert for the floor like any other,
so that it goes the way that an alert goes; it is not retained, and everybody passes it over.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Protocol

import msgspec
import structlog

from daemon.alarms.alert import Alert, Text, Window, line
from daemon.edges.mqtt import Account
from daemon.edges.mqtt.calling import WORLD
from daemon.floor.dial import Dialler, say
from daemon.floor.instant import Instant, iso
from daemon.messages import Message, Topics

TABLE = ".chain-test"
IRREGULARITY = "chain-test"
FIRST_S = 3.0  # the floor's own ear is as new

log = structlog.get_logger(part="chain")


class _Said(msgspec.Struct):
    id: str = ""


class ChainTable:
    """What the virtual table says, and what of it comes back; `boot` tells it from another's."""

    def __init__(self, site: str, boot: str) -> None:
        self.topic = Topics(site, TABLE).at("log", "floor")
        self._boot = boot

    def words(self, number: int, now: Instant) -> bytes:
        """The test alert of this number."""
        title = Text("Test of the chain", "Nothing is wrong: this line tests the way of alerts", ())
        return line(
            Alert(
                id=f"{TABLE}:{self._boot}:{number}",
                revision=1,
                table=TABLE,
                hand="-",
                irregularity=IRREGULARITY,
                state="raised",
                final=True,
                seen=True,
                severity="low",
                audience="floor",
                street="deck",
                subject="table",
                seats=(),
                cards=(),
                at_ms=0,
                known_ms=0,
                at=iso(now.at),
                rulebook="",
                cite="",
                unconfirmed=False,
                window=Window("until-hand-over", None),
                remedy=(),
                text={"en": title},
                evidence=(),
            )
        )

    def number(self, topic: str, payload: bytes) -> int | None:
        """The number of the test that has come back with this message; None where it is none."""
        if topic != self.topic:
            return None
        try:
            alert = msgspec.json.decode(payload, type=_Said).id
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        start = f"{TABLE}:{self._boot}:"
        number = alert.removeprefix(start)
        is_ours = alert.startswith(start) and number.isdecimal() and len(number) < 16
        return int(number) if is_ours else None


class Tests(Protocol):
    """Who says when a test begins, and is told where one could not."""

    def chain_begins(self) -> tuple[int, bytes]:
        """A new test: its number, and the words to be said."""
        ...

    def chain_failed(self, number: int) -> None:
        """They could not be said."""
        ...


async def talk(account: Account, topic: str, tests: Tests, every_s: float) -> None:
    """Say a test alert every so many seconds, until cancelled: each on a connection of its own."""
    dialler = Dialler(account, f"{account.client}-chain-{secrets.token_hex(3)}")
    await asyncio.sleep(min(FIRST_S, every_s))
    told = ""
    while True:
        number = None
        try:
            client = await dialler.call()
            try:
                number, words = tests.chain_begins()
                await say(client, Message(topic, words))
                dialler.farewell(client)
            finally:
                await dialler.left(client)
            told = ""
        except WORLD as error:
            tests.chain_failed(tests.chain_begins()[0] if number is None else number)
            why = dialler.why(error)["words"]
            if why != told:
                log.warning("virtual table has no broker", reason=why)
            told = why
        await asyncio.sleep(every_s)
