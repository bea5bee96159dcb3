"""The picture as each role may see it: snapshots, and views of what has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from daemon.floor.acts import Acts
from daemon.floor.instant import Instant, iso
from daemon.floor.order import counted
from daemon.floor.picture import EVERYTHING, Picture
from daemon.floor.reduced import (
    FIELDS_OF,
    alert_view,
    table_view,
    told_chain,
    told_link,
    wall_alert,
)
from daemon.floor.standing import Standing
from daemon.floor.table import Table
from daemon.floor.views import (
    AlertView,
    Chain,
    Link,
    Payload,
    Role,
    Snapshot,
    TableView,
    WallAlert,
    WallTable,
)


class Showing:
    """Views of a picture. `boot` names this run, `secret` makes the wall's keys say nothing."""

    def __init__(
        self, known: Picture, sites: tuple[str, ...], boot: str, secret: bytes, beat_s: float
    ) -> None:
        self._picture = known
        self._sites = sites
        self._boot = boot
        self._beat_s = beat_s
        self.secret = secret

    def snapshot(self, role: Role, now: Instant, link: Link, chain: Chain, acts: Acts) -> Snapshot:
        """The whole picture, for one role."""
        tables = sorted(self._picture.tables(), key=self._rank)
        alerts = (
            self.alert(role, standing, acts)
            for table in tables
            for standing in table.alerts.standing()
        )
        return Snapshot(
            v=1,
            boot=self._boot,
            now=iso(now.at),
            beat_s=self._beat_s,
            sites=list(self._sites),
            tables=cast("list[TableView]", [self._table(role, table) for table in tables]),
            alerts=cast("list[AlertView]", [view for view in alerts if view is not None]),
            link=told_link(role, link),
            chain=told_chain(role, chain),
        )

    def alert(self, role: Role, standing: Standing, acts: Acts) -> AlertView | WallAlert | None:
        """An alert as this role may see it, which it does from now on; None where it may not."""
        standing.is_shown = True
        if role == "wall":
            live, pending = self.state_of(standing) == "live", acts.pending(standing.key)
            return wall_alert(standing, live=live, pending=pending, secret=self.secret)
        return self.whole(role, standing, acts)

    def whole(
        self, role: Role, standing: Standing, acts: Acts, *, stands: bool = True
    ) -> AlertView | None:
        """The same for a role that is no wall; without `stands` one that did lately, too."""
        live = self.state_of(standing) == "live"
        pending = acts.pending(standing.key)
        return alert_view(role, standing, live=live, pending=pending, stands=stands)

    def news(
        self, role: Role, changed: Mapping[tuple[str, str], set[str]]
    ) -> Iterator[TableView | WallTable]:
        """What this role sees of the tables and their fields that have changed."""
        for (site, name), fields in changed.items():
            table = self._picture.table(site, name)
            view = None if table is None else self._table(role, table, fields)
            if view is not None:
                yield view

    def coverage(self, role: Role, site: str, name: str) -> Payload | None:
        """What a table can see; None where it did not say, or not to this role."""
        table = self._picture.table(site, name)
        if table is None or "coverage" not in FIELDS_OF[role]:
            return None
        return table.said_of.get("coverage")

    def find(self, key: str) -> Standing | None:
        """The alert of this key, one that stands or did lately."""
        site, _, rest = key.partition("/")
        name, _, alert = rest.partition("/")
        table = self._picture.table(site, name)
        return None if table is None else table.alerts.find(alert)

    def state_of(self, standing: Standing) -> str:
        """How the alert's table is heard."""
        table = self._picture.table(standing.site, standing.table)
        return "unknown" if table is None else self._picture.state(table)

    def _table(
        self, role: Role, table: Table, fields: set[str] | None = None
    ) -> TableView | WallTable | None:
        return table_view(
            role,
            table,
            state=self._picture.state(table),
            order=self._picture.order(table),
            fields=EVERYTHING if fields is None else fields,
        )

    def _rank(self, table: Table) -> tuple[object, ...]:
        """As they stand on the floor; others by their names, poker-2 before poker-10."""
        return self._picture.order(table), table.site, counted(table.name)
