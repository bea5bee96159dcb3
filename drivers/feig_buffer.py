"""Feig OBID i-scan reader in buffered read mode: it reads by itself, and is asked what it kept.

What is asked (LR1002 H20411 p.150-156; answers: `feig_lists`), advanced frames to any reader:

    65, 66 00   software version, reader info, as of every Feig reader
    33          empty the buffer: what it kept while nobody asked is the past (public host code)
    22 N(2)     up to N records of the buffer
    32          delete what was read
    63          CPU reset, when nothing is answered any more

Two rows, for two ways in which the records may be written (`feig_records`): NOT CONFIRMED which one
an HF reader uses. A reader in the other way is never understood: its sensor tells losses only.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from functools import partial

from drivers.driver import Driver
from drivers.feig_frames import ask
from drivers.feig_lists import ANTENNAS_MAX, HELD_MS, LISTING, PRESENCE, SENSES, FeigLists
from drivers.feig_records import MEASURED_RECORDS, PLAIN_RECORDS
from drivers.feig_talk import RESTART_MS, Ask, FeigTalk
from drivers.feig_words import (
    ABOUT,
    CLEAR_BUFFER,
    CPU_RESET,
    EMPTY_BUFFER,
    MORE_DATA,
    READ_BUFFER,
    SOFTWARE,
)
from drivers.readings import Answered, DeviceFault, Reading

SETS_MAX = 64  # records asked for at once: a frame of 1.2 kB, 0.3 s at 38400 baud
READ_MS = 100
LIST_MS_MAX = 1000  # ours


class Step(Enum):
    """Where the talk stands: the command that is due or out."""

    RESTART = auto()
    SOFTWARE = auto()
    ABOUT = auto()
    EMPTY = auto()
    READ = auto()
    DELETE = auto()


# fmt: off
ASKS: dict[Step, Ask[Step]] = {
    Step.RESTART:  Ask(send=ask(CPU_RESET), then=Step.SOFTWARE, again=Step.SOFTWARE,
                       pause_ms=RESTART_MS),
    Step.SOFTWARE: Ask(send=ask(SOFTWARE), then=Step.ABOUT, again=Step.SOFTWARE),
    Step.ABOUT:    Ask(send=ask(ABOUT, b"\x00"), then=Step.EMPTY, again=Step.ABOUT),
    Step.EMPTY:    Ask(send=ask(EMPTY_BUFFER), then=Step.READ, again=Step.READ),
    Step.READ:     Ask(send=ask(READ_BUFFER, SETS_MAX.to_bytes(2, "big")), then=Step.READ,
                       again=Step.READ, answer_ms_max=LIST_MS_MAX),
    Step.DELETE:   Ask(send=ask(CLEAR_BUFFER), then=Step.READ, again=Step.READ),
}
# fmt: on


class FeigBufferTalker(FeigTalk[Step]):
    """Identifies the reader, empties its buffer, then reads it every `READ_MS`.

    What was read whole is deleted, and while more is waiting the next is read at once. One command
    at a time. A command without its answer is sent again; only a deletion is not, nor one that is
    refused: the same is read once more, which loses nothing. After three in a row the reader's CPU
    is reset and all begins anew. Else a `DeviceFault` is an answer: the reader lives.
    """

    def __init__(self, _antennas: tuple[int, ...] = ()) -> None:
        super().__init__(ASKS, Step.SOFTWARE, Step.RESTART)
        self._read_ms = 0
        self._more = False

    def start(self, now_ms: int) -> bytes:
        self._read_ms = now_ms - READ_MS
        return super().start(now_ms)

    def hear(self, reading: Reading, now_ms: int) -> bytes:
        if self._late_ms is None:
            return b""
        now = ASKS[self._step]
        match reading:
            case Answered(command, told) if command == now.control:
                has_any = self._step is Step.READ and any(told[1:])
                if self._step is Step.READ:
                    self._more = has_any and told[0] == MORE_DATA
                self._answered(Step.DELETE if has_any else now.then, now_ms)
            case DeviceFault(code) if code not in LISTING and self._step is Step.DELETE:
                self._try_again(now_ms)
            case DeviceFault(code) if code not in LISTING:
                self._more = False
                self._answered(now.then, now_ms)
            case _:
                pass
        return b""

    def _send(self, now_ms: int) -> bytes:
        if self._step is Step.READ:
            self._read_ms = now_ms
        return super()._send(now_ms)

    def _answered(self, step: Step, now_ms: int) -> None:
        if step is not Step.DELETE:
            self._unanswered = 0
        waits = step is Step.READ and not self._more
        self._go_on(step, now_ms, self._read_ms + READ_MS if waits else 0)


DRIVER = Driver(
    name="feig-buffer",
    title="Feig OBID i-scan reader in buffered read mode: many cards on many antennas",
    decoder=partial(FeigLists, MEASURED_RECORDS, asked=True),
    talker=FeigBufferTalker,
    baud=38400,
    parity="E",
    antennas_max=ANTENNAS_MAX,
    senses=SENSES,
    silent_after_ms=5000,
    tags=("iso14443a", "iso15693"),
    presence=PRESENCE,
    polled=False,
    held_ms=HELD_MS,
)
PLAIN_DRIVER = replace(
    DRIVER,
    name="feig-buffer-plain",
    title="Feig OBID i-scan reader in buffered read mode, records without their lengths",
    decoder=partial(FeigLists, PLAIN_RECORDS, asked=True),
    tags=("iso15693",),
)
