"""What is said of a table: each payload as the dictionary that it is, key by key.

docs/topics.md tells what the fields mean; the schemas in docs/schemas are made from these types.
Bounds are told in the schemas and not enforced by whoever reads: what a newer table says must not
make an older floor blind.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from msgspec import Meta


def told(**words: object) -> Meta:
    """Words for the schema alone, as JSON Schema has them."""
    return Meta(extra_json_schema=words)


def one_of(*words: str | int) -> Meta:
    """One of these, as far as the schema tells."""
    return told(enum=list(words))


PHASES = ("deck", "deal", "preflop", "flop", "turn", "river", "showdown")

V1 = Literal[1]
Number = Annotated[int, told(minimum=0)]
Ordinal = Annotated[int, told(minimum=1)]
Share = Annotated[float, told(minimum=0)]
Seat = Annotated[int, told(minimum=1, maximum=10)]
Card = Annotated[str, told(pattern="^[2-9TJQKA][cdhs]$")]
Word = Annotated[str, told(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
Phase = Annotated[str, one_of(*PHASES)]
Second = Annotated[str, told(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
Moment = Annotated[str, told(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]


# --- the daemon ---------------------------------------------------------------------------------


class Status(TypedDict):
    """That the daemon lives, and what troubles it; as `offline` its last will."""

    v: V1
    state: Annotated[str, one_of("online", "offline")]
    boot: str
    seq: Ordinal
    version: str
    rulebook: str
    table_state: Annotated[str, one_of("open", "paused", "closed", "maintenance")]
    since: Second
    at: Second
    beat_ms: Number
    troubles: list[str]


# --- sensors ------------------------------------------------------------------------------------


class Reads(TypedDict):
    """Polls that expected a card and those of them that missed it; cards that came, or came back.

    Of an antenna, over the last hands.
    """

    polls: Number
    missed: Number
    came: Number
    back: Number


class AntennaReads(Reads):
    """What one antenna read, and its place on the felt."""

    place: str


class Noise(TypedDict):
    """What a sensor said without sense, by kind, and over how many hands its reads are counted."""

    hands: Annotated[int, told(minimum=0, maximum=20)]
    errors: dict[str, Ordinal]


class SensorReads(Noise):
    """What a sensor makes of its readings, antenna by antenna."""

    antennas: dict[str, AntennaReads]


class SeatsReads(Noise):
    """What all the readers at seats make of theirs together."""

    polls: Number
    missed: Number


class SensorState(SensorReads):
    """How a sensor stands, since when, and what it reads badly."""

    v: V1
    state: Annotated[str, one_of("ok", "silent", "lost")]
    since: Second


class SeatsState(SeatsReads):
    """How the readers at seats stand, all together: who could tell them apart knew who looks."""

    v: V1
    state: Annotated[str, one_of("ok", "silent")]
    since: Second


# --- the hand -----------------------------------------------------------------------------------


class Counts(TypedDict):
    """How many cards lie where, all seats together."""

    stub: Number
    seats: Number
    board: Number
    burn: Number
    aside: Number
    muck: Number


class Due(TypedDict):
    """A step that may be done now, and the seat where it is one seat's."""

    step: Word
    seat: NotRequired[Seat]


class ActTold(TypedDict):
    """What a seat did, and when by the table's clock."""

    at_ms: Number
    seat: Seat
    act: Annotated[str, one_of("post", "fold", "check", "call", "bet", "raise", "all-in")]


class NoHand(TypedDict):
    """Between hands."""

    v: V1
    hand: None


class HandView(TypedDict):
    """The hand in progress, as everybody may know it."""

    v: V1
    hand: str
    deal: Ordinal
    street: Phase
    button: Seat | None
    seats_in: list[Seat]
    places: Counts
    public: list[Annotated[list[str], told(minItems=2, maxItems=2)]]
    due: list[Due]
    acts: Annotated[list[ActTold], told(maxItems=40)]
    seen: bool


# --- what the table sees ------------------------------------------------------------------------


class Unspotted(TypedDict):
    """An irregularity that the table cannot spot, and what would have to be added.

    Senses, and `betting-acts` or `betting-closes` from a source that is not the dealer.
    """

    irregularity: Word
    add: list[Word]


class Coverage(TypedDict):
    """Which irregularities of its rulebook the table spots, with the sensors that it was given.

    `called` are followed once a key tells of them; `never` no sensor can see, `silent` the house
    has put out. `text` has each one's title by language.
    """

    v: V1
    rulebook: str
    spots: list[Word]
    called: list[Word]
    unseen: list[Unspotted]
    never: list[Word]
    silent: list[Word]
    text: dict[str, dict[str, str]]


# --- the alarms ---------------------------------------------------------------------------------


class Commonest(TypedDict):
    """The irregularity told most often, and its share of the alerts."""

    irregularity: Word
    share: Share | None


class Acknowledged(TypedDict):
    """How many alerts were acknowledged, and how long it took."""

    count: Number
    median_ms: Number | None
    worst_ms: Number | None


class AlarmFigures(TypedDict):
    """The daemon's own measure of its alarms, over a shift."""

    v: V1
    window_ms: Number
    hands: Number
    alerts: Number
    per_10_min: Share | None
    per_100_hands: Share | None
    commonest: Commonest | None
    chattering: Number
    repeats: Number
    standing: Number
    stale: Number
    acknowledged: Acknowledged
    withdrawn: Share | None
    escalated: Number
    flood: bool
    flood_ms: Number | None


# --- what people said of an alert ---------------------------------------------------------------


class Signed(TypedDict):
    """Who gave a command, and when by the clock on the wall; null where no opening is known."""

    by: str
    at: Moment | None


class Shelving(TypedDict):
    """Who put it out of sight, until when, and why."""

    by: str
    until: Moment | None
    reason: str


class Note(Signed):
    """A word on it, or what was said when it was closed."""

    text: str


class Doubt(TypedDict):
    """Another explanation of what the sensors saw."""

    instead: Word
