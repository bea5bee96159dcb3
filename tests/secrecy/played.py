"""What is played at the tables: real hands with mischief, and what befalls the table meanwhile.

Whatever befalls it is drawn by seed and hangs on nothing hidden: the same at both tables of a pair.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field

from msgspec.structs import replace as replaced

from daemon.demo.dealing import lawful
from daemon.demo.mischief import incident, kinds
from daemon.demo.real_hands import deal_of
from daemon.messages import Heard
from daemon.table import events as dealing
from daemon.table.places import plain, seat_of
from tests.hands.loader import recorded_hands
from tests.laws.streams import spoil

KINDS = tuple(kinds())
LAWFUL, SPOILT = 0.15, 0.1
CALM = {  # of a hand in which it happens, once
    "restart": 0.1, "broker": 0.12, "noise": 0.2, "foreign": 0.1, "order": 0.5, "nonsense": 0.2,
    "pause": 0.05,
}  # fmt: skip
ROUGH = CALM | {"kill": 0.3, "loss": 0.5}
ANY = CALM | {"restart": 0.03, "kill": 0.03, "loss": 0.25}
NONSENSE = (
    b"", b"{", b"\xff\xfe", b"[" * 4000, b'{"v":1,"command":"acknowledge"}', b'"As"' * 3000,
    b'{"v":1,"command":"close","alert":"x","revision":1,"by":"anna","verdict":"upheld"}',
)  # fmt: skip
ORDERS = (
    {"command": "acknowledge"},
    {"command": "close", "verdict": "upheld"},
    {"command": "close", "verdict": "none", "text": "nothing in it"},
    {"command": "shelve", "minutes": 1, "text": "later"},
    {"command": "unshelve"},
    {"command": "note", "text": "asked the dealer"},
)


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand to be played, its mischief, and by event what happens before it."""

    name: str
    kind: tuple[str, str] | None
    events: list[dealing.DealingEvent]
    befalls: dict[int, list[tuple[str, int]]] = field(default_factory=dict)
    spoilt: bool = False


def real_hand(rng, seats_max, odds=CALM):
    """A recorded hand as it was played, or with one mischief, its cards brought in at its end."""
    while True:
        recorded = rng.choice(recorded_hands())
        if max(*recorded["seats"]["occupied"], recorded["button"]) > seats_max:
            continue
        deal = deal_of(recorded, rng)
        kind = None if rng.random() < LAWFUL else rng.choice(KINDS)
        happened = kind and incident(*kind, deal, rng)
        if kind and not happened:
            continue
        events = happened.events if happened else lawful(deal, rng)
        if highest(events) > seats_max:
            continue
        is_spoilt = rng.random() < SPOILT
        if is_spoilt:
            events = list(_dealable(spoil(events, rng, 2)))
        befalls = _befallen(rng, len(events), odds)
        return Hand(recorded["id"], kind, swept(events), befalls, is_spoilt)


def highest(events):
    """The highest seat of the hand, the button's too where nobody sits there."""
    seats = [max(*e.seats, e.button) for e in events if isinstance(e, dealing.HandStarted)]
    for event in events:
        seats += [seat for place in ("source", "to") if (seat := _seat(getattr(event, place, "")))]
    return max(seats, default=0)


def _seat(place):
    return seat_of(place) if isinstance(place, str) and place else None


def _dealable(events):
    """Those of the events that hands can do: of cards with a name, with whole hands."""
    for event in events:
        if not str(getattr(event, "card", "") or "").startswith("?"):
            yield event


def swept(events):
    """The hand with its cards brought in at its end: else they lie about in the next one."""
    last = events[-1]
    if any(isinstance(event, dealing.CardsCollected) for event in events[-3:]):
        return events
    return [*events[:-1], dealing.CardsCollected(at_ms=last.at_ms), last]


def _befallen(rng, count, every):
    befalls = {}
    for what, odds in every.items():
        if rng.random() < odds:
            own = rng.randrange(1 << 32)
            befalls.setdefault(rng.randrange(2, count), []).append((what, own))
            if what in ("loss", "broker", "foreign", "pause"):
                befalls.setdefault(rng.randrange(2, count), []).append((f"{what} over", own))
    return befalls


class Script:
    """What befalls a table while a hand is played; `over` ends what still goes on."""

    def __init__(self, hand):
        self._befalls = hand.befalls
        self._number = -1
        self._lost = ""
        self._foreign = self._away = self._paused = False

    def __call__(self, daemon):
        self._number += 1
        for what, seed in self._befalls.get(self._number, ()):
            self._happen(daemon, what, random.Random(seed))

    def over(self, daemon):
        for what in ("loss over", "broker over", "foreign over", "pause over"):
            self._happen(daemon, what, None)

    def _happen(self, daemon, what, rng):
        match what:
            case "restart" | "kill" if not self._away:
                daemon.restart(killed=what == "kill")
            case "loss" if not self._lost:
                self._lost = rng.choice(daemon.settings.sensors).name
                daemon.unplug(self._lost)
            case "loss over" if self._lost:
                daemon.replug(self._lost)
                self._lost = ""
            case "broker" if not self._away:
                self._away = True
                daemon.broker_gone()
            case "broker over" if self._away:
                self._away = False
                daemon.broker_back()
            case "noise":
                sensor = rng.choice(daemon.settings.sensors).name
                daemon.noise(sensor, rng.randbytes(rng.randrange(1, 60)))
            case "foreign":
                self._foreign = True
                daemon.devices.felt.lay(daemon.foreign, rng.randrange(1, 6))
            case "foreign over" if self._foreign:
                for antenna in range(1, 6):
                    daemon.devices.felt.lift(daemon.foreign, antenna)
            case "pause":
                self._paused = True
                daemon.heard(_table_state("paused"))
            case "pause over" if self._paused:
                self._paused = False
                daemon.heard(_table_state("open"))
            case "order":
                daemon.heard(_order(daemon, rng))
            case "nonsense":
                daemon.heard(Heard(rng.choice(NONSENSE), "anna", rng.random() < 0.2))
            case _:
                pass


def _table_state(state):
    words = {"v": 1, "command": "table-state", "state": state, "by": "anna", "id": "order"}
    return Heard(json.dumps(words).encode(), "anna")


def _order(daemon, rng):
    """A person at a screen: what he sees there he gives orders about."""
    alerts = [one for one in daemon.left if one.way == "mqtt" and "/log/" in one.what["topic"]]
    words = {"v": 1, "by": "anna", "id": "order", **rng.choice(ORDERS)}
    if alerts:
        alert = json.loads(rng.choice(alerts[-4:]).what["payload"])
        words |= {"alert": alert["id"], "revision": alert["revision"]}
    return Heard(json.dumps(words).encode(), "anna", reply_to="floor/answers", correlation=b"7")


# --- what everybody has seen ----------------------------------------------------------------------


def sensed(events, *, camera=False):
    """The stream, event for event, as the law counts faces where keys name no card.

    Every board card counts as seen at once, which exchanges fewer cards and no other; under a
    camera whatever lay face up at some moment does.
    """
    for event in events:
        match event:
            case dealing.CardMoved(to=to) if plain(to) == "board":
                yield replaced(event, face="up")
            case _ if camera:
                yield event
            case dealing.CardMoved():
                yield replaced(event, face="unknown")
            case dealing.CardTurned():
                yield replaced(event, face="unknown")
            case dealing.CardExposed():
                yield replaced(event, card=None)
            case dealing.HandTabled():
                yield replaced(event, cards=())
            case _:
                yield event
