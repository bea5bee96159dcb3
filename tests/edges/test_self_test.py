"""Access rules that refuse some of a table's words: found out, named level by level, told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt
import pytest
from structlog.testing import capture_logs

from daemon.access import Access
from daemon.edges.mqtt import Account, Link
from daemon.edges.mqtt import link as mqtt
from daemon.edges.outbox import NoShelf, Outbox
from daemon.messages import Address, Heard, Message, Topics
from tests.edges.conftest import PATIENCE_S
from tests.house import V5, V311, WITNESS, House, running_house

TOPICS = Topics("venezia", "poker-12")
AUDIENCES = ("floor", "log", "maintenance", "surveillance")
ALERTS = [f"alerts/{audience}" for audience in AUDIENCES]
LOGS = [f"log/{audience}" for audience in AUDIENCES]
VERSIONS = pytest.mark.parametrize("version", [V5, V311], ids=["5", "3.1.1"])


class Table:
    """A table with a link of this version of MQTT, and what is said to it."""

    topics = TOPICS

    def __init__(self, house: House, version: aiomqtt.ProtocolVersion, folder: Path) -> None:
        (folder / "password").write_text("poker-12")
        access = Access(username="poker-12", password_file=folder / "password")
        address = Address("127.0.0.1", house.plain, tls=False)
        account = Account(addresses=(address,), client="poker-12", access=access)
        self.outbox = Outbox(NoShelf())
        self.words: list[Heard] = []
        self.link = Link(account, self.outbox, self, "b1")
        self.link._caller._speaks[address] = version

    def status(self, state: str) -> Message:
        return Message(TOPICS.at("status"), state.encode(), retain=True)

    def heard(self, words: Heard) -> None:
        self.words.append(words)

    async def until(self, true: object) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not true():  # noqa: ASYNC110 - nothing tells when a link has changed its mind
                await asyncio.sleep(0.005)


@asynccontextmanager
async def running(
    house: House, version: aiomqtt.ProtocolVersion, folder: Path
) -> AsyncIterator[Table]:
    table = Table(house, version, folder)
    task = asyncio.create_task(table.link.run())
    try:
        yield table
    finally:
        table.link.stop()
        async with asyncio.timeout(PATIENCE_S):
            await task


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path / "house") as one:
        yield one


MINE = "floorcall/v1/+/%u"


def rules(house: House, *changes: tuple[str, str]) -> None:
    """Take the shipped rules with these lines changed; the broker reads them anew."""
    house.write()
    text = house.acl.read_text()
    for shown, instead in changes:
        assert f"\n{shown}\n" in text, shown
        text = text.replace(f"\n{shown}\n", f"\n{instead}\n")
    house.acl.write_text(text)
    house.read_anew()


def writes(*levels: str) -> tuple[str, str]:
    """The table may write these levels only."""
    return f"pattern write {MINE}/#", "\n".join(f"pattern write {MINE}/{each}" for each in levels)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mqtt, "ECHO_S", 0.5)


@pytest.mark.usefixtures("impatient")
@VERSIONS
@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ([(f"pattern read {MINE}/status", "")], ["status"]),
        ([(f"pattern read {MINE}/alerts/#", "")], ALERTS),
        ([(f"pattern read {MINE}/log/#", "")], LOGS),
        ([writes("status", "alerts/#", "sensors/#")], LOGS),
        ([writes("status", "log/#", "sensors/#")], ALERTS),
        ([writes("alerts/#", "log/#", "sensors/#")], ["status"]),
        ([writes("status", "alerts/floor/#", "log/floor/#")],
         [each for each in (*ALERTS, *LOGS) if not each.endswith("floor")]),
        ([writes("status", "log/#", "alerts/floor/#", "alerts/log/#", "alerts/maintenance/#")],
         ["alerts/surveillance"]),
        ([writes("status")], [*ALERTS, *LOGS]),
    ],
    ids=["no-status-back", "no-alerts-back", "no-log-back", "no-log", "no-alerts", "no-status",
         "floor-only", "not-surveillance", "status-only"],
)  # fmt: skip
async def test_what_the_rules_swallow_is_named(
    house: House, tmp_path: Path, version: aiomqtt.ProtocolVersion,
    changes: list[tuple[str, str]], missing: list[str],
) -> None:  # fmt: skip
    rules(house, *changes)
    with capture_logs() as log:
        async with running(house, version, tmp_path) as table:
            await table.until(lambda: table.link.trouble == mqtt.UNPROVEN)
    (told,) = [e for e in log if e["event"] == "own messages do not come back"]
    assert told["levels"] == ", ".join(sorted(missing))


@VERSIONS
async def test_the_shipped_rules_swallow_nothing(
    house: House, tmp_path: Path, version: aiomqtt.ProtocolVersion
) -> None:
    with capture_logs() as log:
        async with running(house, version, tmp_path) as table:
            await table.until(lambda: table.link.trouble is None)
            await table.until(lambda: not len(table.outbox))
            left = TOPICS.at("alerts", "floor", "left-by-an-earlier-run")
            async with house.client(WITNESS) as witness:
                await witness.publish(left, b"x", qos=1, retain=True)
                await witness.subscribe(left)
                assert (await anext(witness.messages)).payload == b"x"
        async with running(house, version, tmp_path) as table, house.client(WITNESS) as witness:
            await witness.subscribe(left)
            async with asyncio.timeout(PATIENCE_S):
                while (await anext(witness.messages)).payload != b"":
                    pass  # only where all is proven what no longer stands is cleared
    assert {entry["event"] for entry in log} == {"broker connected"}


@VERSIONS
async def test_who_gave_an_order_and_that_it_is_to_be_retained_is_told(
    house: House, tmp_path: Path, version: aiomqtt.ProtocolVersion
) -> None:
    """Under 3.1.1 a broker says that a message is retained to those who come later only."""
    async with house.client(WITNESS) as witness, running(house, version, tmp_path) as table:
        await witness.subscribe("#")
        async with asyncio.timeout(PATIENCE_S):  # it probes once it listens to orders
            while not str((await anext(witness.messages)).topic).endswith("self-test"):
                pass
        async with house.client("anna") as anna:
            for who in ("anna", "berto", "floor"):
                await anna.publish(TOPICS.at("command", who), who.encode(), qos=1)
            await anna.publish(TOPICS.at("command"), b"nobody", qos=1)
        async with house.client("floor") as floor:
            await floor.publish(TOPICS.at("command", "floor"), b"kept", qos=1, retain=True)
        await table.until(lambda: len(table.words) == 2)
    first = [(heard.via, heard.payload, heard.retained) for heard in table.words]
    assert first == [("anna", b"anna", False), ("floor", b"kept", version is V5)]
    async with running(house, version, tmp_path) as table:
        await table.until(lambda: table.words)
    assert [(heard.via, heard.retained) for heard in table.words] == [("floor", True)]
