"""Messages of LLRP: bytes in, messages and their parameters out, and back. LLRP 1.0.1, TCP 5084.

    message  000VVVTT TTTTTTTT  LENGTH(4)  ID(4)  fields.. parameters..   LENGTH of all, 10 or more
    TLV      000000TT TTTTTTTT  LENGTH(2)  fields.. parameters..          LENGTH of all, 4 or more
    TV       1TTTTTTT           one field, as long as its type has it

VVV is 1; numbers go high byte first. There is no checksum, and nothing marks a beginning: behind a
wrong length no message can be found any more. Types and fields: EPCglobal LLRP 1.0.1, section 16;
EdgeX device-rfid-llrp-go, internal/llrp/messages.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from drivers.dirt import GARBLED_BYTES_MAX
from drivers.readings import Garbled

HEAD_BYTES = 10
MESSAGE_BYTES_MAX = 1 << 16  # ours; what we ask for is below 100 bytes
TLV_HEAD_BYTES = 4

# What a framer says when it has lost the thread, and then says no more.
BAD_LENGTH, NO_LLRP = "bad length", "not LLRP"

_VERSION_MASK, _VERSION = 0xFC, 0x04
_KIND_MASK = 0x3FF
_TV = 0x80

# TV parameters by type: bytes of their field. 19 and 20 came with LLRP 1.1.
TV_BYTES = {
    1: 2, 2: 8, 3: 8, 4: 8, 5: 8, 6: 1, 7: 2, 8: 2, 9: 4, 10: 2, 11: 2, 12: 2, 13: 12, 14: 2,
    15: 2, 16: 4, 17: 2, 18: 4, 19: 2, 20: 2,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Message:
    """One whole message; `body` is what stands behind the ID."""

    kind: int
    body: bytes = b""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, TV (below 128) or TLV; `value` is what stands behind its head."""

    kind: int
    value: bytes


def message(said: Message) -> bytes:
    """The message on the wire."""
    length = HEAD_BYTES + len(said.body)
    head = (_VERSION << 8 | said.kind).to_bytes(2, "big")
    return head + length.to_bytes(4, "big") + said.number.to_bytes(4, "big") + said.body


def tlv(kind: int, *parts: bytes) -> bytes:
    """A TLV parameter of these fields and parameters."""
    value = b"".join(parts)
    return kind.to_bytes(2, "big") + (TLV_HEAD_BYTES + len(value)).to_bytes(2, "big") + value


def parameters(listed: bytes) -> Iterator[Parameter]:
    """The parameters one behind the other; ValueError where their lengths do not add up."""
    at = 0
    while at < len(listed):
        if listed[at] & _TV:
            kind, head = listed[at] & ~_TV, 1
            size = head + TV_BYTES.get(kind, len(listed))
        else:
            kind, head = int.from_bytes(listed[at : at + 2], "big") & _KIND_MASK, TLV_HEAD_BYTES
            size = int.from_bytes(listed[at + 2 : at + 4], "big")
        if size < head or at + size > len(listed):
            raise ValueError(kind)
        yield Parameter(kind, listed[at + head : at + size])
        at += size


class Framer:
    """Bytes in, in any cut; messages out, oldest first. Bounded.

    A head that is none of LLRP's, or a length that cannot be right, is told as `Garbled` once;
    whatever comes behind it is passed over.
    """

    def __init__(self) -> None:
        self._pending = bytearray()
        self._lost = False

    def feed(self, data: bytes) -> list[Message | Garbled]:
        found: list[Message | Garbled] = []
        if self._lost:
            return found
        self._pending += data
        while (item := self._next()) is not None:
            found.append(item)
            if isinstance(item, Garbled):
                self._lost = True
                self._pending.clear()
                break
        return found

    def _next(self) -> Message | Garbled | None:
        pending = self._pending
        if pending and pending[0] & _VERSION_MASK != _VERSION:
            return Garbled(NO_LLRP, bytes(pending[:GARBLED_BYTES_MAX]))
        if len(pending) < HEAD_BYTES:
            return None
        length = int.from_bytes(pending[2:6], "big")
        if not HEAD_BYTES <= length <= MESSAGE_BYTES_MAX:
            return Garbled(BAD_LENGTH, bytes(pending[:GARBLED_BYTES_MAX]))
        if len(pending) < length:
            return None
        whole = bytes(pending[:length])
        del pending[:length]
        kind = int.from_bytes(whole[:2], "big") & _KIND_MASK
        return Message(kind, whole[HEAD_BYTES:], int.from_bytes(whole[6:10], "big"))
