"""What can go out to the world: messages for the broker, and the topic at which each belongs.

The topics are those of docs/topics.md, below `floorcall/v1/<site>/<table>/`.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from daemon.alarms.alert import STANDING_MAX, Alert

ROOT = "floorcall/v1"
SURVEILLANCE = "surveillance"
LEVEL_MAX = 64
PORTS = {"mqtt": 1883, "mqtts": 8883}
_UNSAFE = re.compile(r"[+#/\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_HOST = re.compile(r"[A-Za-z0-9._:%-]{1,253}")
_FORM = "must be a URL like mqtt://host:1883 or mqtts://host:8883"


@dataclass(frozen=True, slots=True)
class Message:
    """One message for the broker, always at QoS 1; retained and empty it clears its topic."""

    topic: str
    payload: bytes
    retain: bool = False


class Store(Protocol):
    """What is to be sent: kept until `done`. `news` is called whenever there is more of it."""

    news: Callable[[], None]

    def unheeded(self) -> None:
        """Nobody is to be called any more."""
        ...

    def take(self) -> tuple[int, Message] | None:
        """The next message to be sent, with its number; None where all were taken."""
        ...

    def done(self, number: int) -> None:
        """The broker has confirmed it."""
        ...

    def rewind(self) -> None:
        """A new connection: all that was not confirmed, and all that stands, is to be sent."""
        ...

    async def emptied(self) -> None:
        """Waits until all is confirmed."""
        ...


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one table."""

    site: str
    table: str

    def at(self, *levels: str) -> str:
        """The topic of these levels below the table's own."""
        return "/".join((ROOT, self.site, self.table, *levels))


def level_mistake(name: str) -> str | None:
    """Why this name cannot be a level of a topic, or None where it can."""
    if not name or name != name.strip():
        return "must not be empty, nor begin or end with a blank"
    if len(name) > LEVEL_MAX:
        return f"must have at most {LEVEL_MAX} characters, has {len(name)}"
    if _UNSAFE.search(name) or name.startswith(("$", ".")):
        return "must have no + # / and no control character in it, and not begin with $ or a dot"
    return None


@dataclass(frozen=True, slots=True)
class Address:
    """Where a broker listens."""

    host: str
    port: int
    tls: bool


def address(url: str) -> Address | str:
    """The broker's address, or what is wrong with the URL; never the URL: it may be secret."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        return _FORM
    if parts.username is not None or parts.password is not None:
        return "must carry no name or password: username and password_file are for that"
    if parts.scheme not in PORTS or not host or not _HOST.fullmatch(host) or port == 0:
        return _FORM
    if parts.path.strip("/") or parts.query or parts.fragment:
        return "must end after host and port"
    return Address(host, port or PORTS[parts.scheme], parts.scheme == "mqtts")


class Announcer:
    """Turns alerts into messages: one retained while it stands, one for the recorders.

    Surveillance has a copy of everything under its own name. What stands is bounded: beyond
    `standing_max` the alert that has stood longest is no longer retained.
    """

    def __init__(self, topics: Topics, standing_max: int = STANDING_MAX) -> None:
        self._topics = topics
        self._standing_max = standing_max
        self._retained: OrderedDict[str, str] = OrderedDict()  # alert id -> audience it is kept for

    def messages(self, alert: Alert, payload: bytes) -> Iterator[Message]:
        """What is to be sent because of this alert, in the order in which it is to be sent.

        `payload` is the alert's line, the same bytes for everybody. To be taken to the end: what is
        retained is kept in step.
        """
        before = self._retained.pop(alert.id, None)
        if before is not None and (before != alert.audience or not alert.standing):
            yield from self._cleared(alert.id, before, alert.audience if alert.standing else "")
        if alert.standing:
            self._retained[alert.id] = alert.audience
        for audience in _readers(alert.audience):
            if alert.standing:
                topic = self._topics.at("alerts", audience, alert.id)
                yield Message(topic, payload, retain=True)
            yield Message(self._topics.at("log", audience), payload)
        while len(self._retained) > self._standing_max:
            yield from self._cleared(*self._retained.popitem(last=False))

    def _cleared(self, alert_id: str, audience: str, keep: str = "") -> Iterator[Message]:
        kept = _readers(keep) if keep else ()
        for reader in _readers(audience):
            if reader not in kept:
                yield Message(self._topics.at("alerts", reader, alert_id), b"", retain=True)


def _readers(audience: str) -> tuple[str, ...]:
    return (audience,) if audience == SURVEILLANCE else (audience, SURVEILLANCE)
