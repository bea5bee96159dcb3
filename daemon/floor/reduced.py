"""Views of tables and alerts, each reduced to what its role may see: the rest is not in them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import blake2s
from typing import Any, cast

from daemon.floor import forms
from daemon.floor.instant import iso, moment
from daemon.floor.picture import EVERYTHING
from daemon.floor.standing import Standing
from daemon.floor.table import Table
from daemon.floor.views import (
    AUDIENCES_OF,
    ROLES,
    AlertView,
    Chain,
    Link,
    Payload,
    Pending,
    Role,
    TableView,
    Trouble,
    WallAlert,
    WallTable,
)

FIELDS_OF: Mapping[Role, frozenset[str]] = {
    "wall": frozenset({"state", "heard", "awaited", "table_state"}),
    "supervise": EVERYTHING,
    "maintain": EVERYTHING - {"hand"},
    "surveillance": EVERYTHING,
    "administer": EVERYTHING,
}
"""What each role sees of a table."""

KNOWS_DEALERS: frozenset[Role] = frozenset({"surveillance", "administer"})
LOOKS_AFTER: frozenset[Role] = frozenset({"maintain", "administer"})
"""Who is told what a program said of a trouble; everybody else reads words for people."""

SEES_HANDS: frozenset[Role] = frozenset(role for role in ROLES if "hand" in FIELDS_OF[role])

WALL_WORDS: Mapping[str, frozenset[str]] = {
    "severity": frozenset({"critical", "high", "medium", "low"}),
    "state": frozenset({"raised", "remedied", "withdrawn", "closed"}),
    "table_state": frozenset({"open", "paused", "closed", "maintenance"}),
}
"""The words that may stand on a wall: a table could say anything else in their place."""


def audiences_of(role: Role) -> frozenset[str]:
    """The audiences under which this role hears of alerts."""
    return AUDIENCES_OF[role]


def table_view(
    role: Role, table: Table, *, state: str, order: int, fields: Collection[str]
) -> TableView | WallTable | None:
    """What this role sees of these fields of a table; None where it sees nothing of them."""
    asked = {"table_state", *fields} if "status" in fields else set(fields)
    seen = FIELDS_OF[role] & asked
    if not seen:
        return None
    heard = None if table.heard is None else iso(table.heard.at)
    status = table.said_of.get("status")
    every: dict[str, Any] = {
        "state": state,
        "heard": heard,
        "awaited": iso(table.known.at),
        "status": status,
        "table_state": _wall_word(status or {}, "table_state") or None,
        "hand": table.hand,
        "sensors": dict(table.sensors),
        "figures": table.said_of.get("figures"),
        "coverage": table.coverages if "coverage" in table.said_of else None,
    }
    view = {"site": table.site, "table": table.name, "order": order}
    return cast("TableView", view | {field: every[field] for field in every if field in seen})


def alert_view(
    role: Role, standing: Standing, *, live: bool, pending: Pending | None, stands: bool = True
) -> AlertView | None:
    """An alert as this role may see it; None where it may not, or where it stands no more.

    Without `stands` one that did stand lately is shown, too.
    """
    copy = standing.latest(audiences_of(role), stands=stands)
    if copy is None:
        return None
    return AlertView(
        key=standing.key,
        site=standing.site,
        table=standing.table,
        live=live,
        received=iso(standing.received),
        found=standing.found,
        alert=told_alert(role, copy.payload),
        acts=list(standing.acts) if role in SEES_HANDS else [],
        pending=pending,
    )


def wall_alert(
    standing: Standing, *, live: bool, pending: Pending | None, secret: bytes
) -> WallAlert | None:
    """An alert on the wall; None where it is not for it. `secret` makes its key say nothing."""
    copy = standing.latest(audiences_of("wall"))
    if copy is None:
        return None
    began = moment(forms.words(copy.payload, "at"))
    return WallAlert(
        key=wall_key(standing.key, secret),
        site=standing.site,
        table=standing.table,
        live=live,
        severity=_wall_word(copy.payload, "severity") or "high",
        state=_wall_word(copy.payload, "state") or "raised",
        level=max(1, min(9, forms.number(copy.payload, "level") or 1)),
        acknowledged=copy.payload.get("acknowledged") is not None,
        taking=pending is not None and pending["act"] == "acknowledge",
        shelved=copy.payload.get("shelved") is not None,
        received=iso(began or standing.received),
    )


def told_alert(role: Role, payload: Payload, *, dealers: bool = True) -> Payload:
    """What was said of an alert, without who dealt where that is not for this role or house."""
    if "dealer" not in payload or (dealers and role in KNOWS_DEALERS):
        return payload
    return {key: value for key, value in payload.items() if key != "dealer"}


def told_link(role: Role, link: Link) -> Link:
    """The link as this role is told: to a wall without what is wrong, which is for the staff."""
    if role in LOOKS_AFTER:
        return link
    told = [] if role == "wall" else [_in_plain_words(trouble) for trouble in link["troubles"]]
    return {**link, "troubles": told}


def told_chain(role: Role, chain: Chain) -> Chain:
    """The chain as this role is told: to a wall how many screens do not answer, and not whose."""
    if role != "wall":
        return chain
    return {**chain, "screens": [str(number) for number, _ in enumerate(chain["screens"], 1)]}


def wall_key(key: str, secret: bytes) -> str:
    """The name of an alert on the wall: the same in this run of the service, and no other's."""
    return blake2s(key.encode(), key=secret, digest_size=12).hexdigest()


def _in_plain_words(trouble: Trouble) -> Trouble:
    """A trouble without what a program said of it."""
    return {**trouble, "key": trouble["key"] or "unnamed", "words": "", "detail": ""}


def _wall_word(payload: Payload, key: str) -> str:
    word = forms.words(payload, key)
    return word if word in WALL_WORDS[key] else ""
