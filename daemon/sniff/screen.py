"""The technician's screen: one port, what it reads now and what went wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from daemon.sniff.notebook import Antenna, Notebook

OLD_MS = 3_000  # a last good frame older than this is worth a warning
TAGS_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How the port stands: its name, the driver's, why it is lost, the record that is kept."""

    port: str
    driver: str
    trouble: str | None
    record: str | None


def screen(book: Notebook, standing: Standing, now_ms: int, last: Sequence[str]) -> RenderableType:
    """All of it at one look; `last` are the newest lines."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim")
    rows.add_column(overflow="fold")
    trouble = standing.trouble
    state = Text(trouble, style="bold red") if trouble else Text("open", style="green")
    rows.add_row("port", state)
    rows.add_row("bytes", f"{book.octets} in {book.chunks} pieces, lost {book.losses} times")
    rows.add_row("last good frame", _age(book.good_ms, now_ms))
    if book.kinds["polls"]:
        rows.add_row("polls", f"{book.kinds['polls']}, {book.polls_s(now_ms):.1f} a second")
    for antenna, one in sorted(book.antennas.items()):
        rows.add_row(book.antenna_name(antenna), _antenna(book, one))
    others = {kind: n for kind, n in sorted(book.kinds.items()) if kind not in _OWN_ROWS}
    if others:
        rows.add_row("readings", ", ".join(f"{kind} {n}" for kind, n in others.items()))
    garbled = book.garbled_words()
    rows.add_row("garbled", Text(garbled or "nothing", style="bold red" if garbled else ""))
    if standing.record:
        rows.add_row("recorded to", standing.record)
    news = Text("\n".join(last), style="dim")
    title = Text(f" {standing.port} · {standing.driver} ", style="bold")
    foot = Text(" Ctrl-C ends it ", style="dim")
    return Panel(Group(rows, Text(), news), title=title, title_align="left", subtitle=foot)


_OWN_ROWS = {"polls", "garbled"}


def _age(good_ms: int | None, now_ms: int) -> Text:
    if good_ms is None:
        return Text("none yet", style="bold red" if now_ms > OLD_MS else "")
    age_ms = now_ms - good_ms
    return Text(f"{age_ms / 1000:.1f} s ago", style="bold red" if age_ms > OLD_MS else "green")


def _antenna(book: Notebook, one: Antenna) -> Text:
    names = book.names.listed(one.now)
    more = f" and {len(names) - TAGS_SHOWN} more" if len(names) > TAGS_SHOWN else ""
    told = Text(", ".join(names[:TAGS_SHOWN]) + more or "nothing")
    return told.append(f"   {one.reads} reads of {len(one.tags)} tags", style="dim")
