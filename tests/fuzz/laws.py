"""What must hold of every driver, whatever bytes come: the laws that fuzz and tests share."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import pairwise
from random import Random
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from drivers.driver import Decoder, Driver
from drivers.readings import Reading
from tests.drivers.wires import bytewise, heard, news
from tests.fuzz.frames import said

RELIABLE = ("llrp", "llrp-asked")  # over TCP no byte is lost: behind a wrong length nothing counts
STATE_BYTES_MAX = 1 << 19  # what a decoder keeps, with all that Python needs to keep it
REST = bytes(1 << 13)  # behind what is compared: a frame that was only pretended is over by then
HEAL_BYTES_MAX = 1 << 17  # of good frames until one is read, the longest pretended frame passed
ASKED_BYTES_MAX = 8192  # at once: what a port takes
WAKES_MAX = 50  # of a talker without any time passing
STEP_MS = 7
_SHARED = (
    type, FunctionType, BuiltinFunctionType, MethodType, ModuleType, partial, re.Pattern,
)  # fmt: skip


class Broken(AssertionError):  # noqa: N818 - a law that does not hold is what it is
    """A law does not hold; says which."""


def must_hold(row: Driver, chunks: Sequence[bytes], good: bytes, rng: Random) -> int:
    """Try every law on these chunks; out: the bytes it took to heal. Raises Broken."""
    whole = b"".join(chunks)
    decoder = row.decoder()
    readings = heard(decoder, *chunks)
    bounded(decoder)
    same_in_any_cut(row, whole, rng)
    bears_talk(row, readings, rng)
    return heals(row, decoder, good)


def bounded(decoder: Decoder) -> None:
    """What it keeps has a bound."""
    kept = weight(decoder)
    if kept > STATE_BYTES_MAX:
        raise Broken(f"it keeps {kept} bytes")


def same_in_any_cut(row: Driver, whole: bytes, rng: Random) -> None:
    """It says the same at once, byte by byte, and in a cut at random.

    A good frame behind one that is only pretended may be read sooner in one cut than in another.
    """
    wanted = news(heard(row.decoder(), whole, REST))
    at = sorted(rng.randrange(len(whole) + 1) for _ in range(rng.randrange(9)))
    cuts = [whole[first:last] for first, last in pairwise([0, *at, len(whole)])]
    for cut in (bytewise(whole), cuts):
        if news(heard(row.decoder(), *cut, REST)) != wanted:
            raise Broken(f"another cut says something else: {[len(piece) for piece in cut][:20]}")


def heals(row: Driver, decoder: Decoder, good: bytes) -> int:
    """Good frames are read again behind whatever it has heard; out: after how many bytes.

    One of a network protocol may say nothing at all any more, if the port then opens it anew.
    """
    wanted = said(heard(row.decoder(), good))
    fed = 0
    while fed < HEAL_BYTES_MAX:
        fed += len(good)
        if said(decoder.feed(good))[-len(wanted) :] == wanted:
            return fed
    if row.name in RELIABLE and row.silent_after_ms is not None and not decoder.feed(good):
        return 0
    raise Broken(f"no good frame is read within {fed} bytes")


def bears_talk(row: Driver, readings: list[Reading], rng: Random) -> None:
    """Its talker takes whatever was read, asks no more than a port takes, and lets time pass."""
    if row.talker is None:
        return
    antennas = tuple(range(1, min(row.antennas_max, 4) + 1))
    talker = row.talker(antennas)
    now_ms = rng.randrange(1 << 20)
    asked = [talker.start(now_ms)]
    for reading in readings:
        asked.append(talker.hear(reading, now_ms))
        now_ms += rng.randrange(STEP_MS)
        for _ in range(WAKES_MAX):
            if talker.next_ms is None or talker.next_ms > now_ms:
                break
            asked.append(talker.wake(now_ms))
        else:
            raise Broken("its talker wants to be woken without end")
    if max(map(len, asked)) > ASKED_BYTES_MAX:
        raise Broken("its talker asks more than a port takes")


def weight(kept: object) -> int:
    """Bytes of all that hangs on a value and is not the program's own."""
    seen: dict[int, object] = {}
    waiting = [kept]
    total = 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, _SHARED):
            continue
        seen[id(one)] = one
        total += sys.getsizeof(one)
        waiting += _within(one)
    return total


def _within(one: object) -> Iterator[object]:
    if isinstance(one, str | bytes | bytearray | int | float | None):
        return
    if isinstance(one, dict):
        yield from one.keys()
        yield from one.values()
    elif hasattr(one, "__iter__") and hasattr(one, "__len__"):
        yield from one
    elif is_dataclass(one):
        yield from (getattr(one, each.name, None) for each in fields(one))
    yield from getattr(one, "__dict__", {}).values()
    for kind in type(one).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            yield getattr(one, name, None)
