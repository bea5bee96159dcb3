"""Chips that came before a seat: a second witness of an act, and never an act of their own.

A check puts no chips in, and who says "call" may be slow to pay. So chips prove one thing only:
that a seat which faced a bet had not yet met it when the next board card lay.
"""

from __future__ import annotations

from msgspec.structs import replace

from daemon.course.betting import faces_bet
from daemon.course.course import Course, Suspect
from daemon.course.skips import Followed, corroborate
from daemon.table.events import ChipsMoved

SLOW_MS = 2000  # chips that were pushed before the card may be read as late as this; ours


def moved(course: Course, event: ChipsMoved, number: int) -> Followed:
    """Chips at a seat that owed on the old round prove that a doubtful street came early.

    Where they may belong to the street's own round, nothing that comes later proves it either.
    """
    suspect = course.suspect
    if event.change == "came":
        bets = course.bets
        course = replace(course, bets=replace(bets, chips=bets.chips | {event.seat}))
    if event.change != "came" or event.doubt or suspect is None or suspect.acted or course.mute:
        return course, ()
    if not _owed_chips(suspect, event.seat):
        return replace(course, suspect=replace(suspect, acted=True)), ()
    if event.at_ms < course.laid_ms + SLOW_MS:
        return course, ()
    return corroborate(course, number)


def _owed_chips(suspect: Suspect, seat: int) -> bool:
    """Whether the seat faced a bet on the old round that its chips had not met, by any witness.

    The seat that opens the new round may be opening it.
    """
    back = suspect.departure.back
    if back is None or seat == suspect.first_due or seat in back.bets.chips:
        return False
    return seat in back.bets.owing and faces_bet(back.bets, seat)
