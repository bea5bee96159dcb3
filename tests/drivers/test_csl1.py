"""The card shoe: its vectors, and what its lines say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drivers.catalog import DRIVERS
from drivers.csl1 import DRIVER
from drivers.framing import line
from drivers.lines import GREET, PING, Greet, Ping, Resend, order
from drivers.readings import (
    Acked,
    Beat,
    CardDrawn,
    CardPushedBack,
    CutCardCame,
    DeviceFault,
    Garbled,
    KeyPressed,
    LidMoved,
    Reading,
    ShoeEmpty,
    ShoeLoaded,
    Shuffled,
    Started,
)

VECTORS = {
    row["id"]: row
    for row in json.loads((Path(__file__).parents[1] / "vectors" / "vectors.json").read_text())[
        "vectors"
    ]
    if row["protocol"] == "csl1"
}
SAID: dict[str, list[Reading]] = {
    "csl1-001": [Started("ACME OPTISHOE", "1.4.2", "5F3A91C2")],
    "csl1-002": [ShoeLoaded(52)],
    "csl1-003": [LidMoved(is_open=False)],
    "csl1-004": [CardDrawn(1, "As", quality=98)],
    "csl1-005": [CardDrawn(2, "Td", quality=95)],
    "csl1-006": [CardDrawn(3, None, quality=0)],
    "csl1-007": [CardDrawn(4, None, foreign=True, quality=90)],
    "csl1-008": [],
    "csl1-009": [CardPushedBack(4)],
    "csl1-010": [CutCardCame(39)],
    "csl1-011": [LidMoved(is_open=True)],
    "csl1-012": [DeviceFault(2, "error", "double feed")],
    "csl1-013": [Shuffled("done", 51)],
    "csl1-014": [KeyPressed("call")],
    "csl1-015": [Beat("RUN")],
    "csl1-016": [CardDrawn(17, "2c", quality=99)],
    "csl1-017": [CardDrawn(18, "2d", quality=99)],
    "csl1-018": [],
    "csl1-019": [],
    "csl1-020": [],
    "csl1-021": [CutCardCame(39)],
}
DIRT = [
    b"", b"\x00\xff\x80", b"\r\n", b"$", b"$$$", b"$CARD,3,10250,", b"$CARD,3,10250,1,AS*",
    b"*B3C3", b"$" + b"A" * 200, b"$CARD,3,10250,1,KS,98,O*B3C3", bytes(range(256)),
]  # fmt: skip


def heard(*chunks: bytes) -> list[Reading]:
    decoder = DRIVER.decoder()
    return [reading for chunk in chunks for reading in decoder.feed(chunk)]


def sense(readings: list[Reading]) -> list[Reading]:
    return [reading for reading in readings if not isinstance(reading, Garbled)]


def cut(seq: int, t_ms: int | None = None) -> bytes:
    return line(f"CUT,{seq},{seq * 100 if t_ms is None else t_ms},{seq % 1000 + 1}")


def test_every_vector_of_the_shoe_is_tried():
    assert VECTORS.keys() == SAID.keys()


@pytest.mark.parametrize("dirt", DIRT)
@pytest.mark.parametrize("row", VECTORS.values(), ids=VECTORS.keys())
def test_every_vector_is_read_whole_and_byte_by_byte_with_dirt_around_it(row, dirt):
    stream, said = bytes.fromhex(row["hex"]), SAID[row["id"]]
    seq = row["fields"].get("seq", row["fields"].get("last_seq", 9))
    after = line(f"LID,{(seq + 1) % 65536},{row['fields'].get('t', 70000)},C")
    whole = dirt + stream + dirt + after + dirt
    readings = heard(whole)
    assert sense(readings) == [*said, LidMoved(is_open=False)]
    assert heard(*(bytes([byte]) for byte in whole)) == readings
    dropped = [reading for reading in heard(stream + b"$") if isinstance(reading, Garbled)]
    assert len(dropped) == (1 if row["expect"] == "reject" else 0)


def test_the_host_s_lines_are_understood_and_say_nothing_of_the_shoe():
    assert order(VECTORS["csl1-018"]["note"][1:-5]) == Resend(5, 7)
    assert (order(PING), order(GREET), order("RSND,5,70000")) == (Ping(), Greet(), None)
    assert heard(line("RSND,5,7"), line(PING), line(GREET)) == []


@pytest.mark.parametrize(
    ("said", "reading"),
    [
        ("EMPT,5,100", ShoeEmpty()),
        ("EMPT,5,100,-", ShoeEmpty()),
        ("LOAD,5,100,416,later", ShoeLoaded(416)),
        ("SHUF,5,100,START", Shuffled("start")),
        ("SHUF,5,100,FAIL,", Shuffled("fail")),
        ("NAK,5,100,bad sum", Acked(ok=False)),
        ("CARD,5,100,1000,2C,100,R", CardDrawn(1000, "2c")),
        ("ERR,5,100,77,I,KS is marked", DeviceFault(77, "info")),
        ("ERR,5,100,05,W,same card twice: KS", DeviceFault(5, "warning", "same card twice")),
        ("HB,5,100,DREAMING,3", Beat()),
        ("HB,5,100", Beat()),
    ],
)
def test_what_the_vectors_leave_open_is_read(said, reading):
    assert heard(line(said)) == [reading]


@pytest.mark.parametrize(
    "said",
    [
        "CARD,5,100,0,AS,98,O", "CARD,5,100,1001,AS,98,O", "CARD,5,100,1,AX,98,O",
        "CARD,5,100,1,AS,101,O", "CARD,5,100,1,AS,98,Q", "CARD,5,100,1,as,98,O", "CARD,5,100,1,AS",
        "LOAD,5,100,1001", "LOAD,5,100", "BACK,5,100,-1", "LID,5,100,X", "SHUF,5,100,DONE,many",
        "BTN,5,100,call", "ERR,5,100,2,X", "HELO,5,100,KPD1,5F3A91C2,A,B,C,D", "WHAT,5,100",
        "HELO,5,100,CSL1,boot,A,B,C,D",
    ],
)  # fmt: skip
def test_an_event_that_makes_no_sense_is_told_and_uses_its_number(said):
    [garbled, card_after] = heard(line(said), cut(6))
    assert isinstance(garbled, Garbled)
    assert garbled.data == said.encode()
    assert card_after == CutCardCame(7)


@pytest.mark.parametrize(
    "said",
    ["CARD", "CARD,x,100,1", "CUT,65536,100,1", "CUT,5,4294967296,1", "cut,5,100,1", "A,5,1"],
)
def test_a_line_without_number_or_time_is_told_and_counts_for_none(said):
    assert heard(cut(5), line(said), cut(6)) == [
        CutCardCame(6), Garbled("no message", said.encode()), CutCardCame(7),
    ]  # fmt: skip


def test_the_raw_code_behind_a_card_goes_no_further_and_uses_its_number():
    readings = heard(cut(6), line("RAWI,7,11651,4,B,33303230"), cut(8, 11700))
    assert readings == [CutCardCame(7), CutCardCame(9)]
    assert "33303230" not in repr(readings)


def test_the_shoe_stands_in_the_catalogue_once_and_names_are_unique():
    assert DRIVERS.count(DRIVER) == 1
    names = [row.name for row in DRIVERS]
    assert len(names) == len(set(names))
