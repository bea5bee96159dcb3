"""The certificates that a connection stands on, and which of them need somebody's care."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import structlog

from daemon.access import Access, AccessError, Certificate, read_der, worry

WHOSE = {"ca": "our authority's", "certificate": "our", "broker": "the broker's"}


log = structlog.get_logger(part="mqtt")


def in_words(whose: str, what: str, when: datetime) -> str:
    """A certificate's trouble as people read it in the log."""
    return f"{WHOSE[whose]} certificate {what} on {when:%Y-%m-%d}"


class Papers:
    """Those of the files, looked at when asked to, and the one that the broker shows.

    `wall` gives the time. A worry is logged once, and again when it has been away.
    """

    def __init__(
        self, access: Access, wall: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._access = access
        self._wall = wall
        self._own: list[tuple[str, Certificate]] = []
        self._shown: list[tuple[str, Certificate]] = []
        self._told: set[str] = set()

    def look(self) -> None:
        """Read the files: they may have been renewed. Blocks; what cannot be read is as it was."""
        try:
            self._own = list(self._access.certificates())
        except AccessError:
            return  # the next connection will tell
        self._tell()

    def shown(self, certificate: bytes | None) -> None:
        """What the broker has shown of itself, in DER; None for nothing."""
        try:
            self._shown = [("broker", read_der(certificate))] if certificate else []
        except ValueError:
            self._shown = []
        self._tell()

    @property
    def worries(self) -> list[str]:
        """In words, the same from day to day until somebody has done something about it."""
        return [in_words(*concern) for concern in self.concerns]

    @property
    def concerns(self) -> list[tuple[str, str, datetime]]:
        """The same in terms: whose (a key of `WHOSE`), `ended`, `begins` or `ends`, and when."""
        now = self._wall()
        found = ((whose, worry(one, now)) for whose, one in (*self._own, *self._shown))
        return [(whose, *what) for whose, what in found if what]

    def _tell(self) -> None:
        found = self.worries
        for words in found:
            if words not in self._told:
                log.warning("certificate", words=words)
        self._told = set(found)
