"""The charts of a report: what each shows, where its bars stand, and the same as an SVG picture.

A chart says all in words too: each bar has its number beside it and its name below or before it, so
that no colour carries anything. Colours are classes, which a page sets for light and dark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from xml.sax.saxutils import escape, quoteattr

from daemon.floor.report.figures import ANSWER_LIMITS_MS, Figures
from daemon.floor.report.words import Speech

KINDS_MAX = 12
TABLES_MAX = 20
WIDTH = 640
NARROW = 340  # for a phone
CHAR = 6.5  # how wide a letter is, about
NAME = 52.0  # how wide an hour or a day is, with room beside it


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its name, how long it is, and its number in words."""

    label: str
    value: float
    said: str


@dataclass(frozen=True, slots=True)
class Chart:
    """`upright` bars stand side by side in time; others lie below each other."""

    name: str
    title: str
    says: str
    bars: Sequence[Bar]
    upright: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A bar, from its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A text; `anchor` start, middle or end; `kind` label or value."""

    x: float
    y: float
    text: str
    anchor: str
    kind: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """Where everything of a chart is, in a picture of this size; y goes down."""

    width: float
    height: float
    boxes: Sequence[Box]
    marks: Sequence[Mark]
    ground_y: float | None


def charts(figures: Figures, speech: Speech) -> list[Chart]:
    """Every chart of a report, in the order in which they stand."""
    return [make(figures, speech) for make in CHARTS.values()]


def _hours(figures: Figures, speech: Speech) -> Chart:
    is_hours = figures.slot_s == 3600
    bars = [
        Bar(
            f"{speech.at(slot.since_ms):%H:%M}" if is_hours else _short_day(speech, slot.since_ms),
            slot.alerts,
            speech.number(slot.alerts),
        )
        for slot in figures.slots
    ]
    most = max(figures.slots, key=lambda slot: slot.alerts, default=None)
    says = speech("chart.nothing")
    if most is not None and most.alerts:
        says = speech(
            "chart.most", alerts=speech.number(most.alerts), when=speech.moment(most.since_ms)
        )
    title = speech("chart.hours" if is_hours else "chart.days")
    return Chart("hours", title, says, bars, upright=True)


def _short_day(speech: Speech, at_ms: int) -> str:
    at = speech.at(at_ms)
    return f"{at.day} {speech.table['months'][at.month - 1]}"


def _kinds(figures: Figures, speech: Speech) -> Chart:
    bars = [
        Bar(
            speech.title(kind.titles, kind.irregularity),
            kind.alerts,
            f"{speech.number(kind.alerts)} ({speech.share(kind.share)})",
        )
        for kind in figures.kinds[:KINDS_MAX]
    ]
    return Chart("irregularities", speech("chart.irregularities"), _first(bars, speech), bars)


def _per_100(figures: Figures, speech: Speech) -> Chart:
    known = [table for table in figures.tables if table.per_100_hands is not None]
    known.sort(key=lambda table: (-(table.per_100_hands or 0), table.site, table.table))
    bars = [
        Bar(table.table, table.per_100_hands or 0, speech.number(table.per_100_hands, 2))
        for table in known[:TABLES_MAX]
    ]
    return Chart("per-100-hands", speech("chart.per_100"), _first(bars, speech), bars)


def _answers(figures: Figures, speech: Speech) -> Chart:
    names = [
        speech("chart.longer", span=speech.span(ANSWER_LIMITS_MS[-2]))
        if most is None
        else speech("chart.up_to", span=speech.span(most))
        for most in ANSWER_LIMITS_MS
    ]
    bars = [
        Bar(name, count, speech.number(count))
        for name, count in zip(names, figures.answer_counts, strict=True)
    ]
    never = figures.answers.unanswered
    bars.append(Bar(speech("chart.never"), never, speech.number(never)))
    median = speech.span(figures.answers.median_ms)
    return Chart("answers", speech("chart.answers"), speech("chart.median", span=median), bars)


def _verdicts(figures: Figures, speech: Speech) -> Chart:
    ruled = figures.verdicts
    bars = [
        Bar(speech.named("verdict", word), count, speech.number(count))
        for word, count in (("upheld", ruled.upheld), ("none", ruled.none), ("other", ruled.other))
    ]
    says = speech("chart.false", share=speech.share(ruled.false_share))
    return Chart("verdicts", speech("chart.verdicts"), says, bars)


def _first(bars: Sequence[Bar], speech: Speech) -> str:
    if not bars:
        return speech("chart.nothing")
    return speech("chart.first", name=bars[0].label, said=bars[0].said)


CHARTS: dict[str, Callable[[Figures, Speech], Chart]] = {
    "hours": _hours,
    "irregularities": _kinds,
    "per-100-hands": _per_100,
    "answers": _answers,
    "verdicts": _verdicts,
}
"""Every chart by its name."""


# --- where things stand ---------------------------------------------------------------------------


def drawn(chart: Chart, width: float = WIDTH) -> Drawn:
    """Where the bars and the words of a chart stand in a picture so wide."""
    return _upright(chart, width) if chart.upright else _lying(chart, width)


def _lying(chart: Chart, width: float) -> Drawn:
    """Names before their bars; above them where there is no room."""
    is_narrow = width < 480
    row, above = (42.0, 18.0) if is_narrow else (24.0, 0.0)
    left, right = (0.0 if is_narrow else width * 0.42), 100.0
    most = max((bar.value for bar in chart.bars), default=0) or 1
    boxes, marks = [], []
    for number, bar in enumerate(chart.bars):
        y = number * row + 4
        length = (width - left - right) * bar.value / most
        boxes.append(Box(left, y + above, length, 16.0))
        name = _cut(bar.label, width if is_narrow else left - 8)
        place = (0.0, "start") if is_narrow else (left - 8, "end")
        marks.append(Mark(place[0], y + 12, name, place[1], "label"))
        marks.append(Mark(left + length + 6, y + above + 12, bar.said, "start", "value"))
    return Drawn(width, max(len(chart.bars), 1) * row + 4, boxes, marks, None)


def _upright(chart: Chart, width: float) -> Drawn:
    top, tall, below = 18.0, 120.0, 22.0
    most = max((bar.value for bar in chart.bars), default=0) or 1
    longest = next((n for n, bar in enumerate(chart.bars) if bar.value == most), None)
    widest = max((len(bar.said) for bar in chart.bars), default=0) * CHAR
    step = width / max(len(chart.bars), 1)
    every = max(ceil(NAME / step), 1)  # names only as often as there is room
    boxes, marks = [], []
    for number, bar in enumerate(chart.bars):
        height = tall * bar.value / most
        x = number * step
        boxes.append(Box(x + step * 0.12, top + tall - height, step * 0.76, height))
        middle = x + step / 2
        if number % every == every // 2 and (every == 1 or middle + NAME / 2 <= width):
            marks.append(Mark(middle, top + tall + 15, bar.label, "middle", "label"))
        if bar.value and (step >= widest or number == longest):
            half = len(bar.said) * CHAR / 2
            at_x = min(max(middle, half), width - half)
            marks.append(Mark(at_x, top + tall - height - 4, bar.said, "middle", "value"))
    return Drawn(width, top + tall + below, boxes, marks, top + tall)


def _cut(label: str, room: float) -> str:
    most = int(room / CHAR)
    return label if len(label) <= most else f"{label[: most - 1].rstrip()}…"


# --- as a picture ---------------------------------------------------------------------------------

_ALONE = (
    "<style>.chart-bar{fill:#2563a8}.chart-label,.chart-value{fill:#1b1b1b}"
    ".chart-ground{stroke:#767676}@media (prefers-color-scheme:dark){.chart-bar{fill:#7db3ec}"
    ".chart-label,.chart-value{fill:#f0f0f0}.chart-ground{stroke:#9a9a9a}}</style>"
)


def svg(chart: Chart, *, width: float = WIDTH, alone: bool = False) -> str:
    """The chart as SVG for a page, which sets `.chart-bar`, `.chart-label` and `.chart-value`.

    `alone` makes it a picture of its own, with its colours in it. Every text is escaped.
    """
    at = drawn(chart, width)
    own = f"chart-{chart.name}-{width:g}"
    name = quoteattr(f"{own}-title {own}-says")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-labelledby={name}',
        f' viewBox="0 0 {at.width:g} {at.height:g}" font-family="sans-serif" font-size="13">',
        f'<title id="{own}-title">{escape(_printable(chart.title))}</title>',
        f'<desc id="{own}-says">{escape(_printable(_in_words(chart)))}</desc>',
        _ALONE if alone else "",
        *map(_rect, at.boxes),
    ]
    if at.ground_y is not None:
        parts.append(_ground(at.width, at.ground_y))
    return "".join([*parts, *map(_text, at.marks), "</svg>"])


def _rect(box: Box) -> str:
    return (
        f'<rect class="chart-bar" fill="currentColor" x="{box.x:.1f}" y="{box.y:.1f}" '
        f'width="{box.width:.1f}" height="{box.height:.1f}"/>'
    )


def _ground(width: float, y: float) -> str:
    return (
        f'<line class="chart-ground" stroke="currentColor" x1="0" x2="{width:g}" '
        f'y1="{y:g}" y2="{y:g}"/>'
    )


def _text(mark: Mark) -> str:
    return (
        f'<text class="chart-{mark.kind}" fill="currentColor" x="{mark.x:.1f}" y="{mark.y:.1f}" '
        f'text-anchor="{mark.anchor}">{escape(_printable(mark.text))}</text>'
    )


def _in_words(chart: Chart) -> str:
    told = "; ".join(f"{bar.label}: {bar.said}" for bar in chart.bars if bar.value)
    return f"{chart.says}. {told}" if told else chart.says


def _printable(text: str) -> str:
    """XML takes no control characters, whatever stands for them."""
    return "".join(one if one.isprintable() else " " for one in text)
