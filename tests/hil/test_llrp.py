"""An LLRP reader on TCP, cut into pieces; one whose lengths are wrong is opened again."""

from __future__ import annotations

from dataclasses import replace

from drivers.llrp import DRIVER
from drivers.port.reasons import SILENT
from drivers.readings import Reading, TagSeen
from drivers.simulated.llrp import SimulatedLlrp
from drivers.simulated.rig import Faults, on_tcp
from tests.hil.record import Record, listening

AS, KD = "3005fb63ac1f3841ec880467", "1fb41f712ac9c37ab79d618173188324001a"
QUICK = replace(DRIVER, silent_after_ms=1000)


def read(record: Record) -> list[Reading]:
    return DRIVER.decoder().feed(bytes(record.heard))


async def test_tags_are_told_over_tcp_in_pieces() -> None:
    reader = SimulatedLlrp()
    async with on_tcp(Faults(piece_bytes=7)) as rig:
        await rig.plug(reader)
        async with listening(rig.address, DRIVER, (1, 2)) as record:
            reader.lay(AS, 1, -44)
            reader.lay(KD, 2, -61)
            wanted = {TagSeen(1, AS, -44), TagSeen(2, KD, -61)}
            await record.until(lambda: wanted <= set(read(record)))
    assert record.news == ["back"]


async def test_a_reader_whose_lengths_are_wrong_is_silent_and_opened_again() -> None:
    reader = SimulatedLlrp()
    reader.lay(AS, 1)
    async with on_tcp() as rig:
        await rig.plug(reader)
        async with listening(rig.address, QUICK, (1,)) as record:
            await record.until(lambda: TagSeen(1, AS, -50) in read(record))
            reader.faults.lengths_broken = 1
            await record.until(lambda: record.news == ["back", SILENT])
            record.heard.clear()
            await record.until(lambda: TagSeen(1, AS, -50) in read(record))
    assert record.news == ["back", SILENT, "back"]
