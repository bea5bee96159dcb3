"""Good frames for every driver of the catalogue, out of tests/vectors: what it can read of them.

A new driver needs no line here: whatever vector its decoder reads is its own. A driver that reads
none of them fails the test that asks for some.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from drivers.catalog import DRIVERS
from drivers.driver import Driver
from tests.drivers.wires import heard, news

ROWS = {row.name: row for row in DRIVERS}
VECTORS = tuple(
    bytes.fromhex(row["hex"])
    for row in json.loads(
        (Path(__file__).parents[1] / "vectors" / "vectors.json").read_text("utf-8")
    )["vectors"]
)


# A Feig reader answers in the form in which it is asked, and we ask in the advanced one. In a stream
# of both a standard frame may be lost to an advanced one behind it (drivers/feig_frames.py).
_ADVANCED = b"\x02"


@cache
def frames(name: str) -> tuple[bytes, ...]:
    """The vectors that this driver reads, alone and out of a fresh decoder."""
    row = ROWS[name]
    read = tuple(one for one in VECTORS if news(heard(row.decoder(), one)))
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
    once = news(heard(row.decoder(), frame))
    return news(heard(row.decoder(), frame, frame, frame)) == once * 3
