"""The demo: a broker, tables on simulated sensors, the real daemon for each, and a screen."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.live import Live

from daemon.app import App
from daemon.demo.broker import LOOPBACK, BrokerError, Listeners, running_broker
from daemon.demo.dealers import hands
from daemon.demo.floor_view import FloorView
from daemon.demo.listening import listen
from daemon.demo.live import LiveTable
from daemon.demo.show import Fitted, Lines, screen
from daemon.demo.words import Vocabulary
from daemon.edges import logs
from daemon.edges.books import read_books
from daemon.edges.settings import read_settings
from daemon.pipeline import Pipeline
from daemon.rules.rulebook import Rulebook
from daemon.rules.texts import Texts
from daemon.table.layout import Layout

RULEBOOK = "robert-classic"
DRAWN_S = 0.1
BETWEEN_HANDS_S = (1.0, 3.0)
LAST_WORDS_S = 0.5  # what is still on its way over the broker when the last hand is over


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What was asked for; `hand_count` 0 goes on for ever, `speed` is the dealers'.

    `web_port` is that of the screens, None for the usual one or one near it. `tour` shows one
    irregularity of each kind instead of an evening.
    """

    table_count: int
    seed: int
    speed: float
    hand_count: int
    language: str
    port: int
    web_port: int | None
    tour: bool

    @property
    def tables(self) -> list[str]:
        """The tables' names."""
        return [f"poker-{number + 1}" for number in range(self.table_count)]


def play(wish: Wish) -> int:
    """Run the demo until Ctrl-C or until all is shown; the exit status."""
    console = Console()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="floorcall-demo-")))
        log = stack.enter_context((folder / "demo.log").open("w"))
        logs.configure("warning", log)
        try:
            with _interrupts_ignored():  # a broker that Ctrl-C stops first loses the last words
                listeners = stack.enter_context(running_broker(folder, port))
        except BrokerError as error:
            sys.stderr.write(f"floorcall: {error}\n")
            return 1
        asyncio.run(_demo(wish, listeners, folder, console))
    return 0


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """What is started meanwhile takes no notice of Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


async def _demo(wish: Wish, listeners: Listeners, folder: Path, console: Console) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    book, texts = read_books(RULEBOOK)
    say = Vocabulary(wish.language, texts)
    view = FloorView()
    lines = None if console.is_terminal else Lines(console, say)
    console.print(_foot(say, listeners), style="dim", markup=False, highlight=False)

    def take(topic: str, payload: bytes) -> None:
        alert = view.take(topic, payload)
        if alert is not None and lines is not None:
            lines.take(alert["table"], alert)

    async with asyncio.TaskGroup() as group:
        ear = group.create_task(listen(LOOPBACK, listeners.port, take))
        drawing = None if lines else group.create_task(_draw(view, say, console, listeners))
        await _evening(wish, listeners, folder, (book, texts), stop)
        for task in (ear, drawing):
            if task is not None:
                task.cancel()
    console.print(_summary(view, say), markup=False, highlight=False)


async def _draw(view: FloorView, say: Vocabulary, console: Console, listeners: Listeners) -> None:
    """The screen, drawn anew when something came, and each second for the ages."""
    foot, drawn_second = _foot(say, listeners), -1
    with Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            now = datetime.now(UTC)
            if view.changed or now.second != drawn_second:
                view.changed, drawn_second = False, now.second
                live.update(Fitted(screen(view, say, console.width, now, foot), say), refresh=True)
            await asyncio.sleep(DRAWN_S)


async def _evening(
    wish: Wish,
    listeners: Listeners,
    folder: Path,
    books: tuple[Rulebook, Texts],
    stop: asyncio.Event,
) -> None:
    """All tables, until `stop` or until each has dealt its hands."""
    async with asyncio.TaskGroup() as group:
        dealing = [
            group.create_task(_table(wish, number, listeners, folder, books))
            for number in range(wish.table_count)
        ]
        dealt = group.create_task(_all_done(dealing))
        stopped = group.create_task(stop.wait())
        await asyncio.wait([dealt, stopped], return_when=asyncio.FIRST_COMPLETED)
        for task in (*dealing, dealt, stopped):
            task.cancel()


async def _all_done(tasks: Sequence[asyncio.Task[None]]) -> None:
    await asyncio.wait(tasks)


async def _table(
    wish: Wish, number: int, listeners: Listeners, folder: Path, books: tuple[Rulebook, Texts]
) -> None:
    rng = random.Random(f"{wish.seed} {number} hands")
    own = folder / f"table-{number + 1}"
    own.mkdir()
    table = LiveTable(f"poker-{number + 1}", own, listeners.url, rng)
    evening = hands(str(wish.seed), number)
    async with table.plugged(), _watched(table, books):
        await table.ready()
        stage = table.stage(wish.speed)
        for hand in islice(evening, wish.hand_count or None):
            await table.perform(stage.play(hand))
            await asyncio.sleep(rng.uniform(*BETWEEN_HANDS_S) / wish.speed)
        await asyncio.sleep(LAST_WORDS_S)


@asynccontextmanager
async def _watched(table: LiveTable, books: tuple[Rulebook, Texts]) -> AsyncIterator[None]:
    """The table's daemon as `floorcall run` wires it, stopped at the end as SIGTERM stops it."""
    book, texts = books

    def make_line(layout: Layout) -> Pipeline:
        return Pipeline(layout, book, texts)

    stop = asyncio.Event()
    app = App(read_settings(table.configuration), make_line)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(app.run(stop))
        try:
            yield
        finally:
            stop.set()
            await asyncio.shield(running)


def _foot(say: Vocabulary, listeners: Listeners) -> str:
    return (
        f"{say('broker')} {LOOPBACK}:{listeners.port} · {say('older')} "
        f"{LOOPBACK}:{listeners.port_older} · floorcall/v1/# · {say('end')}"
    )


def _summary(view: FloorView, say: Vocabulary) -> str:
    alerts = [alert for table in view.tables.values() for alert in table.alerts.values()]
    return say("summary").format(
        hands=sum(table.hands for table in view.tables.values()),
        alerts=len(alerts),
        remedied=sum(alert["state"] == "remedied" for alert in alerts),
    )
