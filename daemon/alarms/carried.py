"""What a judgement has to say to one made anew, so that this one can go on."""

from __future__ import annotations

from msgspec import Struct

from daemon.course.felt import Felt
from daemon.table.events import DealingEvent, HandStarted


class Carried(Struct, frozen=True, omit_defaults=True):
    """What of all that went before counts for what comes: no hand is played, or one has just begun.

    `early` is what was done before the hand, `started` its beginning; `used` are names of
    alerts, which are not used again. `number` is the last hand's.
    """

    felt: Felt
    early: tuple[DealingEvent, ...] = ()
    used: tuple[str, ...] = ()
    started: HandStarted | None = None
    number: int = 0
