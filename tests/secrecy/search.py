"""Whatever has left the process, searched for cards that nobody may know, and for tags."""

from __future__ import annotations

import json
from functools import cache

from daemon.table import events as dealing
from tests.secrecy.seen import FaceUp
from tests.secrecy.spellings import Tags, cards_in, sentences, without_sentences

CARD_KEYS = ("card", "rank", "suit")


class Search:
    """Reads all that leaves a daemon, in the moment in which it leaves; `found` is what is wrong.

    `seen` says which cards lie face up at that moment. While no broker is there what was said
    waits: a card counts that lay face up since it went. A name once told in an alert stays in it.
    """

    def __init__(self, uids):
        self.found = []
        self.read = 0
        self.seen = FaceUp()
        self._tags = Tags(uids)
        self._lately = self._unshuffled = frozenset()
        self._in_alert = {}
        self._known = {}

    def told(self, event, now_ms, *, waits, blind=False):
        """What hands are about to do; `waits` that what is said now is not sent yet.

        `blind` that a sensor is gone: to the daemon a shuffle may not have been, and the names of
        what lay face up before stand until a card of them leaves the stub.
        """
        before = self.seen.at(now_ms)
        self._lately = self._lately | before if waits else before
        match event:
            case dealing.CardsCollected() | dealing.DeckShuffled() | dealing.DeckChanged():
                self._unshuffled = self._unshuffled | before if blind else frozenset()
            case dealing.CardMoved(card=card, source="stub"):
                self._unshuffled -= {card}
            case _:
                pass
        self.seen(event, now_ms)

    def leaves(self, text, now_ms, where=""):
        """One text that leaves now; `where` tells it in what is `found`."""
        self.read += 1
        named, tags, alert = self._known.get(text) or self._look(text)
        allowed = self.seen.at(now_ms) | self._lately | self._unshuffled
        if alert:
            allowed |= self._in_alert.setdefault(alert, set())
            self._in_alert[alert] |= named & allowed
        if named - allowed or tags:
            self.found.append((now_ms, where, sorted(named - allowed), tags, text))

    def _look(self, text):
        """The cards that a text names, what of it tells a tag, and the alert that it is of."""
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, dict):
            alert = value.get("id", "") if "irregularity" in value else ""
            named = set(_named(value, ""))
        else:
            alert, named = "", cards_in(without_sentences(text))
        tags = self._tags.found_in(text)
        self._known[text] = named, tags, alert
        return self._known[text]


def _named(value, key):
    """The cards in a JSON value: in its texts, its keys, and numbers that are about cards."""
    match value:
        case str():
            if value not in _own():
                yield from cards_in(value)
        case dict():
            for name, one in value.items():
                yield from cards_in(name)
                yield from _named(one, name)
        case list():
            for one in value:
                yield from _named(one, key)
        case int() if any(word in key.lower() for word in CARD_KEYS):
            yield from cards_in(f"card {value}")
        case _:
            pass


@cache
def _own():
    return frozenset(sentences())
