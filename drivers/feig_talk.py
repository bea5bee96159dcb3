"""The talk with a Feig reader: one command at a time, sent again where its answer does not come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

GAP_MS = 1  # ours: between an answer and the next command
ANSWER_MS_MAX = 300  # ours
RESTART_MS = 500  # ours, unverified: what a reader needs after its CPU reset
UNANSWERED_MAX = 3  # in a row: reset the reader

StepT = TypeVar("StepT", bound=Enum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(Generic[StepT]):
    """One command: what to send, what comes after its answer, and where to go on without one."""

    send: bytes
    then: StepT
    again: StepT
    answer_ms_max: int = ANSWER_MS_MAX
    pause_ms: int = GAP_MS

    @property
    def control(self) -> int:
        """The command's control byte."""
        return self.send[4]


class FeigTalk(Generic[StepT]):
    """What the talkers of all modes share; `hear` is their own.

    The talk begins at `first`; after `UNANSWERED_MAX` commands in a row without an answer it goes
    to `restart`.
    """

    def __init__(self, asks: Mapping[StepT, Ask[StepT]], first: StepT, restart: StepT) -> None:
        self._asks = asks
        self._first, self._restart = first, restart
        self._step = first
        self._unanswered = 0
        self._send_ms: int | None = None
        self._late_ms: int | None = None

    def start(self, now_ms: int) -> bytes:
        """The port is open: forget everything, begin anew."""
        self._unanswered = 0
        self._step = self._first
        return self._send(now_ms)

    def wake(self, now_ms: int) -> bytes:
        """Send what is due; what was not answered in time is sent again after its pause."""
        if self._late_ms is not None and now_ms >= self._late_ms:
            self._try_again(now_ms)
        if self._send_ms is not None and now_ms >= self._send_ms:
            return self._send(now_ms)
        return b""

    @property
    def next_ms(self) -> int | None:
        """When the next command is due, or the answer to the last one late."""
        return self._late_ms if self._send_ms is None else self._send_ms

    def _send(self, now_ms: int) -> bytes:
        now = self._asks[self._step]
        self._send_ms, self._late_ms = None, now_ms + now.answer_ms_max
        return now.send

    def _go_on(self, step: StepT, now_ms: int, not_before_ms: int = 0) -> None:
        pause_ms = self._asks[self._step].pause_ms
        self._send_ms, self._late_ms = max(now_ms + pause_ms, not_before_ms), None
        self._step = step

    def _try_again(self, now_ms: int) -> None:
        now = self._asks[self._step]
        self._unanswered += 1
        self._send_ms, self._late_ms = now_ms + now.pause_ms, None
        self._step = now.again
        if self._unanswered >= UNANSWERED_MAX:
            self._unanswered = 0
            self._step = self._restart
