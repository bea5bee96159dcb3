"""Leaks put in on purpose, each a part of the daemon's own replaced: both proofs must find them.

A leak that tells a name is found by the search and by the pairs; one that tells only by its size,
its order or its time is found by the pairs.
"""

from __future__ import annotations

import structlog
from msgspec.structs import replace

from daemon.messages import Message
from daemon.pipeline import Pipeline
from daemon.table.cards import DECK
from daemon.table.events import CardMoved
from daemon.table.places import seat_of
from daemon.watch import Watch
from tests.secrecy.rig import Parts

SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}

log = structlog.get_logger(part="canary")


class Knowing(Pipeline):
    """A line that remembers the last card that went to a seat, and its tag."""

    last = ""

    def _events(self, signal):
        events = super()._events(signal)
        for event in events:
            if isinstance(event, CardMoved) and seat_of(event.to):
                self.last = event.card
                self.pitched()
        return events

    def pitched(self):
        """A card has come to a seat."""

    @property
    def tag(self):
        return next(uid for uid, card in self._layout.tags.items() if card == self.last)


class LogsACard(Knowing):
    def pitched(self):
        log.debug("pitched", card=self.last)


class LogsATag(Knowing):
    def pitched(self):
        log.debug("read", tag=":".join(self.tag[at : at + 2] for at in range(0, 14, 2)).upper())


class RaisesATag(Knowing):
    """An exception whose text has a tag is caught, and the text logged for a reason."""

    def pitched(self):
        try:
            {}[bytes.fromhex(self.tag)]
        except KeyError as error:
            log.warning("no such tag", reason=repr(error))


class ShowsACard(Knowing):
    """The hand's retained picture has a card among the public ones that is none."""

    def hand_view(self):
        view = super().hand_view()
        if self.last and "public" in view:
            view["public"] = [*view["public"], [self.last, "aside"]]
        return view


class CountsRanks(Knowing):
    """A sensor's figures count court cards."""

    courts = 0

    def pitched(self):
        self.courts += self.last[0] in "JQKA"

    @property
    def figures(self):
        figures = super().figures
        figures.told["shoe"]["errors"] = {"court": self.courts}
        return figures


class TellsAName(Knowing):
    """A dealing event that names a card pitched face down."""

    def dealt(self):
        told = super().dealt()
        return [
            replace(event, card=self.last) if _is_pitch(event) and self.last else event
            for event in told
        ]


class NumbersByTag(Knowing):
    """Cards' numbers hang on which card it is."""

    def dealt(self):
        told = super().dealt()
        return [
            replace(event, card=f"?{100 + DECK.index(self.last or '2c')}")
            if _is_pitch(event)
            else event
            for event in told
        ]


def _is_pitch(event):
    return isinstance(event, CardMoved) and event.card[0] == "?" and seat_of(event.to)


class LateWatch(Watch):
    """Looks around a tick later where the last card to a seat was red."""

    def look_around(self, at_ms):
        if self._line.last[1:] in ("d", "h") and at_ms % 1000 < 250:
            return
        super().look_around(at_ms)


class OrderedWatch(Watch):
    """Tells two things at every tick, in an order that hangs on a card."""

    def look_around(self, at_ms):
        super().look_around(at_ms)
        two = ("one", "two") if DECK.index(self._line.last or "2c") % 2 else ("two", "one")
        for word in two:
            self._outbox.put(Message(self.topics.at("order", word), b"{}", retain=True))


class PaddedWatch(Watch):
    """Pads the hand's payload by a card's index."""

    def _put(self, level, payload):
        pad = " " * DECK.index(self._line.last or "2c")
        super()._put(level, {**payload, "pad": pad})


class NamesInTopic(Watch):
    """A topic that has a card in it, in words."""

    def look_around(self, at_ms):
        super().look_around(at_ms)
        if self._line.last:
            rank, suit = self._line.last
            name = f"{rank} of {SUITS[suit]}"
            self._outbox.put(Message(self.topics.at("last", name), b"", retain=True))


LOUD = {
    "a card in a line of the log at debug": Parts(line=LogsACard),
    "a tag in the log": Parts(line=LogsATag),
    "a tag in an exception's text": Parts(line=RaisesATag),
    "a hidden card in the hand's retained picture": Parts(line=ShowsACard),
    "a card in a dealing event": Parts(line=TellsAName),
    "a card in a topic": Parts(line=Knowing, watch=NamesInTopic),
}
QUIET = {
    "ranks counted in a figure": Parts(line=CountsRanks),
    "a hidden card's number": Parts(line=NumbersByTag),
    "the order of two messages": Parts(line=Knowing, watch=OrderedWatch),
    "a payload's size": Parts(line=Knowing, watch=PaddedWatch),
    "the time of publication": Parts(line=Knowing, watch=LateWatch),
}
