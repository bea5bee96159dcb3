"""Messages of LLRP: written as read, parameters that add up, and where no way leads on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.llrp import Llrp
from drivers.llrp_messages import (
    BAD_LENGTH,
    MESSAGE_BYTES_MAX,
    NO_LLRP,
    TV_BYTES,
    Framer,
    Message,
    Parameter,
    message,
    parameters,
    tlv,
)
from drivers.readings import Answered, Garbled, TagSeen
from tests.drivers.wires import bytewise, heard, vectors

VECTORS = vectors("llrp")
GOOD = [name for name, vector in VECTORS.items() if vector["expect"] == "ok"]
ONE_REPORT = bytes.fromhex(VECTORS["llrp-002"]["hex"])
ONE_SEEN = TagSeen(1, "3005fb63ac1f3841ec880467", -50)


def fed(*chunks: bytes) -> list:
    return heard(Llrp(), *chunks)


def said(kind: int, body: bytes) -> bytes:
    return message(Message(kind, body, 7))


@pytest.mark.parametrize("name", GOOD)
def test_a_message_is_written_as_it_was_read(name):
    sent = bytes.fromhex(VECTORS[name]["hex"])
    assert b"".join(map(message, Framer().feed(sent))) == sent


LOST = [
    (BAD_LENGTH, bytes.fromhex("043d0000000900000000")),
    (BAD_LENGTH, bytes.fromhex("043d0000000000000000")),
    (BAD_LENGTH, bytes.fromhex("043d0001000100000000")),
    (BAD_LENGTH, bytes.fromhex("043effffffff00000000")),
    (NO_LLRP, b"\x00"),
    (NO_LLRP, b"\x08\x3d\x00\x00\x00\x0a"),
    (NO_LLRP, b"\x24\x3d"),
    (NO_LLRP, b"HTTP/1.1 400 Bad Request"),
]


@pytest.mark.parametrize(("reason", "dirt"), LOST)
@pytest.mark.parametrize("cut", [False, True])
def test_where_a_length_or_head_is_wrong_it_is_said_once_and_nothing_is_read_any_more(
    reason, dirt, cut
):
    line = ONE_REPORT + dirt + ONE_REPORT * 3
    first, lost, *rest = fed(*bytewise(line)) if cut else fed(line)
    assert first == ONE_SEEN
    assert isinstance(lost, Garbled)
    assert lost.reason == reason
    assert rest == []


def test_a_new_decoder_reads_on():
    decoder = Llrp()
    decoder.feed(LOST[0][1])
    assert decoder.feed(ONE_REPORT) == []
    assert Llrp().feed(ONE_REPORT) == [ONE_SEEN]


def test_the_longest_message_is_taken_and_no_longer_one():
    body = bytes(MESSAGE_BYTES_MAX - 10)
    assert fed(said(1023, body)) == [Answered(1023, body)]
    assert fed(said(1023, body + b"\x00"))[0].reason == BAD_LENGTH


ONE_OF_EACH = st.one_of(
    st.builds(Parameter, st.integers(128, 1023), st.binary(max_size=20)),
    st.sampled_from(sorted(TV_BYTES)).flatmap(
        lambda kind: st.builds(
            Parameter, st.just(kind), st.binary(min_size=TV_BYTES[kind], max_size=TV_BYTES[kind])
        )
    ),
)


def written(one: Parameter) -> bytes:
    return bytes((0x80 | one.kind,)) + one.value if one.kind < 128 else tlv(one.kind, one.value)


@given(st.lists(ONE_OF_EACH, max_size=8), st.data())
def test_parameters_are_read_as_written_and_refused_when_cut(every, cuts):
    listed = b"".join(map(written, every))
    assert list(parameters(listed)) == every
    ends = {sum(len(written(one)) for one in every[:n]) for n in range(len(every) + 1)}
    cut = cuts.draw(st.integers(0, len(listed)))
    if cut not in ends:
        with pytest.raises(ValueError, match=r"\d"):
            list(parameters(listed[:cut]))
