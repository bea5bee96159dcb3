"""What a browser may send and what it is answered: types that decode, bound and describe it.

The floor's own views (`daemon.floor.views`) are answers too. `docs/screens-api.md` tells all this
to people, `/openapi.json` to programs; both are held against these types by the tests.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from daemon.floor.report.made import Form
from daemon.floor.views import Act, Role

# JSON Schema has no \Z; without the look ahead Python's `$` lets a line's end pass.
TOKEN = r"^[A-Za-z0-9_.:-]{1,64}$(?!\n)"  # noqa: S105 - a form, not a secret
LOGIN = r"^[a-z0-9][a-z0-9._@-]{0,63}$(?!\n)"
WHOLE = r"^[^\u0000]*$"  # PostgreSQL has no text with a NUL in it

Token = Annotated[str, Meta(pattern=TOKEN, max_length=64)]
Login = Annotated[str, Meta(pattern=LOGIN, max_length=64)]
Said = Annotated[str, Meta(max_length=500)]
Short = Annotated[str, Meta(max_length=64, pattern=WHOLE)]
Title = Annotated[str, Meta(max_length=200, pattern=WHOLE)]
Key = Annotated[str, Meta(min_length=1, max_length=400, pattern=WHOLE)]
Secret = Annotated[str, Meta(max_length=256)]
Moment = Annotated[datetime, Meta(tz=True)]
Language = Literal["en", "it"]
Theme = Literal["auto", "light", "dark"]


class Sounds(Struct, frozen=True, forbid_unknown_fields=True):
    """Which alerts sound at this person's screens, and how loud, in hundredths."""

    critical: bool = True
    high: bool = True
    volume: Annotated[int, Meta(ge=0, le=100)] = 80


# --- what is sent ---------------------------------------------------------------------------------


class Nothing(Struct, frozen=True):
    """A request that says all by its address."""


class SignIn(Struct, frozen=True, kw_only=True):
    """The form of `/login`."""

    login: Short = ""
    password: Secret = ""
    to: Annotated[str, Meta(max_length=500)] = ""  # where he wanted to go
    csrf: Short = ""


class SignOut(Struct, frozen=True, kw_only=True):
    """The form of `/logout`; `everywhere` ends all his sessions."""

    everywhere: bool = False
    csrf: Short = ""


class NewPassword(Struct, frozen=True, kw_only=True):
    """The form of `/password`."""

    old: Secret = ""
    new: Secret = ""
    again: Secret = ""
    csrf: Short = ""


class ActSent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody wants of an alert; `id` is made by the browser and is new for each act."""

    id: Token
    key: Key
    revision: Annotated[int, Meta(ge=0, le=10**9)]
    act: Literal["acknowledge", "close", "shelve", "unshelve", "note"]
    verdict: Literal["", "upheld", "none", "other"] = ""
    minutes: Annotated[int, Meta(ge=0, le=1440)] = 0
    text: Said = ""

    def as_act(self) -> Act:
        """The same as the floor takes it."""
        return Act(
            id=self.id, key=self.key, revision=self.revision, act=self.act,
            verdict=self.verdict, minutes=self.minutes, text=self.text,
        )  # fmt: skip


class UndoSent(Struct, frozen=True, forbid_unknown_fields=True):
    """Take back the act of this id."""

    id: Token


class ChainSent(Struct, frozen=True, forbid_unknown_fields=True):
    """This screen has had the test alert of this number."""

    screen: Token
    number: Annotated[int, Meta(ge=0, le=2**53)]


class MeSent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How somebody wants his own screens; what is left out stays."""

    language: Language | None = None
    theme: Theme | None = None
    sounds: Sounds | None = None


class PersonSent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new person."""

    login: Login
    name: Annotated[str, Meta(min_length=1, max_length=64)]
    role: Role


class PersonChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is changed of a person; what is left out stays."""

    login: Login
    name: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    role: Role | None = None
    disabled: bool | None = None


class PersonReset(Struct, frozen=True, forbid_unknown_fields=True):
    """A new password for this person, shown once."""

    login: Login


# --- what is asked --------------------------------------------------------------------------------


class LoginAsked(Struct, frozen=True):
    """Where to go behind the login, in which language to ask; whether the form was too old."""

    to: Annotated[str, Meta(max_length=500)] = ""
    lang: Annotated[str, Meta(max_length=8)] = ""
    again: bool = False


class LiveAsked(Struct, frozen=True, kw_only=True):
    """`screen` is this page's own name, made by it; `wall` makes it a wall's stream."""

    screen: Token
    view: Literal["", "wall"] = ""


class AlertAsked(Struct, frozen=True):
    """Which alert."""

    key: Key


class TableAsked(Struct, frozen=True):
    """Which table."""

    site: Short
    table: Short


class PastAsked(Struct, frozen=True, kw_only=True):
    """Which alerts of the past: `from` and `to` are UTC with a zone; empty is any.

    `table` and `irregularity` are names, titles or parts of them. `slower_s` are those acknowledged
    later than so many seconds, or never; `never` those that nobody acknowledged. `by` is who
    acknowledged or closed them, for surveillance; `dealer` is for administrators.
    """

    since: Moment | None = field(name="from", default=None)
    until: Moment | None = field(name="to", default=None)
    site: Short = ""
    table: Short = ""
    irregularity: Title = ""
    severity: Literal["", "critical", "high", "medium", "low"] = ""
    verdict: Literal["", "upheld", "none", "other"] = ""
    slower_s: Annotated[int, Meta(ge=0, le=86_400)] | Literal["never"] | None = None
    by: Short = ""
    dealer: Short = ""


class HistoryAsked(PastAsked, frozen=True, kw_only=True):
    """A page of them. `after` goes on where a page ended (its `next`)."""

    after: Annotated[str, Meta(max_length=200)] = ""
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


class ReportAsked(PastAsked, frozen=True, kw_only=True):
    """Of which alerts the figures: those of the last eight hours where no time is said."""


class ExportSent(PastAsked, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A report as a file; its making is followed at `/api/exports/{id}`.

    Where no time is said it is of the last eight hours, as a report is.
    """

    format: Form
    chart: Short = ""  # which chart, for svg


class AuditAsked(Struct, frozen=True, kw_only=True):
    """Older than `before` (a row's `number`), newest first."""

    before: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    login: Short = ""
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


# --- what is answered -----------------------------------------------------------------------------


class WrongSeen(Struct, frozen=True):
    """A field of what was asked or sent that cannot be taken, and why in words."""

    field: str
    words: str


class Refusal(Struct, frozen=True):
    """Why not: `error` is one of `daemon.floor.web.refusals.WORDS`, `words` says it to people.

    `wrong` are the fields that are to blame, where any are.
    """

    error: str
    words: str
    wrong: list[WrongSeen] = []


class Me(Struct, frozen=True, kw_only=True):
    """Who is at this screen, how he wants it, and what he may see. `until`: his session's end.

    `passwords` is false where nobody has one: in the demo, and where a proxy says who is there.
    """

    login: str
    name: str
    role: Role
    may_act: bool
    language: Language
    theme: Theme
    sounds: Sounds
    csrf: str
    until: str | None
    must_change: bool
    passwords: bool
    pages: list[str]
    audiences: list[str]
    demo: bool


class PersonSeen(Struct, frozen=True, kw_only=True):
    """A person, as administrators see him."""

    login: str
    name: str
    role: Role
    disabled: bool
    must_change: bool
    sessions: int
    last_seen: str | None


class PeopleSeen(Struct, frozen=True):
    """Everybody."""

    people: list[PersonSeen]


class PersonMade(Struct, frozen=True):
    """A person and his password, which nobody is ever shown again; "" where a proxy names him."""

    person: PersonSeen
    password: str


class ExportSeen(Struct, frozen=True):
    """An export: `making`, `ready`, `failed`; `done` of `of` pieces. `file` is where it lies."""

    id: str
    format: Form
    state: Literal["making", "ready", "failed"]
    done: int
    of: int
    file: str | None


class CoverageSeen(Struct, frozen=True):
    """What a table can see, as it said it (docs/topics.md, `coverage`); None where it did not."""

    coverage: dict[str, Any] | None


class KindSeen(Struct, frozen=True):
    """An irregularity that occurred, and its title in the reader's language."""

    irregularity: str
    title: str


class NamesSeen(Struct, frozen=True):
    """What the history can be asked for by name."""

    tables: list[str]
    irregularities: list[KindSeen]


class HistorySeen(Struct, frozen=True):
    """A page of alerts, newest first; `next` goes on, None at the end."""

    alerts: list[dict[str, Any]]
    next: str | None


class AuditSeen(Struct, frozen=True):
    """A page of the audit, newest first."""

    rows: list[dict[str, Any]]
    next: int | None


class Health(Struct, frozen=True):
    """That this service answers; nothing of the tables."""

    ok: bool


class Done(Struct, frozen=True):
    """It was done."""

    ok: bool = True
