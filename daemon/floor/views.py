"""What a browser is told, view by view, and what the parts of the floor's side ask of each other.

Every view is the JSON object that it is. Who may see what is decided where views are made: what a
role may not see is not in them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NotRequired, Protocol, TypedDict

Role = Literal["wall", "supervise", "maintain", "surveillance", "administer"]
ROLES: tuple[Role, ...] = ("wall", "supervise", "maintain", "surveillance", "administer")
AUDIENCES_OF: dict[Role, frozenset[str]] = {
    "wall": frozenset({"floor"}),
    "supervise": frozenset({"floor"}),
    "maintain": frozenset({"maintenance"}),
    "surveillance": frozenset({"floor", "maintenance", "surveillance", "log"}),
    "administer": frozenset({"floor", "maintenance"}),
}
"""The alerts that each role sees."""

MAY_ACT: frozenset[Role] = frozenset({"supervise", "maintain", "administer"})
"""Who acknowledges, rules, shelves and notes; a wall shows, and surveillance is silent."""

Payload = dict[str, Any]
"""What a table said, as it said it, checked for its form."""


# --- what is shown --------------------------------------------------------------------------------


class Pending(TypedDict):
    """What somebody has just done at a screen, and no table has answered yet.

    Until `until` he can take it back; None: it is on its way to the table.
    """

    id: str
    act: str  # acknowledge, close, shelve, unshelve, note
    by: str
    until: str | None


class ActSeen(TypedDict):
    """A betting act since the fault."""

    at_ms: int
    seat: int | None
    act: str


class AlertView(TypedDict):
    """An alert as its role may see it.

    `key` is `<site>/<table>/<alert id>`. `alert` is the table's own payload (docs/alerts.md).
    `live` is false where its table is not heard: it may have changed since. `received` is when the
    floor first heard of it; where it was `found` standing, it was raised before that.
    """

    key: str
    site: str
    table: str
    live: bool
    received: str
    found: bool
    alert: Payload
    acts: list[ActSeen]
    pending: Pending | None


class WallAlert(TypedDict):
    """An alert on the wall, where players read along: which table, how bad, since when.

    `taking`: somebody has just said that he is on his way, and can take it back still.
    """

    key: str  # says nothing of the alert
    site: str
    table: str
    live: bool
    severity: str
    state: str
    level: int
    acknowledged: bool
    taking: bool
    shelved: bool
    received: str


class TableView(TypedDict):
    """A table: what it last said of itself.

    `heard` is when it last said anything, None where all that is known stood at the broker when
    this run began to listen to it, which is `awaited`: how old it is its `status` says.
    `coverage` is the number of what it said last of what it can see, None without: it is large and
    seldom looked at, so that it is asked for.
    """

    site: str
    table: str
    order: int
    state: str  # live, stale, offline, unknown
    heard: str | None
    awaited: str
    status: Payload | None
    hand: Payload | None
    sensors: dict[str, Payload]
    figures: Payload | None
    coverage: int | None


class WallTable(TypedDict):
    """A table on the wall."""

    site: str
    table: str
    order: int
    state: str
    heard: str | None
    awaited: str
    table_state: str | None


class Trouble(TypedDict):
    """Something that is wrong with the service.

    `key` is one of `[trouble_says]` of the screens' words, with what is filled in there, or "":
    then it is told as `words` have it, in English. `words` and `detail`, what a program said of it,
    are for those who look after the service.
    """

    key: str
    says: dict[str, str | int]
    words: str
    detail: str


class Link(TypedDict):
    """Whether the floor hears the broker, since when, and what is wrong with the service.

    `well` is false where anything is, which a wall is told too, though not what.
    """

    state: str  # up, down
    since: str
    well: bool
    troubles: list[Trouble]


class Chain(TypedDict):
    """Whether a test alert came through, from a virtual table over the broker to this service.

    `screens` are those that did not answer the last one.
    """

    whole: bool
    at: str | None  # when one last came through
    took_ms: int | None
    broken: str  # "", "broker", "floor", "screens"
    screens: list[str]


class Beat(TypedDict):
    """The service's heartbeat."""

    now: str
    link: Link
    chain: Chain


class Snapshot(TypedDict):
    """The whole picture, for one role."""

    v: Literal[1]
    boot: str
    now: str
    beat_s: float
    sites: list[str]
    tables: list[TableView] | list[WallTable]
    alerts: list[AlertView] | list[WallAlert]
    link: Link
    chain: Chain


Change = dict[str, str | int | bool | None]
"""What a line of an alert says otherwise than the one before it: `what`, and what belongs to it."""


class PastLine(TypedDict):
    """A line of an alert as the history has it; `told` is when the floor heard it."""

    revision: int
    told: str
    late: bool
    state: str
    severity: str
    audience: str
    changes: list[Change]


class Past(TypedDict):
    """An alert, standing or not, and what was said of it, as far as its role may know.

    `view` is as it was last told. `lines` are oldest first; `earlier` says that there are older
    ones, `written` is false where the history does not answer.
    """

    view: AlertView
    lines: list[PastLine]
    earlier: bool
    written: bool


@dataclass(frozen=True, slots=True)
class News:
    """One event of the live stream, as its role may see it.

    `kind` and what is in `view`: `table` a TableView or WallTable without those keys that have not
    changed, `site` and `table` always among them: to be laid over the one that is there, or a new
    one, with all keys; `alert` an AlertView or WallAlert that stands, whole; `gone` `{"key"}` of
    one that stands no more; `act` an Outcome; `chain` `{"number"}` to be answered; `beat` a Beat;
    `picture` a Snapshot. One object goes to all screens of a role: what is made of it once (its
    JSON) may be kept with it, and nobody changes it.
    """

    kind: str
    view: Any


# --- what people do -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a screen."""

    login: str
    name: str
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What somebody wants of an alert, at the revision that he has before him.

    `id` is the browser's own: the same act once more is the same act.
    """

    id: str
    key: str
    revision: int
    act: str
    verdict: str = ""
    minutes: int = 0
    text: str = ""


class Outcome(TypedDict):
    """What became of an act: `pending`, `undone`, `sent`, `done`, or `refused` with the reason.

    Reasons are those of docs/topics.md, `answer`, and `unheard` (the table did not answer),
    `offline` (it is off), `no-broker` (nothing goes to any table), `doing` (somebody does this
    already: `who`), `forbidden`, `unknown-alert`, `too-late` (to undo).
    """

    id: str
    key: str
    by: str
    act: str
    state: str
    reason: NotRequired[str]
    who: NotRequired[str]


class Floor(Protocol):
    """What the web asks of the floor. Views are for a role; nothing here waits for the network."""

    def snapshot(self, role: Role) -> Snapshot:
        """The whole picture now."""
        ...

    def listen(
        self, person: Person, screen: str
    ) -> AbstractContextManager[AsyncIterator[Sequence[News]]]:
        """What is news from now on, for this person's screen, the first a `picture`.

        An ear that is too slow hears a new `picture` instead of what it missed.
        """
        ...

    def alert(self, role: Role, key: str) -> AlertView | None:
        """One alert that stands or was lately closed."""
        ...

    def coverage(self, role: Role, site: str, table: str) -> Payload | None:
        """What a table said of what it can see; None where it said nothing, or not to this role."""
        ...

    async def act(self, person: Person, act: Act) -> Outcome:
        """Take what somebody wants; `pending` or `refused` at once."""
        ...

    async def undo(self, person: Person, act_id: str) -> Outcome:
        """Take it back, if it is his and was not sent yet."""
        ...

    def chain_seen(self, screen: str, number: int) -> None:
        """A screen has had the test alert of this number."""
        ...


# --- what is remembered ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A line of an alert, as it is put into the history: once for each id and revision.

    `at` is when it became wrong, `told` when the floor heard this line, both UTC; `payload` is the
    line as the table said it.
    """

    site: str
    table: str
    alert: str
    revision: int
    audience: str
    irregularity: str
    severity: str
    state: str
    hand: str
    street: str
    at: datetime | None
    told: datetime
    late: bool
    acknowledged_by: str | None
    acknowledged_at: datetime | None
    verdict: str | None
    level: int
    dealer: str | None
    payload: bytes


class History(Protocol):
    """Where transitions go; never fails for its caller, and never lets the loop wait."""

    def put(self, transition: Transition) -> None:
        """Remember it, unless it is known."""
        ...

    def acts(
        self, site: str, table: str, alert: str, acts: Sequence[ActSeen], told: datetime
    ) -> None:
        """What was done at a table since this fault, heard now; what is known is known once."""
        ...

    def hands(self, site: str, table: str, count: int, until: datetime) -> None:
        """So many hands more have ended at this table, until now."""
        ...

    def audit(  # noqa: PLR0913 - one for each column
        self, *, at: datetime, login: str, role: str, what: str, about: str, outcome: str
    ) -> None:
        """Who did what at a screen."""
        ...
