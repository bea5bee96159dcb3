"""News as the bytes of server-sent events: what is told to fifty screens is made into bytes once.

id: 49bfa1ff-12
event: alert
data: {"key": ...}
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import msgspec

from daemon.floor.views import News

SPOKEN_MAX = 256
PICTURES_MAX = 8  # they are large, and each role has one

_encode = msgspec.json.Encoder(enc_hook=str).encode


@dataclass(frozen=True, slots=True)
class _Spoken:
    news: News  # kept, so that no other has its identity
    lines: bytes


class Speech:
    """News as the bytes of an event, the last ones remembered: many screens are told the same."""

    def __init__(self) -> None:
        self._spoken: OrderedDict[int, _Spoken] = OrderedDict()
        self._pictures: OrderedDict[int, _Spoken] = OrderedDict()

    def of(self, news: News) -> bytes:
        """The lines of this event behind its id."""
        is_picture = news.kind == "picture"
        known, most = (self._pictures, PICTURES_MAX) if is_picture else (self._spoken, SPOKEN_MAX)
        found = known.get(id(news))
        if found is None:
            found = known[id(news)] = _Spoken(news, event(news.kind, news.view))
            if len(known) > most:
                known.popitem(last=False)
        return found.lines


def event(kind: str, view: object) -> bytes:
    """An event without its id. JSON has no line breaks of its own."""
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), _encode(view))
