"""The floor's configuration file as it is written, key by key."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Word = Annotated[str, Meta(min_length=1, max_length=256)]
Severity = Literal["critical", "high"]
Severities = Annotated[tuple[Severity, ...], Meta(max_length=2)]
LOUD: tuple[Severity, ...] = ("critical", "high")

HeaderName = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9-]{1,64}\Z", description="a header's name, such as x-remote-user"),
]


class Broker(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the tables are heard: `mqtt://` or `mqtts://` URLs in turn; the rest names files."""

    urls: Annotated[tuple[str, ...], Meta(min_length=1, max_length=8)]
    client: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    username: str | None = None
    password_file: str | None = None
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None


class Proxy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reverse proxy: the networks that it comes from, and the header in which it names a user.

    Without `header` people sign in here, and the proxy only carries. With it `administrators` are
    those who may let others in.
    """

    addresses: Annotated[tuple[str, ...], Meta(min_length=1, max_length=16)]
    header: HeaderName | None = None
    administrators: Annotated[tuple[str, ...], Meta(max_length=16)] = ()
    secure: bool = True


class Web(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where browsers come to; `hosts` are the names that they know it by, beside its address."""

    listen: Word = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65_535)] = 8080
    hosts: Annotated[tuple[Word, ...], Meta(max_length=16)] = ()
    certificate: str | None = None
    key: str | None = None
    proxy: Proxy | None = None


class History(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the history is: SQLite below `state` by default, or a PostgreSQL by its URL."""

    url: str | None = None
    password_file: str | None = None
    ca: str | None = None
    keep_days: Annotated[int, Meta(ge=1, le=36_500)] | None = 400


class Tables(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tables as they stand on the floor; others come behind. Beyond `stale_s` none is live."""

    order: Annotated[tuple[str, ...], Meta(max_length=512)] = ()
    stale_s: Annotated[float, Meta(ge=11, le=600)] = 20.0


class Deeds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """For how long what somebody did can be undone; for how long at most he may shelve."""

    undo_s: Annotated[float, Meta(ge=0, le=30)] = 4.0
    shelve_max_min: Annotated[int, Meta(ge=1, le=1440)] = 240


class Staff(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether anybody may ask who dealt. `names` is a TOML file: pseudonym = "name"."""

    dealer_identity: Literal["off", "pseudonym", "name"] = "off"
    legal_basis: str = ""
    names: str | None = None


class Sounds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which alerts sound at the screens of each role, until a person wants it otherwise."""

    wall: Severities = LOUD
    supervise: Severities = LOUD
    maintain: Severities = LOUD
    surveillance: Severities = ()
    administer: Severities = LOUD


class ChainTest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often a test alert goes the way of an alert, from a virtual table to every screen."""

    every_s: Annotated[float, Meta(ge=5, le=75)] = 60.0


class Document(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration file, key by key: one `site` or several, and where `state` is kept."""

    site: str | None = None
    sites: Annotated[tuple[str, ...], Meta(min_length=1, max_length=16)] | None = None
    state: str | None = None
    broker: Broker
    web: Web = Web()
    history: History = History()
    tables: Tables = Tables()
    acts: Deeds = Deeds()
    staff: Staff = Staff()
    sounds: Sounds = Sounds()
    chain: ChainTest = ChainTest()
