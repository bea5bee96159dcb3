"""What systemd is told: ready, stopping, and the watchdog's beat; without systemd nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import sdnotify

TICK_S = 0.25  # how often the line can beat at all


class Watchdog:
    """The service's word to systemd. `beat` is called by the line: a stuck line is silent.

    The interval is a third of what the unit allows (`WATCHDOG_USEC`), and never waits for anything
    but the line: neither for the broker nor for a port.
    """

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        given = dict(os.environ) if environment is None else environment
        self.limit_s = _limit_s(given)
        self._due_s = 0.0
        self._notify: Callable[[str], None] = _silent
        self._notifier: sdnotify.SystemdNotifier | None = None
        if given.get("NOTIFY_SOCKET"):
            # without a socket's name sdnotify opens one and leaks it
            self._notifier = sdnotify.SystemdNotifier()
            self._notify = self._notifier.notify

    @property
    def too_short(self) -> bool:
        """Whether the unit allows less time than the line can promise to keep."""
        return self.limit_s is not None and self.limit_s < 4 * TICK_S

    def ready(self) -> None:
        """The sensors are being read."""
        self._notify("READY=1")

    def stopping(self) -> None:
        """The service is going down on purpose."""
        self._notify("STOPPING=1")

    def close(self) -> None:
        """Let go of systemd's socket."""
        notifier, self._notifier, self._notify = self._notifier, None, _silent
        if notifier is not None and notifier.socket is not None:
            notifier.socket.close()

    def beat(self) -> None:
        """The line is alive; passed on as often as systemd wants it."""
        if self.limit_s is None:
            return
        now_s = time.monotonic()
        if now_s >= self._due_s:
            self._due_s = now_s + self.limit_s / 3
            self._notify("WATCHDOG=1")


def _silent(_state: str) -> None:
    """There is no systemd to tell."""


def _limit_s(environment: dict[str, str]) -> float | None:
    usec, pid = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
    if not usec.isdigit() or int(usec) == 0 or (pid and pid != str(os.getpid())):
        return None
    return int(usec) / 1_000_000
