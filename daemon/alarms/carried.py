"""What a line has to say to one made anew, so that this one can go on."""

from __future__ import annotations

from msgspec import Struct

from daemon.alarms.alert import Alert
from daemon.alarms.standing import Standing
from daemon.course.felt import Felt
from daemon.table.events import DealingEvent, HandStarted


class Judged(Struct, frozen=True, omit_defaults=True):
    """The judgement's: no hand is played, or one has just begun.

    `early` is what was done before the hand, `started` its beginning; `used` are names of alerts,
    which are not used again.
    """

    felt: Felt
    early: tuple[DealingEvent, ...] = ()
    used: tuple[str, ...] = ()
    started: HandStarted | None = None


class Told(Struct, frozen=True, omit_defaults=True):
    """A sensor's, or that of all at seats, as `Trouble` has it."""

    gone: tuple[str, ...] = ()
    told: bool = False
    changed_ms: int | None = None


class Troubled(Struct, frozen=True, omit_defaults=True):
    """The sensors' troubles: each one's, what is raised of them, and how often it was."""

    fits: dict[str, Told] = {}
    now: dict[str, Alert] = {}
    raised: dict[str, int] = {}


class Run(Struct, frozen=True):
    """Alerts of one cause that came within a minute."""

    irregularity: str
    subject: str
    first: str
    times_ms: tuple[int, ...]


class Entered(Struct, frozen=True, omit_defaults=True):
    """The register's: what stands or may still change, and what chatters."""

    entries: tuple[Standing, ...] = ()
    runs: tuple[Run, ...] = ()


class Carried(Struct, frozen=True, omit_defaults=True):
    """All that counts for what comes; `number` is the last hand's."""

    judged: Judged
    troubled: Troubled
    entered: Entered
    number: int = 0
