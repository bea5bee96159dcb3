"""Feig OBID i-scan reader in notification mode: it reads by itself, and calls us to tell.

The reader opens a TCP connection to us, `listen://HOST:PORT`, and sends what its buffer has, each
time with the frame that would answer 22 (MR200 H40801 p.15, U500 H71011 p.105; `feig_lists`). Where
it is set to want an acknowledgement it gets this within 5 s, or it sends the same again:

    32          delete what was sent

That is sent once for each list, and no second one before the first is answered, or late: what the
reader sends meanwhile must not be deleted unseen. Keep-alives are never acknowledged; they must be
on, every 10 s or so, for an empty table says nothing else and a reader silent for `SILENT_MS` is
lost. NOT CONFIRMED: whether the reader answers that 32, and what HOLD-TIME (CFG49) means; it must
not close the connection after each message. What it kept while nobody listened comes first and is
told as if seen now.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from drivers.driver import Driver
from drivers.feig_frames import ask
from drivers.feig_lists import ANTENNAS_MAX, HELD_MS, PRESENCE, SENSES, FeigLists
from drivers.feig_records import MEASURED_RECORDS, PLAIN_RECORDS
from drivers.feig_words import CLEAR_BUFFER, READ_BUFFER
from drivers.readings import Answered, Reading

ANSWER_MS_MAX = 1000  # ours; the reader waits 5 s for the acknowledgement
SILENT_MS = 30_000


class FeigNotifyTalker:
    """Acknowledges what the reader tells unasked, one acknowledgement at a time."""

    def __init__(self, _antennas: tuple[int, ...] = ()) -> None:
        self._send_ms: int | None = None
        self._late_ms: int | None = None  # of an acknowledgement that is out
        self._owes = False

    def start(self, now_ms: int) -> bytes:  # noqa: ARG002 - nothing is asked before it speaks
        self._send_ms = self._late_ms = None
        self._owes = False
        return b""

    def hear(self, reading: Reading, now_ms: int) -> bytes:
        match reading:
            case Answered(command) if command == READ_BUFFER:
                self._owes = True
            case Answered(command) if command == CLEAR_BUFFER:
                self._late_ms = None
            case _:
                return b""
        if self._owes and self._late_ms is None:
            self._send_ms = now_ms
        return b""

    def wake(self, now_ms: int) -> bytes:
        if self._late_ms is not None and now_ms >= self._late_ms:
            self._late_ms = None
            self._send_ms = now_ms if self._owes else None
        if self._send_ms is None or now_ms < self._send_ms:
            return b""
        self._send_ms, self._late_ms = None, now_ms + ANSWER_MS_MAX
        self._owes = False
        return ask(CLEAR_BUFFER)

    @property
    def next_ms(self) -> int | None:
        return self._late_ms if self._send_ms is None else self._send_ms


DRIVER = Driver(
    name="feig-notify",
    title="Feig OBID i-scan reader in notification mode: it calls, on listen://",
    decoder=partial(FeigLists, MEASURED_RECORDS, asked=False),
    talker=FeigNotifyTalker,
    antennas_max=ANTENNAS_MAX,
    senses=SENSES,
    silent_after_ms=SILENT_MS,
    tags=("iso14443a", "iso15693"),
    presence=PRESENCE,
    polled=False,
    held_ms=HELD_MS,
)
PLAIN_DRIVER = replace(
    DRIVER,
    name="feig-notify-plain",
    title="Feig OBID i-scan reader in notification mode, records without their lengths",
    decoder=partial(FeigLists, PLAIN_RECORDS, asked=False),
    tags=("iso15693",),
)
