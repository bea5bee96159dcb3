"""The figures of a shift, made of rows alone: how often, what, how soon, and how often falsely."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from math import ceil
from statistics import median

from daemon.floor.history.rows import AlertRow, HandsRow, ShelvingRow
from daemon.floor.order import counted

SEVERITIES = ("critical", "high", "medium", "low")
ANSWER_LIMITS_MS: tuple[int | None, ...] = (15_000, 30_000, 60_000, 120_000, 300_000, None)
"""Times to acknowledge, counted up to each of these; the last holds what took longer."""

HOURS_MAX = 72  # beyond that, days are counted, not hours
SLOTS_MAX = 400


@dataclass(frozen=True, slots=True)
class Answers:
    """How many were acknowledged, how many never, and how long it took; None without any."""

    count: int
    unanswered: int
    median_ms: int | None
    p90_ms: int | None
    worst_ms: int | None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """How the floor ruled. `false_share`: of those ruled on, how many were no irregularity."""

    upheld: int
    none: int
    other: int
    false_share: float | None


@dataclass(frozen=True, slots=True)
class Slot:
    """How many alerts came within an hour, or a day, from then on."""

    since_ms: int
    alerts: int


@dataclass(frozen=True, slots=True)
class Kind:
    """One irregularity: how often, its share of all, and how often it was none."""

    irregularity: str
    titles: Mapping[str, str]
    alerts: int
    share: float
    per_100_hands: float | None
    verdicts: Verdicts


@dataclass(frozen=True, slots=True)
class TableFigures:
    """One table. `per_100_hands` is None where no hand is known of."""

    site: str
    table: str
    alerts: int
    hands: int
    per_100_hands: float | None
    answers: Answers
    verdicts: Verdicts


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """One supervisor, for surveillance: `too_late` are alerts whose window he let shut."""

    name: str
    acknowledged: int
    median_ms: int | None
    too_late: int
    shelved: int
    closed: int
    closed_none: int


@dataclass(frozen=True, slots=True)
class DealerFigures:
    """One dealer, by his pseudonym, for administrators where the house allows it."""

    dealer: str
    alerts: int
    verdicts: Verdicts
    commonest: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A shift. `slot_s` is 3,600 or 86,400; `answer_counts` go with `ANSWER_LIMITS_MS`.

    `people` and `dealers` are None for whom they are not.
    """

    since_ms: int
    until_ms: int
    alerts: int
    per_hour: float
    hands: int
    per_100_hands: float | None
    severities: Mapping[str, int]
    slot_s: int
    slots: Sequence[Slot]
    kinds: Sequence[Kind]
    answers: Answers
    answer_counts: Sequence[int]
    verdicts: Verdicts
    tables: Sequence[TableFigures]
    people: Sequence[PersonFigures] | None
    dealers: Sequence[DealerFigures] | None


@dataclass(slots=True)
class _Heap:
    """Alerts that are counted together."""

    alerts: int = 0
    answers_ms: list[int] = field(default_factory=list)
    acknowledged: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, row: AlertRow) -> None:
        self.alerts += 1
        self.kinds[row.irregularity] += 1
        self.acknowledged += row.acknowledged_ms is not None
        if row.answer_ms is not None:
            self.answers_ms.append(row.answer_ms)
        if row.verdict is not None:
            self.verdicts[row.verdict] += 1


@dataclass(slots=True)
class _Person:
    """What one supervisor did."""

    acknowledged: int = 0
    answers_ms: list[int] = field(default_factory=list)
    too_late: int = 0
    shelved: int = 0
    closed: int = 0
    closed_none: int = 0


def figures(  # noqa: PLR0913 - what it is made of, and for whom
    rows: Iterable[AlertRow],
    hands: Iterable[HandsRow],
    shelvings: Iterable[ShelvingRow],
    *,
    since_ms: int,
    until_ms: int,
    zone: tzinfo = UTC,
    people: bool = False,
    dealers: bool = False,
) -> Figures:
    """The figures of these rows, in whatever order they come; hours and days are `zone`'s."""
    slot_s = _slot_s(since_ms, until_ms)
    whole, counted = _Heap(), Counter[int]()
    tables: defaultdict[tuple[str, str], _Heap] = defaultdict(_Heap)
    kinds: defaultdict[str, _Heap] = defaultdict(_Heap)
    by_dealer: defaultdict[str, _Heap] = defaultdict(_Heap)
    titles: dict[str, tuple[tuple[int, str, str], Mapping[str, str]]] = {}
    severities: Counter[str] = Counter()
    persons: defaultdict[str, _Person] = defaultdict(_Person)
    for row in rows:
        for heap in (whole, tables[row.site, row.table], kinds[row.irregularity]):
            heap.add(row)
        if row.dealer is not None:
            by_dealer[row.dealer].add(row)
        severities[row.severity] += 1
        counted[_slot_ms(row.raised_ms, slot_s, zone)] += 1
        place = (row.raised_ms, row.site, row.alert)
        titles[row.irregularity] = max(
            titles.get(row.irregularity, (place, row.titles)),
            (place, row.titles),
            key=lambda one: one[0],
        )
        _note_people(persons, row)
    for shelving in shelvings:
        persons[shelving.by].shelved += 1
    dealt: Counter[tuple[str, str]] = Counter()
    for hour in hands:
        dealt[hour.site, hour.table] += hour.count
    total = dealt.total()
    return Figures(
        since_ms=since_ms,
        until_ms=until_ms,
        alerts=whole.alerts,
        per_hour=whole.alerts * 3_600_000 / max(until_ms - since_ms, 1),
        hands=total,
        per_100_hands=_per_100(whole.alerts, total),
        severities={name: severities[name] for name in _in_order(severities)},
        slot_s=slot_s,
        slots=_slots(counted, since_ms, until_ms, slot_s, zone),
        kinds=_kinds(kinds, titles, whole.alerts, total),
        answers=_answers(whole),
        answer_counts=_answer_counts(whole.answers_ms),
        verdicts=_verdicts(whole),
        tables=_tables(tables, dealt),
        people=_people(persons) if people else None,
        dealers=_dealers(by_dealer) if dealers else None,
    )


def _note_people(persons: Mapping[str, _Person], row: AlertRow) -> None:
    if row.acknowledged_by is not None:
        one = persons[row.acknowledged_by]
        one.acknowledged += 1
        one.too_late += row.window_missed
        if row.answer_ms is not None:
            one.answers_ms.append(row.answer_ms)
    if row.closed_by is not None and row.verdict is not None:
        one = persons[row.closed_by]
        one.closed += 1
        one.closed_none += row.verdict == "none"


# --- hours and days -------------------------------------------------------------------------------


def _slot_s(since_ms: int, until_ms: int) -> int:
    return 3600 if until_ms - since_ms <= HOURS_MAX * 3_600_000 else 86_400


def _slot_ms(at_ms: int, slot_s: int, zone: tzinfo) -> int:
    """When the hour or the day begins in which this is, by the clock on the wall."""
    at = datetime.fromtimestamp(at_ms // 1000, zone)
    if slot_s == 3600:
        return at_ms // 1000 * 1000 - (at.minute * 60 + at.second) * 1000
    return _seconds(at.replace(hour=0, minute=0, second=0)) * 1000


def _next_slot_ms(slot_ms: int, slot_s: int, zone: tzinfo) -> int:
    """When the next one begins: a day may have 23 hours or 25."""
    if slot_s == 3600:
        return slot_ms + 3_600_000
    tomorrow = datetime.fromtimestamp(slot_ms // 1000, zone) + timedelta(days=1)
    return _seconds(tomorrow) * 1000


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def _slots(
    counted: Mapping[int, int], since_ms: int, until_ms: int, slot_s: int, zone: tzinfo
) -> list[Slot]:
    """Every hour or day of the time, the empty ones too; the last `SLOTS_MAX` of them."""
    found, at_ms = [], _slot_ms(since_ms, slot_s, zone)
    first_ms = until_ms - SLOTS_MAX * slot_s * 1000
    if at_ms < first_ms:
        at_ms = _slot_ms(first_ms, slot_s, zone)
    while at_ms < until_ms:
        found.append(Slot(at_ms, counted.get(at_ms, 0)))
        at_ms = _next_slot_ms(at_ms, slot_s, zone)
    return found


# --- heaps as figures -----------------------------------------------------------------------------


def _per_100(alerts: int, hands: int) -> float | None:
    return alerts * 100 / hands if hands else None


def _answers(heap: _Heap) -> Answers:
    took = sorted(heap.answers_ms)
    unanswered = heap.alerts - heap.acknowledged
    if not took:
        return Answers(heap.acknowledged, unanswered, None, None, None)
    ninetieth = took[ceil(len(took) * 0.9) - 1]
    return Answers(heap.acknowledged, unanswered, round(median(took)), ninetieth, took[-1])


def _answer_counts(took_ms: Sequence[int]) -> list[int]:
    counts = [0] * len(ANSWER_LIMITS_MS)
    for took in took_ms:
        fits = (n for n, most in enumerate(ANSWER_LIMITS_MS) if most is None or took <= most)
        counts[next(fits)] += 1
    return counts


def _verdicts(heap: _Heap) -> Verdicts:
    upheld, none, other = (heap.verdicts[word] for word in ("upheld", "none", "other"))
    ruled = upheld + none + other
    return Verdicts(upheld, none, other, none / ruled if ruled else None)


def _in_order(severities: Mapping[str, int]) -> list[str]:
    return [*SEVERITIES, *sorted(set(severities) - set(SEVERITIES))]


def _kinds(
    heaps: Mapping[str, _Heap],
    titles: Mapping[str, tuple[object, Mapping[str, str]]],
    alerts: int,
    hands: int,
) -> list[Kind]:
    found = [
        Kind(
            name,
            titles[name][1],
            heap.alerts,
            heap.alerts / alerts,
            _per_100(heap.alerts, hands),
            _verdicts(heap),
        )
        for name, heap in heaps.items()
    ]
    return sorted(found, key=lambda kind: (-kind.alerts, kind.irregularity))


def _tables(
    heaps: Mapping[tuple[str, str], _Heap], dealt: Mapping[tuple[str, str], int]
) -> list[TableFigures]:
    """Every table that had alerts or hands, by its name."""
    return [
        TableFigures(
            site,
            table,
            heap.alerts,
            dealt.get((site, table), 0),
            _per_100(heap.alerts, dealt.get((site, table), 0)),
            _answers(heap),
            _verdicts(heap),
        )
        for site, table in sorted({*heaps, *dealt}, key=lambda name: (name[0], counted(name[1])))
        for heap in [heaps.get((site, table), _Heap())]
    ]


def _people(persons: Mapping[str, _Person]) -> list[PersonFigures]:
    return [
        PersonFigures(
            name,
            one.acknowledged,
            round(median(one.answers_ms)) if one.answers_ms else None,
            one.too_late,
            one.shelved,
            one.closed,
            one.closed_none,
        )
        for name, one in sorted(persons.items())
    ]


def _dealers(heaps: Mapping[str, _Heap]) -> list[DealerFigures]:
    found = [
        DealerFigures(
            dealer,
            heap.alerts,
            _verdicts(heap),
            sorted(heap.kinds.items(), key=lambda kind: (-kind[1], kind[0]))[:5],
        )
        for dealer, heap in heaps.items()
    ]
    return sorted(found, key=lambda one: (-one.alerts, one.dealer))
