"""The words of tests/hil/scenarios beside those of the table: what the lines do, and when.

    line   SENSOR unplug      hang up; `reset` the same, over TCP by a reset and not an end of file
    line   SENSOR plug        plugged in again, a pty under another number
    line   SENSOR FAULT       from now on: a row of FAULTS; `whole` ends it
    line   shoe counts 65530 4294960000    where its numbers and its time begin, before the hand
    line   shoe drop 2        its next two lines do not reach the host; `console` too
    line   shoe restart       it loses power for a moment; `console` and the readers at seats too
    line   SENSOR short 9     of what it says next only nine bytes get out, and then it restarts
    line   SENSOR flood 30    30 kB of noise at once
    told   SENSOR lost        wait until the daemon has told so of it (ok, lost, silent; `seats`)
    pause  900                wait so many milliseconds, which no haste takes off
    unseen                    the hand is marked as not fully seen; without it, as seen

SENSOR is `shoe`, `console`, `felt`, `seat-N`, or `all`. A reader that is not there cannot be waited
for: what is done at its antenna meanwhile is given half a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from daemon.demo.live import LiveTable
from drivers.simulated.csl1 import Shoe
from drivers.simulated.keypad import Keypad
from drivers.simulated.noise import Chancy, CutShort, Holed, Losing, WrongBaud, nothing
from drivers.simulated.pn532 import SimulatedPn532
from drivers.simulated.rig import Faults
from tests.scenario import Step

KILO = 1000
NOISE = bytes(range(256)) * 4

FAULTS = {
    "whole": Faults(),
    "dirty": Faults(before=b"\x00\xff$", between=b"\r\n$$\x80\x00\x00\xff", after=b"$CARD,"),
    "split": Faults(piece_bytes=3, gap_ms=1),
    "bytewise": Faults(piece_bytes=1),
    "drip": Faults(piece_bytes=1, gap_ms=2),
    "joined": Faults(joined_ms=16),  # an FTDI's latency timer
    "losing": Faults(noise=lambda: Losing(607)),
    "chancy": Faults(noise=lambda: Chancy(1500, Random(7).random)),
    "holed": Faults(noise=lambda: Holed(800)),
    "wrong-baud": Faults(
        noise=lambda: WrongBaud(9600, 115200), noise_back=lambda: WrongBaud(115200, 9600)
    ),
    "stuck": Faults(noise=lambda: nothing, noise_back=lambda: nothing),
}
SPOILING = set(FAULTS) - {"whole", "dirty", "split", "bytewise", "joined"}


class Lines:
    """The lines of one live table; `away` has the sensors that cannot be waited for."""

    def __init__(self, live: LiveTable) -> None:
        self.away: set[str] = set()
        self.spoilt: set[str] = set()
        self._live = live

    def fit(self, steps: list[Step]) -> None:
        """What must be so before anything is plugged in."""
        for step in steps:
            match (step.verb, *step.words):
                case ("line", "shoe", "counts", seq, up_ms):
                    self._live.devices.shoe = Shoe(seq=int(seq), up_ms=int(up_ms))

    async def do(self, words: tuple[str, ...]) -> None:
        """One `line` of the scenario."""
        for sensor in self._named(words[0]):
            await self._at(sensor, *words[1:])

    def _named(self, word: str) -> Iterator[str]:
        yield from self._live.rigs if word == "all" else [word]

    async def _at(self, sensor: str, verb: str, *words: str) -> None:
        rig, device = self._live.rigs[sensor], self._live.devices.named()[sensor]
        match (verb, *words):
            case ("unplug" | "reset",):
                self.away.add(sensor)
                await rig.unplug(abrupt=verb == "reset")
            case ("plug",):
                self.away.discard(sensor)
                await rig.replug()
            case (fault,) if fault in FAULTS:
                is_away = fault in ("stuck", "wrong-baud")
                (self.away.add if is_away else self.away.discard)(sensor)
                (self.spoilt.add if fault in SPOILING else self.spoilt.discard)(sensor)
                rig.spoil(FAULTS[fault])
            case ("drop", count) if isinstance(device, Shoe | Keypad):
                device.line.drop_next = int(count)
            case ("restart",):
                restart(device)
            case ("short", kept):
                rig.spoil(Faults(noise=lambda: CutShort(int(kept))))
                if isinstance(device, Shoe | Keypad):
                    device.line.greet()
                rig.poke()
                restart(device)
            case ("flood", kilos):
                for _ in range(int(kilos) * KILO // len(NOISE)):
                    rig.utter(NOISE)
            case ("counts", *_):
                pass
            case _:
                raise LookupError(f"no such line: {sensor} {verb} {' '.join(words)}")
        rig.poke()


def restart(device: object) -> None:
    match device:
        case Shoe() | Keypad():
            device.restart()
        case SimulatedPn532():
            device.hang()
        case _:
            raise LookupError("it cannot be restarted")
