"""The present picture: messages of the tables in, what is known of each table and alert, and news.

Nothing here waits or asks for the time. A table can fill its own part only, and that is bounded.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from daemon.floor import forms
from daemon.floor.forms import Place
from daemon.floor.instant import Instant
from daemon.floor.standing import Copy, Standing
from daemon.floor.table import Table
from daemon.floor.views import ActSeen, Payload, Transition

TABLES_MAX = 512
EVERYTHING = frozenset(
    {"state", "heard", "awaited", "status", "hand", "sensors", "figures", "coverage"}
)
STALE_S = 20.0


@dataclass(frozen=True, slots=True)
class TableChanged:
    """What has changed of a table: fields of a TableView; all of them where it is new."""

    site: str
    table: str
    fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class TableGone:
    """A table of which nothing stands at the broker any more."""

    site: str
    table: str


@dataclass(frozen=True, slots=True)
class AlertChanged:
    """An alert that is new, or not as it was, or stands no more."""

    key: str


@dataclass(frozen=True, slots=True)
class ActsHeard:
    """What was done at a table since a fault, as far as it is news."""

    site: str
    table: str
    alert: str
    acts: Sequence[ActSeen]


@dataclass(frozen=True, slots=True)
class HandsEnded:
    """So many hands have ended at a table since this was told last."""

    site: str
    table: str
    count: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A table's answer to an order."""

    site: str
    table: str
    answer: Payload


Change = TableChanged | TableGone | AlertChanged | ActsHeard | HandsEnded | Answered | Transition


class Picture:
    """All tables of these sites.

    `order` names the tables in the order of the floor. Without `dealers` nobody is to know who
    deals: whatever tells it is taken out before anything else sees it.
    """

    def __init__(
        self,
        sites: Collection[str],
        *,
        order: Iterable[str] = (),
        stale_s: float = STALE_S,
        dealers: bool = False,
    ) -> None:
        self._sites = frozenset(sites)
        self._order = {name: number for number, name in enumerate(order)}
        self._stale_s = stale_s
        self._dealers = dealers
        self._connection = 0
        self._tables: OrderedDict[tuple[str, str], Table] = OrderedDict()
        self._states: dict[tuple[str, str], str] = {}

    # --- what is heard ---

    def begin(self, now: Instant) -> None:
        """A new connection: what stands at the broker is about to be told anew."""
        self._connection += 1
        for table in self._tables.values():
            table.awaited_s = now.s

    def take(self, topic: str, payload: bytes, *, retained: bool, now: Instant) -> list[Change]:
        """Take a message; what is news by it. Raises nothing, whatever it is."""
        place = forms.place_of(topic)
        if place is None or place.site not in self._sites:
            return []
        if place.kind == "answer":
            said = forms.read("answer", payload)
            return [] if said is None else [Answered(place.site, place.table, said)]
        table = self._table(place, now, said=bool(payload))
        if table is None:
            return []
        changes: list[Change] = []
        if table.is_new:
            table.is_new = False
            changes.append(TableChanged(table.site, table.name, EVERYTHING))
        if not retained:
            table.heard = now
        if place.kind == "log":
            changes += self._line(table, place, payload, now)
        elif place.kind == "alerts":
            changes += self._alert(table, place, payload, retained=retained, now=now)
        else:
            changes += self._said(table, place, payload, retained=retained, now=now)
        return [*changes, *self._looked_at(table, now)]

    def settled(self, now: Instant) -> list[Change]:
        """All that stands at the broker has been told on this connection: what was not is gone."""
        changes: list[Change] = []
        for table in list(self._tables.values()):
            fields = table.forget(self._connection)
            if fields:
                changes.append(TableChanged(table.site, table.name, frozenset(fields)))
            changes += [
                AlertChanged(standing.key) for standing in table.alerts.gone(self._connection, now)
            ]
            changes += self._left(table)
            changes += self._looked_at(table, now)
        return changes

    def pass_time(self, now: Instant) -> list[Change]:
        """What is so merely because time has passed."""
        changes: list[Change] = []
        for table in self._tables.values():
            changes += table.lines.due(now)
            changes += self._looked_at(table, now)
            table.alerts.forget(now)
        return changes

    # --- what is known ---

    def tables(self) -> Iterator[Table]:
        """Every table, in no order."""
        yield from self._tables.values()

    def table(self, site: str, name: str) -> Table | None:
        """One table."""
        return self._tables.get((site, name))

    def state(self, table: Table) -> str:
        """How the floor hears it: `live`, `stale`, `offline` or `unknown`."""
        return self._states.get((table.site, table.name), "unknown")

    def order(self, table: Table) -> int:
        """Its place on the floor; what is not in the configuration comes behind."""
        return self._order.get(table.name, len(self._order))

    # --- inside ---

    def _table(self, place: Place, now: Instant, *, said: bool) -> Table | None:
        table = self._tables.get((place.site, place.table))
        if table is None and said and len(self._tables) < TABLES_MAX:
            table = Table(place.site, place.table, now)
            self._tables[place.site, place.table] = table
        return table

    def _said(
        self, table: Table, place: Place, payload: bytes, *, retained: bool, now: Instant
    ) -> list[Change]:
        said = forms.read(place.kind, payload) if payload else None
        if payload and said is None:
            return []
        before = table.hand_name
        fields = table.said(place, said, self._connection)
        if place.kind == "status":
            table.status_heard = table.status_heard if retained else now
            fields.add("heard")
        changes: list[Change] = []
        if fields:
            changes.append(TableChanged(table.site, table.name, frozenset(fields)))
        if place.kind == "hand":
            changes += _changed(table.alerts.follow(table.hand))
            if count := table.hands_ended(before, retained=retained):
                changes.append(HandsEnded(table.site, table.name, count))
        return [*changes, *self._left(table)]

    def _alert(
        self, table: Table, place: Place, payload: bytes, *, retained: bool, now: Instant
    ) -> list[Change]:
        audience, alert = place.below
        if not payload:
            found = table.alerts.cleared(audience, alert, now)
            return [] if found is None else [AlertChanged(found.key)]
        copy = self._copy("alerts", payload, audience)
        if copy is None or copy.payload.get("id") != alert:
            return []
        was_known = table.alerts.find(alert) is not None
        changed = table.alerts.told(audience, copy, self._connection, now, table.hand)
        if retained and not was_known and (standing := table.alerts.find(alert)) is not None:
            standing.found = True
        return list(_changed(changed))

    def _line(self, table: Table, place: Place, payload: bytes, now: Instant) -> list[Change]:
        audience = place.below[0]
        copy = self._copy("log", payload, audience)
        if copy is None:
            return []
        changes: list[Change] = list(table.lines.take(audience, copy, now))
        if copy.payload.get("late") is not True:
            found = table.alerts.line(audience, copy)
            changes += [] if found is None else [AlertChanged(found.key)]
        return changes

    def _copy(self, kind: str, payload: bytes, audience: str) -> Copy | None:
        """An alert as it was said under this audience; None where it is none, or for others."""
        said = forms.read(kind, payload)
        if said is None or not forms.words(said, "id") or (forms.number(said, "revision") or 0) < 1:
            return None
        if audience not in (said.get("audience"), "surveillance"):
            return None
        if "dealer" in said and not self._dealers:
            del said["dealer"]
            return Copy(forms.written(said), said)
        return Copy(payload, said)

    def _looked_at(self, table: Table, now: Instant) -> list[Change]:
        """News where the table is heard otherwise than before: its alerts are, too."""
        name = (table.site, table.name)
        state = table.state(now, self._stale_s)
        if name not in self._tables or self._states.get(name, "unknown") == state:
            return []
        was_live, self._states[name] = self._states.get(name) == "live", state
        changes: list[Change] = [TableChanged(table.site, table.name, frozenset({"state"}))]
        if was_live or state == "live":
            changes += [AlertChanged(standing.key) for standing in table.alerts.standing()]
        return changes

    def _left(self, table: Table) -> list[Change]:
        """A table that has taken back all that it said is none any more."""
        if not table.is_empty:
            return []
        self._tables.pop((table.site, table.name), None)
        self._states.pop((table.site, table.name), None)
        return [TableGone(table.site, table.name)]


def _changed(alerts: Iterable[Standing]) -> Iterator[Change]:
    """That these are not as they were, and what was done since."""
    for standing in alerts:
        yield AlertChanged(standing.key)
        if acts := standing.told_acts():
            yield ActsHeard(standing.site, standing.table, standing.id, acts)
