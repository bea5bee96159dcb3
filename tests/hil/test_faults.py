"""What goes wrong on a line, one thing at a time: a port recovers, and no byte becomes another."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Event

import pytest

from drivers import csl1
from drivers.driver import Driver
from drivers.framing import line
from drivers.port import Pauses
from drivers.port import port as port_module
from drivers.port.opening import Line
from drivers.port.reasons import HUNG_UP, SILENT
from drivers.readings import CardDrawn, Garbled, Reading, Started
from drivers.simulated.csl1 import Shoe
from drivers.simulated.noise import Chancy, CutShort, Holed, WrongBaud, nothing
from drivers.simulated.rig import Faults, Rig, on_pty, on_tcp
from tests.hil.record import PLAIN, SOON_S, Lines, Record, listening

KINDS = ("pty", "tcp")
TURNS = 20
ONCE = Pauses(first_s=30, most_s=30)
HOLD = "import serial, sys; it = serial.Serial(sys.argv[1], exclusive=True); print(1, flush=True)"
BUSY = "busy: something else has it open"


class Teller:
    """A device that says what it is given, at once."""

    next_ms = None

    def __init__(self) -> None:
        self.unsaid = b""

    def hear(self, data: bytes, now_ms: int) -> bytes:  # noqa: ARG002
        return b""

    def wake(self, now_ms: int) -> bytes:  # noqa: ARG002
        said, self.unsaid = self.unsaid, b""
        return said


def rig_of(kind: str, folder: Path, faults: Faults | None = None) -> Rig:
    return on_pty(folder / "port", faults) if kind == "pty" else on_tcp(faults)


async def connected(rig: Rig) -> None:
    async with asyncio.timeout(SOON_S):
        while not rig.is_connected:  # noqa: ASYNC110 - the rig tells nobody
            await asyncio.sleep(0)


def read(record: Record) -> list[Reading]:
    return csl1.DRIVER.decoder().feed(bytes(record.heard))


def drawn(record: Record) -> list[Reading]:
    return [one for one in read(record) if isinstance(one, CardDrawn)]


# --- frames cut and joined -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
async def test_a_frame_that_comes_in_two_pieces_a_while_apart_is_read_once(
    kind: str, tmp_path: Path
) -> None:
    card = line("CARD,4,10710,2,TD,95,O")
    async with rig_of(kind, tmp_path) as rig:
        await rig.plug(Teller())
        async with listening(rig.address, csl1.DRIVER) as record:
            await record.until(lambda: record.news == ["back"])
            await connected(rig)
            rig.utter(card[:3])
            await record.until(lambda: record.heard == card[:3])
            await asyncio.sleep(0.3)
            rig.utter(card[3:])
            await record.until(lambda: len(record.heard) == len(card))
    assert read(record) == [CardDrawn(2, "Td", quality=95)]
    assert record.calls == 2


@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_said_within_a_latency_timer_comes_as_one(kind: str, tmp_path: Path) -> None:
    teller = Teller()
    async with rig_of(kind, tmp_path, Faults(joined_ms=50)) as rig:
        await rig.plug(teller)
        async with listening(rig.address) as record:
            await record.until(lambda: record.news == ["back"])
            await connected(rig)
            for word in (b"one ", b"two ", b"three"):
                teller.unsaid = word
                rig.poke()
            await record.until(lambda: record.heard == b"one two three")
    assert record.calls == 1


async def test_what_a_line_does_can_change_while_it_is_open(tmp_path: Path) -> None:
    teller = Teller()
    async with on_pty(tmp_path / "port", Faults(joined_ms=20)) as rig:
        await rig.plug(teller)
        async with listening(rig.address) as record:
            await record.until(lambda: record.news == ["back"])
            for number, faults in enumerate(
                (
                    Faults(piece_bytes=1, gap_ms=2),
                    Faults(),
                    Faults(noise=lambda: CutShort(2)),
                    Faults(noise=lambda: nothing),
                    Faults(),
                )
            ):
                teller.unsaid = b"%d.." % number
                rig.poke()
                rig.spoil(faults)
            teller.unsaid = b"5.."
            rig.poke()
            await record.until(lambda: record.heard.endswith(b"5.."))
    assert record.heard == b"0..1..2..3.5.."


# --- bytes lost, turned and made up --------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "noise",
    [lambda: Chancy(60, Random(3).random), lambda: Holed(90), lambda: CutShort(11)],
    ids=["chancy", "holed", "cut"],
)
async def test_cards_come_complete_and_in_order_though_bytes_are_lost(
    kind: str, noise: Callable[[], object], tmp_path: Path
) -> None:
    """What was lost is asked for again; each card is told once, or said to be lost."""
    shoe, cards = Shoe(), ("As", "Td", "2c", "Kh", "9d", "7s")
    async with rig_of(kind, tmp_path) as rig:
        await rig.plug(shoe)
        async with listening(rig.address, csl1.DRIVER) as record:
            await record.until(lambda: any(isinstance(one, Started) for one in read(record)))
            rig.spoil(Faults(noise=noise))
            for card in cards:
                shoe.draw(card)
                rig.poke()
                await asyncio.sleep(0)
            await asyncio.sleep(0.1)
            rig.spoil(Faults())
            await record.until(lambda: len(drawn(record)) == len(cards), within_s=3 * SOON_S)
            assert [one.card for one in drawn(record)] == list(cards)


async def test_a_device_at_another_speed_says_nothing_that_is_read(tmp_path: Path) -> None:
    shoe = Shoe()
    faults = Faults(
        noise=lambda: WrongBaud(9600, 115200), noise_back=lambda: WrongBaud(115200, 9600)
    )
    async with on_pty(tmp_path / "port", faults) as rig:
        await rig.plug(shoe)
        async with listening(rig.address, csl1.DRIVER) as record:
            shoe.draw("As")
            rig.poke()
            await record.until(lambda: len(record.heard) > 200)
            assert not [one for one in read(record) if not isinstance(one, Garbled)]
            rig.spoil(Faults())
            shoe.draw("Td")
            rig.poke()
            await record.until(lambda: bool(drawn(record)))
    assert [one.card for one in drawn(record)] == ["Td"]


async def test_a_flood_is_read_in_turns_and_nobody_waits_for_its_end() -> None:
    teller, other = Teller(), Teller()
    flood = bytes(range(256)) * 4000
    async with on_tcp() as rig, on_tcp() as quiet:
        await rig.plug(teller)
        await quiet.plug(other)
        async with listening(rig.address) as record, listening(quiet.address) as calm:
            await record.until(lambda: record.news == ["back"])
            await calm.until(lambda: calm.news == ["back"])
            await connected(rig)
            await connected(quiet)
            rig.utter(flood)
            other.unsaid = b"Td\n"
            quiet.poke()
            await calm.until(lambda: calm.heard == b"Td\n")
            assert len(record.heard) < len(flood)
            await record.until(lambda: len(record.heard) == len(flood))
    assert record.heard == flood


# --- a port that is stuck, gone, or somebody else's ----------------------------------------------


async def test_a_reset_connection_is_a_hang_up_and_opened_anew() -> None:
    async with on_tcp() as rig:
        await rig.plug(Teller())
        async with listening(rig.address) as record:
            await record.until(lambda: record.news == ["back"])
            await connected(rig)
            await rig.unplug(abrupt=True)
            await record.until(lambda: record.news == ["back", HUNG_UP])
            await rig.replug()
            await record.until(lambda: record.news == ["back", HUNG_UP, "back"])


async def test_a_link_that_is_open_and_dead_is_lost_and_taken_again_when_it_speaks() -> None:
    """A bridge that is gone without a word and whose address somebody else's machine keeps up."""
    beating = Driver(name="beating", title="must speak", decoder=Lines, silent_after_ms=100)
    stuck = Faults(noise=lambda: nothing, noise_back=lambda: nothing)
    teller = Teller()
    async with on_tcp() as rig:
        await rig.plug(teller)
        async with listening(rig.address, beating) as record:
            await record.until(lambda: record.news == ["back"])
            await connected(rig)
            rig.spoil(stuck)
            await record.until(lambda: record.news == ["back", SILENT])
            rig.spoil(Faults())
            async with asyncio.timeout(SOON_S):
                while record.news == ["back", SILENT]:
                    teller.unsaid = b"beat\n"
                    rig.poke()
                    await asyncio.sleep(0.02)
    assert record.news == ["back", SILENT, "back"]


async def test_a_port_that_another_process_has_is_busy_and_taken_once_it_is_let_go(
    tmp_path: Path,
) -> None:
    async with on_pty(tmp_path / "port") as rig:
        await rig.plug(Teller())
        other = await asyncio.create_subprocess_exec(
            sys.executable, "-c", f"{HOLD}; sys.stdin.read()", rig.address,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert await asyncio.wait_for(other.stdout.readline(), 3 * SOON_S) == b"1\n"
        async with listening(rig.address) as record:
            await record.until(lambda: record.news == [BUSY])
            rig.utter(b"theirs")
            other.stdin.close()
            await other.wait()
            await record.until(lambda: record.news == [BUSY, "back"])
    assert record.heard == b""


async def test_the_loop_turns_while_a_port_takes_its_time_to_close(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As closing a tty at 9600 does that still has to say something."""
    closing, may_close = asyncio.Event(), Event()
    loop = asyncio.get_running_loop()
    open_line = port_module.open_line

    def slow(address: str, driver: Driver) -> Line:
        opened = open_line(address, driver)

        def close() -> None:
            loop.call_soon_threadsafe(closing.set)
            assert may_close.wait(SOON_S)
            opened.close()

        return replace(opened, close=close)

    monkeypatch.setattr(port_module, "open_line", slow)
    async with on_pty(tmp_path / "port") as rig:
        await rig.plug(Teller())
        async with listening(rig.address, PLAIN, pauses=ONCE) as record:
            await record.until(lambda: record.news == ["back"])
            await rig.unplug()
            await closing.wait()
            for _ in range(TURNS):  # a close on the loop would never let it come so far
                await asyncio.sleep(0.001)
            assert record.news == ["back", HUNG_UP]
            may_close.set()
