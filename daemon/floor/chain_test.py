"""Whether an alert would come through: from a table over the broker and this service to a screen.

A test alert leaves a virtual table once in a while. What is kept here is when each left, when the
floor heard it, and which screens have answered.
"""

from __future__ import annotations

from collections import OrderedDict

from daemon.floor.instant import Instant, iso
from daemon.floor.views import Chain

EVERY_S = 60.0
HEARD_WITHIN_S = 15.0
SEEN_WITHIN_S = 20.0
SCREENS_MAX = 512


class ChainTest:
    """The tests of a chain. Times are monotonic; the last test that came through is told in UTC."""

    def __init__(self) -> None:
        self._number = 0
        self._sent_s: float | None = None
        self._failed = False
        self._heard: Instant | None = None
        self._heard_number = 0
        self._took_ms: int | None = None
        self._broken = ""
        self._asked: OrderedDict[str, float] = OrderedDict()  # screens that have not answered yet

    def begin(self, now: Instant) -> int:
        """The number of a new test, which leaves now."""
        self._look(now)
        self._number += 1
        self._sent_s = now.s
        self._failed = False
        return self._number

    def failed(self, number: int) -> None:
        """The virtual table could not say it."""
        if number == self._number:
            self._failed = True

    def heard(self, number: int, now: Instant) -> bool:
        """The floor has heard it from the broker; whether it is the present one."""
        if number != self._number or number == self._heard_number or self._sent_s is None:
            return False
        self._heard_number = number
        self._heard = now
        self._took_ms = round((now.s - self._sent_s) * 1000)
        self._failed = False
        self._asked.clear()
        return True

    def asked(self, screen: str, now: Instant) -> None:
        """The test that was heard last is on its way to this screen."""
        if len(self._asked) < SCREENS_MAX:
            self._asked[screen] = now.s

    def seen(self, screen: str, number: int) -> None:
        """A screen has had the test of this number."""
        if number == self._heard_number:
            self._asked.pop(screen, None)

    def left(self, screen: str) -> None:
        """A screen is there no more: nobody need answer for it."""
        self._asked.pop(screen, None)

    def view(self, now: Instant) -> Chain:
        """How the chain stands."""
        self._look(now)
        silent = [screen for screen, at_s in self._asked.items() if now.s - at_s > SEEN_WITHIN_S]
        broken = self._broken or ("screens" if silent else "")
        return Chain(
            whole=not broken,
            at=None if self._heard is None else iso(self._heard.at),
            took_ms=self._took_ms,
            broken=broken,
            screens=silent,
        )

    def _look(self, now: Instant) -> None:
        """Where the last test got lost; while one is on its way what the one before told holds."""
        if self._number == self._heard_number:
            self._broken = ""
        elif self._failed:
            self._broken = "broker"
        elif self._sent_s is not None and now.s - self._sent_s > HEARD_WITHIN_S:
            self._broken = "floor"
