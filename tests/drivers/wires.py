"""What the tests of decoders do with bytes and readings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from drivers.driver import Decoder
from drivers.readings import Garbled, Reading


def heard(decoder: Decoder, *chunks: bytes) -> list[Reading]:
    """All that these bytes say, in this cut."""
    return [reading for chunk in chunks for reading in decoder.feed(chunk)]


def news(readings: list[Reading]) -> list[Reading]:
    """What is no dirt."""
    return [reading for reading in readings if not isinstance(reading, Garbled)]


def bytewise(sent: bytes) -> list[bytes]:
    """The same bytes, one at a time."""
    return [bytes((byte,)) for byte in sent]


def vectors(protocol: str) -> dict[str, dict[str, Any]]:
    """The wire examples of a protocol by their ids (tests/vectors/README.md)."""
    text = (Path(__file__).parents[1] / "vectors" / "vectors.json").read_text("utf-8")
    return {one["id"]: one for one in json.loads(text)["vectors"] if one["protocol"] == protocol}
