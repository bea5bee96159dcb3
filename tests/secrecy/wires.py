"""Pairs of tables on ptys with the real daemon each, a real broker, a raw subscriber on `#`."""

from __future__ import annotations

import asyncio
import random
import re
import socket
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from time import monotonic

from daemon.demo.dealers import tellable
from daemon.demo.live import LiveTable
from daemon.demo.mischief import kinds
from daemon.table.events import DeckShuffled
from tests.bench import mqtt
from tests.hil.line import SPEED, Subscriber
from tests.laws.secrecy import Publicity, exchanged
from tests.secrecy.played import real_hand, sensed
from tests.secrecy.rig import Hands
from tests.secrecy.search import Search

SEATS = 3
NO_HAND = b'{"v":1,"hand":null}'
JUST_SHUFFLED_S = 2.0  # for so long what was said before may still be on its way
SURE_KINDS = {kind for kind in kinds() if tellable(*kind)}

# What differs from one run to the next: clocks, how many events came before, the runs' own names.
_TIMES = re.compile(
    rb',?"(at_ms|known_ms|at|evidence|revision|level|count)":("[^"]*"|\d+|\[[^]]*])'
)
_OPENED = re.compile(rb"\d{8}T\d{6}Z")


def alike(payload, table):
    """A payload without what differs from one run to the next."""
    words = re.sub(rf"\b{table}\b".encode(), b"t", payload)
    return _OPENED.sub(b"", _TIMES.sub(b"", words))


def hands_of(seed, count):
    """Hands of few seats with a mischief that such a table tells; and the same exchanged."""
    rng = random.Random(f"wires/{seed}")
    hands = []
    while len(hands) < count:
        hand = real_hand(rng, SEATS)
        if hand.kind in SURE_KINDS and not hand.spoilt:
            hands.append(hand.events)
    return hands, [exchanged(events, rng, Publicity(list(sensed(events)))) for events in hands]


class Floor(Subscriber):
    """Hears everything on the broker, and has each table's share of it searched as it comes."""

    def __init__(self):
        super().__init__()
        self.searches = {}
        self._read = 0

    def catch_up(self):
        """Search what has come since; called before anything changes at a table."""
        for topic, payload in self.said[self._read :]:
            for name, (search, now_ms) in self.searches.items():
                if f"/{name}/" in topic:
                    search.leaves(topic, now_ms(), "topic")
                    search.leaves(payload.decode(), now_ms(), topic)
        self._read = len(self.said)


@asynccontextmanager
async def heard_on_all(port):
    """A raw socket on the broker, subscribed to `#`."""
    floor = Floor()
    with mqtt.connect(port, "secrecy-all") as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        mqtt.subscribe(line, "#")
        task = asyncio.create_task(floor.listen(line))
        try:
            yield floor
        finally:
            task.cancel()
            await asyncio.wait([task])


@dataclass
class Table:
    """One live table: plays hands and has what leaves searched."""

    name: str
    folder: object
    url: str
    seed: object
    floor: Floor
    _shuffled_s: float = 0.0
    _begun_s: float = field(default_factory=monotonic)

    def __post_init__(self):
        self.folder.mkdir()
        rng = random.Random(f"table {self.seed}")
        self.live = LiveTable(self.name, self.folder, self.url, rng, SEATS, events=True)
        self.tags = {uid: card for deck in self.live._decks.values() for uid, card in deck.items()}
        self.search = Search(self.tags)
        self.floor.searches[self.name] = self.search, self.now_ms

    def now_ms(self):
        return round((monotonic() - self._begun_s) * 1000)

    async def play(self, hands):
        """These hands, each to the daemon's word that it is over."""
        stage = Hands(self._performing, self.live.devices, self.live._decks, self.live._rng, SPEED)
        for number, events in enumerate(hands, 1):
            await self.live.perform(stage.play(events))
            await self.floor.until(lambda number=number: self._over() >= number)
        self.floor.catch_up()

    def _over(self):
        words = [p for t, p in self.floor.said if t.endswith(f"/{self.name}/hand")]
        return sum(one != NO_HAND and other == NO_HAND for one, other in pairwise(words))

    def _performing(self, event):
        self.floor.catch_up()
        if isinstance(event, DeckShuffled):
            self._shuffled_s = monotonic()
        waits = monotonic() - self._shuffled_s < JUST_SHUFFLED_S
        self.search.told(event, self.now_ms(), waits=waits)
