"""One table as the floor has heard it: what it says of itself, its alerts, its lines."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from daemon.floor import forms
from daemon.floor.forms import Place
from daemon.floor.instant import Instant
from daemon.floor.lines import Lines
from daemon.floor.standing import Copy, Standing, acts_of
from daemon.floor.views import Payload

SENSORS_MAX = 80
STANDING_MAX = 600  # a table lets 500 stand
STANDING_BYTES_MAX = 8 << 20
LATELY_MAX = 100
LATELY_S = 1800.0
HANDS_AT_ONCE_MAX = 100

SAID = ("status", "hand", "figures", "coverage")


class Table:
    """A table, first `known` now.

    `heard` is when it last said anything, `status_heard` when that it lives.
    """

    def __init__(self, site: str, name: str, now: Instant) -> None:
        self.site = site
        self.name = name
        self.is_new = True
        self.known = now
        self.heard: Instant | None = None
        self.status_heard: Instant | None = None
        self.awaited_s = now.s  # since when a status is to be expected
        self.said_of: dict[str, Payload] = {}
        self.sensors: dict[str, Payload] = {}
        self.alerts = Alerts(site, name)
        self.lines = Lines(site, name)
        self.coverages = 0  # how many it has told
        self._when: dict[str, int] = {}  # what was said: on which connection

    @property
    def hand(self) -> Payload | None:
        """The hand as it stands, as it was said last."""
        return self.said_of.get("hand")

    @property
    def hand_name(self) -> str | None:
        """The hand in progress."""
        return forms.words(self.hand or {}, "hand") or None

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it stands at the broker."""
        return not (self.said_of or self.sensors or any(self.alerts.standing()))

    def state(self, now: Instant, stale_s: float) -> str:
        """`live`, `stale`, `offline`, or `unknown` as long as only old words of it are known."""
        status = self.said_of.get("status")
        if status is None:
            return "unknown"
        if status.get("state") != "online":
            return "offline"
        if self.status_heard is None:
            return "unknown" if now.s - self.awaited_s <= stale_s else "stale"
        return "live" if now.s - self.status_heard.s <= stale_s else "stale"

    def said(self, place: Place, said: Payload | None, connection: int) -> set[str]:
        """Take what it says of itself, None for nothing any more; which fields have changed."""
        if place.kind == "sensors":
            name = place.below[0]
            kept, field = self.sensors, "sensors"
            if name not in kept and len(kept) >= SENSORS_MAX:
                return set()
        else:
            name, kept, field = place.kind, self.said_of, place.kind
        topic = "/".join((place.kind, *place.below))
        if said is None:
            self._when.pop(topic, None)
            return {field} if kept.pop(name, None) is not None else set()
        self._when[topic] = connection
        is_news = kept.get(name) != said
        kept[name] = said
        self.coverages += is_news and field == "coverage"
        return {field} if is_news else set()

    def forget(self, connection: int) -> set[str]:
        """Let go of what was not said again on this connection; which fields have changed."""
        fields = set()
        for topic in [topic for topic, when in self._when.items() if when < connection]:
            del self._when[topic]
            kind, _, below = topic.partition("/")
            kept = self.sensors if below else self.said_of
            if kept.pop(below or kind, None) is not None:
                fields.add(kind)
        return fields

    def hands_ended(self, before: str | None, *, retained: bool) -> int:
        """How many hands have ended with what was said of the hand just now.

        Hands that nobody heard of count by their numbers, where the numbers tell it.
        """
        now = self.hand_name
        if before is None or before == now:
            return 0
        if now is not None and before.isdecimal() and now.isdecimal():
            between = int(now[:12]) - int(before[:12])
            return between if 0 < between <= HANDS_AT_ONCE_MAX else 1
        return 0 if retained and now is not None else 1


class Alerts:
    """The alerts of one table: those that stand, and those that did lately."""

    def __init__(self, site: str, table: str) -> None:
        self._site = site
        self._table = table
        self._standing: OrderedDict[str, Standing] = OrderedDict()
        self._lately: OrderedDict[str, Standing] = OrderedDict()
        self._bytes = 0

    def standing(self) -> Iterator[Standing]:
        """Those that stand, in the order in which they were heard of."""
        yield from self._standing.values()

    def find(self, alert: str) -> Standing | None:
        """One that stands or did lately."""
        return self._standing.get(alert) or self._lately.get(alert)

    def told(
        self, audience: str, copy: Copy, connection: int, now: Instant, hand: Payload | None
    ) -> list[Standing]:
        """Take an alert that stands under this audience; those that are not as they were."""
        alert = forms.words(copy.payload, "id")
        found = self._standing.get(alert)
        if found is None:
            found = self._lately.pop(alert, None) or Standing(
                self._site, self._table, alert, now.at
            )
            found.gone_s = None
        before = found.weight
        was_under = audience in found.under
        is_news = found.told(audience, copy)
        if copy.revision >= found.copies[audience].revision:
            found.under[audience] = connection
        if not found.under:  # it has ended as far as its lines told
            found.gone_s = now.s
            self._lately[alert] = found
            return []
        self._bytes += found.weight - (before if alert in self._standing else 0)
        self._standing[alert] = found
        has_acts = found.follow(hand, acts_of(hand))
        is_news = (is_news or not was_under) and not found.is_copied(audience)
        changed = [found] if is_news or has_acts else []
        return [*changed, *self._bounded(now)]

    def line(self, audience: str, copy: Copy) -> Standing | None:
        """Take a line of one that does not stand under this audience any more: how it ended."""
        found = self.find(forms.words(copy.payload, "id"))
        if found is None or audience in found.under or audience not in found.copies:
            return None
        before = found.weight
        is_news = found.told(audience, copy)
        if found.id in self._standing:
            self._bytes += found.weight - before
        return found if is_news else None

    def cleared(self, audience: str, alert: str, now: Instant) -> Standing | None:
        """It stands no more under this audience; None where it did not."""
        found = self._standing.get(alert)
        if found is None or found.under.pop(audience, None) is None:
            return None
        if not found.under:
            self._end(found, now)
        return found

    def gone(self, connection: int, now: Instant) -> list[Standing]:
        """Those that were not said again on this connection where they stood."""
        found = []
        for standing in list(self._standing.values()):
            left = [each for each, when in standing.under.items() if when < connection]
            for audience in left:
                self.cleared(audience, standing.id, now)
            if left:
                found.append(standing)
        return found

    def follow(self, hand: Payload | None) -> list[Standing]:
        """Those of which acts have become known with this."""
        acts = acts_of(hand)
        return [one for one in self._standing.values() if one.follow(hand, acts)]

    def forget(self, now: Instant) -> None:
        """Let go of those that have not stood for long."""
        while self._lately:
            oldest = next(iter(self._lately.values()))
            if oldest.gone_s is not None and now.s - oldest.gone_s <= LATELY_S:
                return
            self._lately.popitem(last=False)

    def _end(self, standing: Standing, now: Instant) -> None:
        del self._standing[standing.id]
        self._bytes -= standing.weight
        standing.gone_s = now.s
        self._lately[standing.id] = standing
        while len(self._lately) > LATELY_MAX:
            self._lately.popitem(last=False)

    def _bounded(self, now: Instant) -> list[Standing]:
        """Those that are let go, the oldest first, where a table lets too much stand."""
        found = []
        while len(self._standing) > STANDING_MAX or self._bytes > STANDING_BYTES_MAX:
            oldest = next(iter(self._standing.values()))
            oldest.under.clear()
            self._end(oldest, now)
            found.append(oldest)
        return found
