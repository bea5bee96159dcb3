"""Good frames for every driver of the catalogue, out of tests/vectors: what it can read of them.

A new driver needs no line here: whatever vector its decoder reads is its own. One that reads none
of them fails the test that asks for some, and gets a line in `MORE`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from drivers.catalog import DRIVERS
from drivers.driver import Driver
from drivers.readings import CardDrawn, Reading
from drivers.simulated.wedge import SimulatedWedge
from tests.drivers.wires import heard, news

ROWS = {row.name: row for row in DRIVERS}
VECTORS = tuple(
    bytes.fromhex(row["hex"])
    for row in json.loads(
        (Path(__file__).parents[1] / "vectors" / "vectors.json").read_text("utf-8")
    )["vectors"]
)


def typed(text: str, *, pad: bool = False) -> bytes:
    """What the kernel tells of a keyboard that types this."""
    wedge = SimulatedWedge(pad=pad)
    wedge.type(text)
    return wedge.wake(0)


MORE: dict[str, tuple[bytes, ...]] = {  # of wedges the vectors have what is typed
    "camera": (
        b'{"v":1,"cards":[{"card":"As","conf":0.97,"zone":"board"}]}\n',
        b'{"v":1,"src":"cam1","t":51200,"cards":[]}\n',
        b'{"v":1,"frame":512,"cards":[{"card":"Kd","conf":0.9,"zone":"seat:4"}]}\n',
    ),
    "wedge-card": (typed("1010\n"), typed("413\n0204\n")),
    "wedge-keys": (typed("1010\n", pad=True), typed("*", pad=True), typed("-", pad=True)),
    "wedge-tag": (typed("0012345678\n"),),
}

# A Feig reader answers in the form in which it is asked, and we ask in the advanced one. Where a
# line has both, a standard frame may be lost to an advanced one behind it (drivers/feig_frames.py).
_ADVANCED = b"\x02"


@cache
def frames(name: str) -> tuple[bytes, ...]:
    """The vectors that this driver reads, alone and out of a fresh decoder."""
    row = ROWS[name]
    candidates = (*VECTORS, *MORE.get(name, ()))
    read = tuple(one for one in candidates if news(heard(row.decoder(), one)))
    advanced = tuple(one for one in read if one.startswith(_ADVANCED))
    return advanced if name.startswith("feig") and advanced else read


@cache
def repeatable(name: str) -> tuple[bytes, ...]:
    """Of those the ones that say the same however often they are said.

    A numbered event is not: said twice it is a duplicate.
    """
    row = ROWS[name]
    return tuple(one for one in frames(name) if _again(row, one))


def _again(row: Driver, frame: bytes) -> bool:
    once = said(heard(row.decoder(), frame))
    return said(heard(row.decoder(), frame, frame, frame)) == once * 3


def said(readings: list[Reading]) -> list[Reading]:
    """The news of them, without the numbers that a decoder gives itself."""
    return [replace(one, n=0) if isinstance(one, CardDrawn) else one for one in news(readings)]
