"""What can go out to the world: messages for the broker, and the topic at which each belongs.

The topics are those of docs/topics.md, below `floorcall/v1/<site>/<table>/`.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from daemon.alarms.alert import STANDING_MAX, Alert

ROOT = "floorcall/v1"
SURVEILLANCE = "surveillance"
LEVEL_MAX = 64
REPLY_MAX = 256
PORTS = {"mqtt": 1883, "mqtts": 8883}
# What brokers hang up on: control characters, halves of a character, and what Unicode says is none.
_NO_CHARACTERS = r"\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef" + "".join(
    chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF)
)
_UNSAFE = re.compile(rf"[+#/\u2028\u2029{_NO_CHARACTERS}]")
_WILD = re.compile(rf"[+#{_NO_CHARACTERS}]|^\$")
_HOST = re.compile(r"[A-Za-z0-9._:%-]{1,253}")
_FORM = "must be a URL like mqtt://host:1883 or mqtts://host:8883"


class Message(Struct, frozen=True):
    """One message for the broker; retained and empty it clears its topic.

    `key` names what must neither be lost nor told in another order, such as an alert's id and
    revision; `correlation` goes back to the one who asked (MQTT 5). `sure` is QoS 1; else it goes
    at QoS 0, once, and is forgotten where no broker is there.
    """

    topic: str
    payload: bytes
    retain: bool = False
    key: str = ""
    correlation: bytes = b""
    sure: bool = True


class Heard(Struct, frozen=True):
    """Words for the table: what came on `command`, as it came.

    `via` is the last level of `command/<user>`, which the broker's access rules tie to the user's
    name; `reply_to` and `correlation` are MQTT 5's.
    """

    payload: bytes
    via: str = ""
    retained: bool = False
    reply_to: str = ""
    correlation: bytes = b""


class Voice(Protocol):
    """The table, as the link to the broker needs it."""

    @property
    def topics(self) -> Topics:
        """Where it speaks and listens."""
        ...

    def status(self, state: str) -> Message:
        """The message that says `online` or `offline` now."""
        ...

    def heard(self, words: Heard) -> None:
        """Take what somebody wants of the table; never fails, whatever it is."""
        ...


class Store(Protocol):
    """What is to be sent: kept until `done`. `news` is called whenever there is more of it."""

    news: Callable[[], None]

    def put(self, message: Message) -> None:
        """One more message to be sent."""
        ...

    def standing(self) -> Collection[str]:
        """The topics at which a retained message of ours belongs."""
        ...

    def refused(self, number: int) -> None:
        """The broker will not have it on this connection; the next one may."""
        ...

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


def reply_topics(wanted: str, own: str) -> tuple[str, ...]:
    """Where besides our `own` answers somebody may have one sent (MQTT 5's response topic).

    Not among other words of floorcall's: nobody makes a table speak for itself or for another.
    """
    is_topic = 0 < len(wanted) <= REPLY_MAX and not _WILD.search(wanted)
    is_ours = wanted.startswith(f"{ROOT}/") and not wanted.startswith(f"{own}/")
    return (wanted,) if is_topic and not is_ours else ()


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


class _Known(Struct):
    """What must be known of an alert's line to send it."""

    id: str
    revision: int
    audience: str


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
        stands, before = alert.standing, self._retained.pop(alert.id, None)
        if before is not None and (before != alert.audience or not stands):
            yield from self._cleared(alert.id, before, alert.audience if stands else "")
        if stands:
            self._retained[alert.id] = alert.audience
        for audience in _readers(alert.audience):
            if stands:
                topic = self._topics.at("alerts", audience, alert.id)
                yield Message(topic, payload, retain=True)
            yield self._record(alert, audience, payload)
        while len(self._retained) > self._standing_max:
            yield from self._cleared(*self._retained.popitem(last=False))

    def recorded(self, payload: bytes) -> Iterator[Message]:
        """What the recorders should have of this alert's line, of an earlier run."""
        alert = msgspec.json.decode(payload, type=_Known)
        for audience in _readers(alert.audience):
            yield self._record(alert, audience, payload)

    def _record(self, alert: Alert | _Known, audience: str, payload: bytes) -> Message:
        key = f"{alert.id}#{alert.revision}@{audience}"
        return Message(self._topics.at("log", audience), payload, key=key)

    def _cleared(self, alert_id: str, audience: str, keep: str = "") -> Iterator[Message]:
        kept = _readers(keep) if keep else ()
        for reader in _readers(audience):
            if reader not in kept:
                yield Message(self._topics.at("alerts", reader, alert_id), b"", retain=True)


def _readers(audience: str) -> tuple[str, ...]:
    return (audience,) if audience == SURVEILLANCE else (audience, SURVEILLANCE)
