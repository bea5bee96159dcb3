"""The tour: one irregularity of each kind, each put right as the book says and then not."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import Any

from msgspec import structs

from daemon.alarms.alert import Alert
from daemon.demo.deal import Deal
from daemon.demo.dealing import lawful
from daemon.demo.evening import evening
from daemon.demo.mischief import Incident, incident
from daemon.demo.outcome import IGNORED, RAISED, REMEDIED, RIGHT, WITHDRAWN
from daemon.demo.table_fit import SHOE
from daemon.demo.telling import as_sensed
from daemon.demo.words import Vocabulary
from daemon.pipeline import Judgement
from daemon.rules.rulebook import Rulebook
from daemon.rules.texts import Texts
from daemon.table.events import CardExposed, CardMoved, DealingEvent
from daemon.table.places import STUB, seat_of

Books = tuple[Rulebook, Texts]

SEATS = 6
UNKEYED = "unkeyed"
_LOOKED_AT = 12  # hands with room for it, of which the shortest is shown
_TRIES = 1500
_PLAYERS_LEAST = 3
_HOLE_CARDS = 2
_LANGUAGE = "en"  # of words that nobody reads


@dataclass(frozen=True, slots=True)
class Stop:
    """A kind of irregularity: its theme, the mischief, and how it is not put right."""

    theme: str
    name: str
    wrong: str


PROGRAMME = (
    Stop("deck", "cut-skipped", IGNORED),
    Stop("deck", "deck-duplicate-card", "remedy-unsupervised"),
    Stop("deal", "deal-first-card-exposed", "remedy-no-shuffle"),
    Stop("deal", "deal-single-card-exposed", "flop-multiple-burns"),
    Stop("deal", "deal-extra-card-first-player", "flop-multiple-burns"),
    Stop("burns", "flop-no-burn", "remedy-burn-missing"),
    Stop("board", "flop-overcount", "remedy-burned-when-forbidden"),
    Stop("board", "flop-premature", "remedy-too-early"),
    Stop("board", "turn-premature", "remedy-aside-not-returned"),
    Stop("hands", "hand-retrieved-from-muck", IGNORED),
    Stop("showdown", "pot-pushed-early", IGNORED),
    Stop("remedy", "river-premature", "remedy-no-shuffle"),
    Stop("doubt", "deal-single-card-exposed", UNKEYED),
    Stop("sensor", "sensor-silent", IGNORED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What is shown now: a hand, or a sensor's cable that is out before it and in again after it.

    `found` are the irregularities that must be found and not withdrawn, `unplugged` is the sensor.
    """

    number: int
    theme: str
    irregularity: str
    handling: str
    found: frozenset[str]
    hand: list[DealingEvent] = field(default_factory=list)
    unplugged: str = ""


def scenes(seed: int, books: Books) -> Iterator[Scene]:
    """All of the tour by the house's books, the same for the same seed."""
    rng = random.Random(f"{seed} tour")
    numbers = count(1)
    deals = (
        replace(deal, hand=str(number))
        for number, deal in enumerate(evening(rng, SEATS), 1)
        if len(deal.deal_order) >= _PLAYERS_LEAST
    )
    for stop in PROGRAMME:
        for handling in (RIGHT, stop.wrong):
            yield _scene(stop, handling, _Incidents(deals, rng, books), next(numbers))


@dataclass(frozen=True, slots=True)
class _Incidents:
    """Where a scene's hand comes from."""

    deals: Iterator[Deal]
    rng: random.Random
    books: Books

    def lawful(self) -> list[DealingEvent]:
        """The next hand, without a mistake."""
        return lawful(next(self.deals), self.rng)

    def shortest(
        self, name: str, handling: str, fits: Callable[[list[DealingEvent]], bool] = lambda _: True
    ) -> Incident:
        """The shortest of some hands in which this mischief, and what became of it, is seen."""
        deals, rng = islice(self.deals, _TRIES), self.rng
        made = (incident(name, handling, deal, rng) for deal in deals)
        whole = (one for one in made if one and fits(one.events) and self._is_whole(one))
        return min(islice(whole, _LOOKED_AT), key=lambda one: one.events[-1].at_ms)

    def _is_whole(self, told: Incident) -> bool:
        """Whether the remedy is done to its last step, or is not; no early end ends it."""
        line, last = Judgement(*self.books, (_LANGUAGE,)), dict[str, Alert]()
        for event in (told.table, *as_sensed(told.events)):
            last |= {alert.irregularity: alert for alert in line.take(event)}
        alert = last[told.irregularity]
        if told.handling != RIGHT:
            return alert.state == RAISED
        return alert.state == REMEDIED and all(step.state == "done" for step in alert.remedy)


def _scene(stop: Stop, handling: str, incidents: _Incidents, number: int) -> Scene:
    shown = Scene(
        number=number,
        theme=stop.theme,
        irregularity=stop.name,
        handling=handling,
        found=frozenset({stop.name}),
    )
    if stop.theme == "sensor":
        hand = [] if handling == RIGHT else incidents.lawful()
        return replace(shown, hand=hand, unplugged=SHOE)
    if handling == UNKEYED:
        hand = incidents.shortest(stop.name, RIGHT, _two_cards_at_most).events
        return replace(shown, hand=unkeyed(hand), found=frozenset({"deal-replacement-undue"}))
    told = incidents.shortest(stop.name, handling)
    stands = frozenset(name for name, state in told.found.items() if state != WITHDRAWN)
    return replace(shown, hand=told.events, found=stands)


def _two_cards_at_most(hand: list[DealingEvent]) -> bool:
    """Whether nobody ever has three: what was exposed is taken before it is replaced."""
    lying: Counter[str] = Counter()
    for event in hand:
        if isinstance(event, CardMoved):
            lying[event.source] -= 1
            lying[event.to] += 1
            if lying[event.to] > _HOLE_CARDS and seat_of(event.to):
                return False
    return True


def unkeyed(hand: list[DealingEvent]) -> list[DealingEvent]:
    """The same hand, in which nobody says whose card's face was seen."""
    return [
        structs.replace(event, face="down")
        if isinstance(event, CardMoved) and event.source == STUB and event.face == "up"
        else event
        for event in hand
        if not isinstance(event, CardExposed)
    ]


@dataclass(slots=True)
class Seen:
    """What came of each scene: the alerts raised in it, as they stood at its end."""

    scenes: list[tuple[Scene, list[dict[str, Any]]]] = field(default_factory=list)

    def told(self, say: Vocabulary, titles: Titles) -> Iterator[str]:
        """The summary's lines."""
        for scene, alerts in self.scenes:
            states = [f"{_title(alert, say)} [{say(alert['state'])}]" for alert in alerts]
            yield f"{titles.of(scene)}"
            yield f"     {'; '.join(states) or say('none')}"
        right = sum(_is_right(scene, alerts) for scene, alerts in self.scenes)
        yield say("toured").format(right=right, scenes=len(self.scenes))


def _is_right(scene: Scene, alerts: list[dict[str, Any]]) -> bool:
    """Whether it was found, put right where it is shown so, and nothing else was.

    Somebody at a screen may have closed it meanwhile.
    """
    stands = {one["irregularity"]: one["state"] for one in alerts if one["state"] != "withdrawn"}
    ends = stands.get(scene.irregularity)
    is_put_right = scene.handling == RIGHT or scene.theme == "sensor"
    return stands.keys() == scene.found and ends != ("raised" if is_put_right else "remedied")


def _title(alert: dict[str, Any], say: Vocabulary) -> str:
    return str(alert["text"][say.language]["title"])


@dataclass(frozen=True, slots=True)
class Titles:
    """A scene in words."""

    say: Vocabulary

    def of(self, scene: Scene) -> str:
        """One line: which, of how many, and how it is handled."""
        say = self.say
        how = (f"how-{scene.theme}-{scene.handling}", f"how-{scene.handling}")
        words = next((say(each) for each in how if say.knows(each)), None)
        if words is None:
            words = say("how-wrong").format(fault=say.title(scene.handling))
        theme = say(f"tour-{scene.theme}")
        where = f"{scene.number}/{2 * len(PROGRAMME)}"
        return f"{where:>5}  {theme}: {say.title(scene.irregularity)} - {words}"
