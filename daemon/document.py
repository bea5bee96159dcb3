"""The table's configuration file as it is written, key by key."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from daemon.table.events import Betting, Sense

Key = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9._-]{1,32}\Z", description="1 to 32 of A-Z a-z 0-9 . _ -")
]


class Broker(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where alerts go: `mqtt://` or `mqtts://` URLs, gone through in turn.

    `events` that dealing events go there too, without hidden cards; the rest names files.
    """

    urls: Annotated[tuple[str, ...], Meta(min_length=1, max_length=8)]
    client: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    username: str | None = None
    password_file: str | None = None
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    events: bool = False


class Weighing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a reader's polls or reports are weighed; what is left out is as its driver has it.

    `held_ms` is for devices that tell tags one by one: after it a tag not told again is gone.
    """

    seen: int | None = None
    window: int | None = None
    misses: int | None = None
    held_ms: Annotated[int, Meta(ge=100, le=60_000)] | None = None


class SensorFit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[sensors]]` table: a device, its port, and where its antennas lie."""

    name: Key
    driver: str
    port: Annotated[str, Meta(min_length=1, max_length=256)]
    antennas: dict[str, str] = {}
    senses: tuple[Sense, ...] | None = None
    presence: Weighing = Weighing()


class Journal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the journal lies (None: the state directory), and at what size a new part begins.

    `keep_days`, `keep_parts` and `free_mb` let old parts go (None: never for that). `seal` names
    the public key to which it is sealed, `heads` a file to which the chain's head is noted.
    """

    folder: str | None = None
    size_mb: Annotated[int, Meta(ge=1, le=4096)] = 16
    keep_days: Annotated[int, Meta(ge=1, le=36_500)] | None = None
    keep_parts: Annotated[int, Meta(ge=2, le=100_000)] | None = None
    free_mb: Annotated[int, Meta(ge=1, le=1 << 24)] | None = None
    seal: Annotated[str, Meta(min_length=1)] | None = None
    heads: Annotated[str, Meta(min_length=1)] | None = None


class Staff(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be known of the dealer, and the badges: UID to a key, or the TOML file of that.

    Dealers are told apart only where `legal_basis` says by what right.
    """

    dealer_identity: Literal["off", "pseudonym", "name"] = "off"
    legal_basis: Annotated[str, Meta(max_length=500)] = ""
    badges: str | dict[str, Any] = {}


class Document(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration file, key by key."""

    site: str
    table: str
    game: Literal["cash", "tournament"] = "cash"
    seat_count: Annotated[int, Meta(ge=2, le=10)] = 10
    rulebook: str = "robert-classic"
    languages: Annotated[tuple[str, ...], Meta(min_length=1)] = ("en", "it")
    broker: Broker
    betting: Betting = Betting()
    sensors: Annotated[tuple[SensorFit, ...], Meta(min_length=1, max_length=64)]
    decks: dict[Key, str | dict[str, Any]] = {}
    house: dict[str, Any] = {}
    journal: Journal = Journal()
    staff: Staff = Staff()
