"""The two dialogues of the desk: a deck enrolled, a deck checked."""

from __future__ import annotations

from collections.abc import Callable

from daemon.enrol.arrivals import Arrivals
from daemon.enrol.ceremony import Ceremony, Said
from daemon.enrol.verification import Result, Verification
from daemon.enrol.words import Speech
from drivers.readings import Garbled, Inventory, Reading, TagSeen

QUIT = ("quit", "q", "esci")
GARBLED_MAX = 50  # without one reading of tags: the line is not understood at all

Say = Callable[[str], None]


class _AtTheReader:
    """What both have to say of the reader itself."""

    def __init__(self, speech: Speech, say: Say) -> None:
        self._speech = speech
        self._say = say
        self._is_lost = False
        self._garbled: int | None = 0  # None once it is told, or tags were read

    def port(self, trouble: str | None) -> None:
        """Tell that the reader is gone, or back after having been gone."""
        if trouble is not None:
            self._say(self._speech("lost", why=trouble))
        elif self._is_lost:
            self._say(self._speech("back"))
        self._is_lost = trouble is not None

    def unheard(self) -> None:
        """Tell that nobody can say anything any more."""
        self._say(self._speech("unheard"))

    def _note(self, reading: Reading) -> None:
        match reading:
            case Inventory() | TagSeen():
                self._garbled = None
            case Garbled() if self._garbled is not None:
                self._garbled += 1
                if self._garbled >= GARBLED_MAX:
                    self._garbled = None
                    self._say(self._speech("garbled"))
            case _:
                pass


class Enrolling(_AtTheReader):
    """A ceremony at a reader; `keep` is called after every change, before it is told.

    What `keep` raises goes to whoever called.
    """

    def __init__(
        self,
        ceremony: Ceremony,
        arrivals: Arrivals,
        speech: Speech,
        say: Say,
        keep: Callable[[], None],
    ) -> None:
        super().__init__(speech, say)
        self.is_stopped = False
        self._ceremony = ceremony
        self._arrivals = arrivals
        self._keep = keep

    @property
    def is_over(self) -> bool:
        return self.is_stopped or self._ceremony.is_over

    def begin(self) -> None:
        """Say the first words."""
        self._tell(self._ceremony.begin())

    def hear(self, reading: Reading, now_ms: int) -> None:
        self._note(reading)
        self._arrivals.hear(reading, now_ms)
        self.wake(now_ms)

    def wake(self, now_ms: int) -> None:
        if not self.is_over:
            self._tell(self._ceremony.look(self._arrivals.lying(now_ms)))

    def take(self, line: str) -> None:
        if self.is_over:
            return
        if line.lower() in QUIT:
            self.stop()
        else:
            self._tell(self._ceremony.take(line))

    def stop(self) -> None:
        self.is_stopped = True

    def port(self, trouble: str | None) -> None:
        super().port(trouble)
        if trouble is not None:
            self._arrivals.lost()

    def _tell(self, words: list[Said]) -> None:
        if words:
            self._keep()
        for word in words:
            self._say(self._speech.said(word))


class Checking(_AtTheReader):
    """The check of a deck at a reader; `result` is what was found when it is over."""

    def __init__(self, verification: Verification, speech: Speech, say: Say) -> None:
        super().__init__(speech, say)
        self._verification = verification
        self._is_stopped = False
        self._told = 0
        self._now_ms = 0

    @property
    def is_over(self) -> bool:
        return self._is_stopped or self._verification.is_over(self._now_ms)

    @property
    def result(self) -> Result:
        return self._verification.result()

    def begin(self) -> None:
        """Say the first words."""
        self._say(self._speech("laying"))

    def hear(self, reading: Reading, now_ms: int) -> None:
        self._note(reading)
        self._verification.hear(reading, now_ms)
        self.wake(now_ms)

    def wake(self, now_ms: int) -> None:
        self._now_ms = now_ms
        if self._verification.count != self._told:
            self._told = self._verification.count
            self._say(self._speech("count", count=self._told))

    def take(self, line: str) -> None:  # noqa: ARG002 - whatever is said ends it
        self.stop()

    def stop(self) -> None:
        self._is_stopped = True
