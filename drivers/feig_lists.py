"""What a Feig OBID reader that reads by itself has kept: lists of records, asked for or sent.

Frames: `feig_frames`; records: `feig_records`. The answers of the reader, their control byte first:

    22 STATUS list   records, read with 22 (`feig_buffer`) or sent unasked (`feig_notify`)
    32 STATUS        what was read last is deleted: until then it comes again
    33 STATUS        the buffer is empty
    63 STATUS        CPU reset: the buffer is gone with it
    6E STATUS ..     reader diagnostic: the keep-alive of a reader that sends unasked

Status 94: more is waiting. 92: nothing new. 93: the buffer was full and tags were lost. Records may
come with any of these (LRU3000 H90202 p.177). What is lost is `EventsLost` 0 to 0, for the reader
numbers nothing: after 93 (beside its `DeviceFault`), after a CPU reset, and where a list cannot be
read and cannot be asked for again.

A reader tells a resting tag again only after its VALID-TIME (CFG12, MR102 H01113 p.44): that must
be set to 2, 200 ms, and the reset of the field (CFG16, LR1002 H20411 p.57) left on, or a tag that
lies is mute and counts as gone. `HELD_MS` is long enough to miss such a time or two, and so short
that a card which slides across an antenna, for some 0.6 s, is gone before it counts as lying there.

A list that was not deleted is repeated, in notification mode after 5 s (U500 H71011 p.105), and
more may stand behind it: the records at its head that were told are not told again. Where the
reader does not answer deletions (NOT CONFIRMED for notifications), only the record's timer can tell
a repetition from a tag that is still there: without it everything is told.
"""

from __future__ import annotations

from drivers.feig_frames import ANY_READER, Framed, Framer
from drivers.feig_records import BufferRecord, RecordLayout, buffer_records, sets_count
from drivers.feig_words import (
    CLEAR_BUFFER,
    CPU_RESET,
    DIAGNOSTIC,
    EMPTY_BUFFER,
    MORE_DATA,
    NO_TAG,
    NOTHING_NEW,
    OK,
    OTHER_WARNING,
    OVERFLOW,
    READ_BUFFER,
    WARNING,
    fault,
)
from drivers.readings import Answered, Beat, EventsLost, Garbled, Reading, TagSeen

LISTING = {OK, NO_TAG, WARNING, OTHER_WARNING, NOTHING_NEW, OVERFLOW, MORE_DATA}
DONE = {OK, WARNING, OTHER_WARNING, OVERFLOW}
LOST = EventsLost(0, 0)
BROKEN = "broken buffer records"

ANTENNAS_MAX = 88  # level 2 of a multiplexer x 10 + level 1, each of 1 to 8
SENSES = ("identity", "place", "board", "burn", "muck", "aside", "stub", "chips")
PRESENCE = (2, 3, 3)  # one report is a card that passed
HELD_MS = 1000


class FeigLists:
    """Decoder: each record is a `TagSeen`, behind the last one of a list comes an `Answered`.

    That has the list's status byte and the count of its records, two bytes. `asked`: a list is
    there to be asked for again, so that it counts as lost only when it comes broken twice.
    """

    def __init__(self, layout: RecordLayout, *, asked: bool) -> None:
        self._layout = layout
        self._asked = asked
        self._framer = Framer()
        self._told: list[BufferRecord] = []  # what the reader has not deleted yet, as far as known
        self._deletes = asked  # whether its answers tell what it has deleted
        self._broken = False  # the last list, which is asked for again

    def feed(self, data: bytes) -> list[Reading]:
        readings: list[Reading] = []
        for item in self._framer.feed(data):
            readings += self._said(item) if isinstance(item, Framed) else [item]
        return readings

    def _said(self, framed: Framed) -> list[Reading]:
        if framed.address == ANY_READER or not framed.rest:
            return []  # a host's own
        status, body = framed.rest[0], framed.rest[1:]
        if framed.control == READ_BUFFER and status in LISTING:
            return self._listed(status, body)
        if framed.control == DIAGNOSTIC:
            return [Beat()]
        faults: list[Reading] = [] if status == OK else [fault(status)]
        if status not in DONE:
            return faults
        if framed.control in (CLEAR_BUFFER, EMPTY_BUFFER):
            self._told, self._deletes = [], True
        if framed.control == CPU_RESET:
            faults.append(LOST)
        return [*faults, Answered(framed.control, body)]

    def _listed(self, status: int, body: bytes) -> list[Reading]:
        was_broken, self._broken = self._broken, False
        try:
            records = buffer_records(body, self._layout) if body else []
            readings: list[Reading] = [TagSeen(r.antenna, r.uid) for r in self._fresh(records)]
        except (IndexError, ValueError):
            readings = [Garbled(BROKEN, body)]
            if self._asked and not was_broken:
                self._broken = True
                return readings
            readings.append(LOST)
        if status in (WARNING, OTHER_WARNING, OVERFLOW):
            readings.append(fault(status))
        if status == OVERFLOW:
            readings.append(LOST)
        told = bytes((status,)) + sets_count(body).to_bytes(2, "big")
        return [*readings, Answered(READ_BUFFER, told)]

    def _fresh(self, records: list[BufferRecord]) -> list[BufferRecord]:
        """The records that were not told before."""
        before, self._told = self._told, records
        again = 0
        for one, told in zip(records, before, strict=False):
            if one != told or (one.timer is None and not self._deletes):
                break
            again += 1
        return records[again:] if again in (len(before), len(records)) else records
