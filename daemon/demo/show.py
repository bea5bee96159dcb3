"""The demo's terminal: each table as the floor sees it, drawn from what came over MQTT alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from daemon.demo.floor_view import FloorView, TableView
from daemon.demo.words import Vocabulary
from daemon.table.places import SEATS_MAX

PANEL_WIDTH = 64
RULINGS_MAX = 2  # with more tables than this the rulings are left out,
STEPS_MAX = 4  # and with more than this what is over takes one line
DUE_MAX = 3
SUITS = {"s": ("♠", "bright_white"), "c": ("♣", "green"), "h": ("♥", "red"), "d": ("♦", "cyan")}
SEVERITIES = {"critical": "bold white on red", "high": "bold black on dark_orange",
              "medium": "bold black on yellow", "low": "black on bright_black"}  # fmt: skip
MARKS = {"done": ("✓", "green"), "due": ("▸", "bold yellow"), "wrong": ("✗", "bold red"),
         "later": ("·", "dim"), "void": ("-", "dim"), "unseen": ("?", "dim")}  # fmt: skip
STATES = {"raised": "bold red", "final": "red", "remedied": "green", "withdrawn": "dim",
          "closed": "dim"}  # fmt: skip
GONE = ("withdrawn", "closed")


def screen(  # noqa: PLR0913 - what is drawn, and what it is drawn with
    view: FloorView,
    say: Vocabulary,
    width: int,
    now: datetime,
    foot: str = "",
    *,
    head: Sequence[str] = (),
) -> RenderableType:
    """Every table in a panel, side by side as far as the width (columns) allows.

    `now` (UTC) is what the age of an open alert is counted to; `head` are lines above the tables.
    """
    above = [Text(line, style="bold", justify="center") for line in head]
    tables = [view.tables[name] for name in sorted(view.tables)]
    if not tables:
        return Group(*above, Text(say("waiting"), style="dim"))
    across = max(1, min(len(tables), width // PANEL_WIDTH))
    grid = Table.grid(expand=True)
    for _ in range(across):
        grid.add_column(ratio=1)
    panels = [_panel(table, say, now, len(tables)) for table in tables]
    for first in range(0, len(panels), across):
        row = panels[first : first + across]
        grid.add_row(*row, *[Text()] * (across - len(row)))
    return Group(*above, grid, Text(foot, style="dim", justify="center"))


class Fitted:
    """As much of a screen as the terminal's height takes; a last line says how much is left out."""

    def __init__(self, whole: RenderableType, say: Vocabulary) -> None:
        self._whole = whole
        self._say = say

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Called by rich; the lines as they are drawn."""
        lines = console.render_lines(self._whole, options.update(height=None))
        if len(lines) > console.height:
            left_out = len(lines) - console.height + 1
            for line in lines[: console.height - 1]:
                yield from (*line, Segment.line())
            yield Text(self._say("more").format(lines=left_out), style="bold yellow", end="")
            return
        yield self._whole


def _panel(table: TableView, say: Vocabulary, now: datetime, tables: int) -> Panel:
    present = sorted(table.present(), key=_urgency)
    pressing = any(_standing(alert) == "raised" for alert in present)
    parts: list[RenderableType] = [_felt(table, say)]
    for alert in present:
        parts += [Rule(style="bright_black"), _alert(alert, say, now, tables)]
    if not present:
        parts += [Rule(style="bright_black"), Text(say("none"), style="green dim")]
    past = [alert for alert in table.past() if alert["state"] not in GONE]
    if past:
        parts += [Rule(say("earlier"), style="bright_black", align="left")]
        parts += [_line(alert, say) for alert in past[: None if tables <= STEPS_MAX else 1]]
    return Panel(
        Group(*parts),
        title=_title(table, say),
        title_align="left",
        subtitle=_health(table, say),
        subtitle_align="right",
        border_style="red" if pressing else "bright_black",
        box=box.ROUNDED,
    )


def _title(table: TableView, say: Vocabulary) -> Text:
    title = Text(f" {table.name} ", style="bold")
    if table.hand_name is None:
        return title.append(f"{say('between')} ", style="not bold dim")
    street = say(str(table.hand.get("street", "")))
    return title.append(f"{say('hand')} {table.hand_name} · {street} ", style="not bold")


def _health(table: TableView, say: Vocabulary) -> Text:
    online = table.status.get("state") == "online"
    well = online and all(state == "ok" for state in table.sensors.values())
    words = f"{say('online' if online else 'offline')} · {say('sensors' if well else 'trouble')}"
    return Text(f" {words} ", style="green dim" if well else "bold red")


# --- the felt ---


def _felt(table: TableView, say: Vocabulary) -> Table:
    felt = Table.grid(padding=(0, 2), expand=True)
    felt.add_column(style="dim", width=8)
    felt.add_column(ratio=1)
    felt.add_row(say("seats"), _seats(table))
    felt.add_row(say("board"), _board(table, say))
    felt.add_row(say("due"), _due(table, say))
    return felt


def _seats(table: TableView) -> Text:
    live, button = table.hand.get("seats_in", []), table.hand.get("button")
    seats = Text()
    for seat in range(1, SEATS_MAX + 1):
        style = "bold bright_white" if seat in live else "bright_black"
        seats.append(str(seat) if seat in table.dealt_in else "·", style=style)
        seats.append("D" if seat == button else " ", style="bold yellow").append("  ")
    return seats


def _board(table: TableView, say: Vocabulary) -> Text:
    places = table.hand.get("places", {})
    board = cards(table.board)
    hidden = places.get("board", 0) - len(table.board)
    board.append(" " if board and hidden else "")
    board.append(" ".join(["▒▒"] * hidden), style="bright_black")
    board.append("   " if board else "-  ")
    for place in ("burn", "aside", "muck", "stub"):
        if places.get(place):
            board.append(f"{say(place)} {places[place]}", style="dim")
            board.append_text(_lying(table, place)).append("  ")
    return board


def _lying(table: TableView, place: str) -> Text:
    """The cards there that all have seen."""
    names = [card for card, there in table.hand.get("public", []) if there == place]
    return Text(" ").append_text(cards(names)) if names and place == "aside" else Text()


def cards(names: Sequence[str]) -> Text:
    """Cards by rank and the suit's sign."""
    text = Text()
    for name in names:
        sign, colour = SUITS[name[1]]
        text.append(" " if text else "").append(f"{name[0].replace('T', '10')}{sign}", style=colour)
    return text


def _due(table: TableView, say: Vocabulary) -> Text:
    steps = table.hand.get("due", [])
    told = list(dict.fromkeys(say.step(step["step"], step.get("seat")) for step in steps))
    return Text(" · ".join(told[:DUE_MAX]) or "-", style="yellow" if told else "dim")


# --- alerts ---


def _urgency(alert: dict[str, Any]) -> int:
    return list(STATES).index(_standing(alert))


def _standing(alert: dict[str, Any]) -> str:
    return "final" if alert["final"] and alert["state"] == "raised" else str(alert["state"])


def _alert(alert: dict[str, Any], say: Vocabulary, now: datetime, tables: int) -> RenderableType:
    over = _standing(alert) != "raised"
    if alert["state"] in GONE or (over and tables > STEPS_MAX):
        return _line(alert, say)
    text = alert["text"][say.language]
    parts: list[RenderableType] = [
        _head(alert, say, now),
        Padding(_facts(alert, say), (0, 0, 0, 2)),
    ]
    if tables <= RULINGS_MAX:
        parts.append(Padding(Text(text["ruling"], style="italic"), (0, 0, 0, 2)))
    steps = zip(alert["remedy"], text["remedy"], strict=False)
    parts += [Padding(_step(step["state"], words), (0, 0, 0, 2)) for step, words in steps]
    return Group(*parts)


def _head(alert: dict[str, Any], say: Vocabulary, now: datetime) -> Table:
    head = Table.grid(expand=True, padding=(0, 1))
    head.add_column(no_wrap=True)
    head.add_column(ratio=1)
    head.add_column(justify="right", no_wrap=True)
    severity = str(alert["severity"])
    standing = _standing(alert)
    badge = SEVERITIES[severity] if standing == "raised" else "dim reverse"
    head.add_row(
        Text(f" {say.severity(severity).upper()} ", style=badge),
        Text(alert["text"][say.language]["title"], style="bold"),
        Text(f"{say(standing)}{_age(alert, now)}", style=STATES[standing]),
    )
    return head


def _age(alert: dict[str, Any], now: datetime) -> str:
    """How long an open alert has stood, in minutes and seconds."""
    if _standing(alert) != "raised" or not alert["at"]:
        return ""
    minutes, seconds = divmod(
        max(0, int((now - datetime.fromisoformat(alert["at"])).total_seconds())), 60
    )
    return f" {minutes}:{seconds:02}"


def _facts(alert: dict[str, Any], say: Vocabulary) -> Text:
    facts = Text(style="dim")
    for part in _told(alert, say):
        facts.append(" · " if facts else "").append_text(part)
    return facts


def _told(alert: dict[str, Any], say: Vocabulary) -> Iterator[Text]:
    if alert["seats"]:
        yield Text(f"{say('seat')} {', '.join(map(str, alert['seats']))}")
    if alert["cards"]:
        yield cards(alert["cards"])
    if alert["cite"]:
        yield Text(alert["cite"])
    if alert.get("doubt"):
        yield Text(say("doubt"), style="yellow")


def _step(state: str, words: str) -> Text:
    mark, style = MARKS[state]
    return Text(f"{mark} ", style=style).append(words, style="" if state == "due" else style)


def _line(alert: dict[str, Any], say: Vocabulary) -> Text:
    standing = _standing(alert)
    line = Text(f"{say('hand')} {alert['hand']}  ", style="dim", no_wrap=True, overflow="ellipsis")
    line.append(f"{alert['text'][say.language]['title']}  ", style="default")
    return line.append(say(standing), style=STATES[standing])


# --- where nobody can look at a screen ---


class Lines:
    """A line for each transition of an alert, and one for each step that was done or done wrong."""

    def __init__(self, console: Console, say: Vocabulary) -> None:
        self._console = console
        self._say = say
        self._known: dict[str, tuple[str, tuple[str, ...]]] = {}

    def take(self, table: str, alert: dict[str, Any]) -> None:
        """Write down what is new about this alert."""
        say = self._say
        text = alert["text"][say.language]
        standing = _standing(alert)
        states = tuple(step["state"] for step in alert["remedy"])
        before, steps = self._known.get(alert["id"], ("", ()))
        self._known[alert["id"]] = standing, states
        where = f"{table}  {say('hand')} {alert['hand']}  {say(alert['street'])}"
        for number, (state, step) in enumerate(zip(states, text["remedy"], strict=False)):
            if state in ("done", "wrong") and steps[number : number + 1] != (state,):
                self._write(f"{where}    {MARKS[state][0]} {step}")
        if standing != before:
            words = f"{say.severity(alert['severity'])}: {text['title']}"
            self._write(f"{where}  {words}  [{say(standing)}]")

    def _write(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)
