"""The demo: a broker, tables on simulated sensors with their real daemons, the floor's side."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Iterator
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
from daemon.demo.floor_side import FloorError, floor_side
from daemon.demo.floor_view import FloorView
from daemon.demo.listening import listen
from daemon.demo.live import LiveTable
from daemon.demo.show import Fitted, Lines, screen
from daemon.demo.stage import Stage
from daemon.demo.tour import SEATS, Scene, Seen, Titles, scenes
from daemon.demo.words import Vocabulary
from daemon.edges import logs
from daemon.edges.books import read_books
from daemon.edges.settings import read_settings
from daemon.pipeline import Pipeline
from daemon.rules.rulebook import Rulebook
from daemon.rules.texts import Texts
from daemon.table.layout import Layout
from daemon.table.places import SEATS_MAX

RULEBOOK = "robert-classic"
DRAWN_S = 0.1
BETWEEN_HANDS_S = (1.0, 3.0)
LAST_WORDS_S = 0.5  # what is still on its way over the broker when the last hand is over
READ_S = 6.0  # before a scene of the tour, for whoever reads what it will be
LOOK_S = 5.0  # and after it
CABLE_S = 7.0  # a sensor's silence is told after five seconds (sensor_grace_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What was asked for; `hand_count` 0 is no end, or the tour's, `speed` is the dealers'.

    `web_port` is that of the screens, None for the usual one or one near it. `tour` shows one
    irregularity of each kind, at one table, instead of an evening.
    """

    table_count: int
    seed: int
    speed: float
    hand_count: int
    language: str
    port: int = 0
    web_port: int | None = None
    tour: bool = False

    @property
    def tables(self) -> list[str]:
        """The tables' names."""
        return [f"poker-{number + 1}" for number in range(1 if self.tour else self.table_count)]


def play(wish: Wish) -> int:
    """Run the demo until Ctrl-C or until all was dealt; the exit status."""
    console = Console()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="floorcall-demo-")))
        log = stack.enter_context((folder / "demo.log").open("w"))
        logs.configure("warning", log)
        try:
            with _interrupts_ignored():  # a broker that Ctrl-C stops first loses the last words
                listeners = stack.enter_context(running_broker(folder, wish.port))
            asyncio.run(_Demo(wish, listeners, folder, console).run())
        except (BrokerError, FloorError) as error:
            sys.stderr.write(f"floorcall: {error}\n")
            return 1
    return 0


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """What is started meanwhile takes no notice of Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Demo:
    """Everything that runs, over a broker that does already."""

    def __init__(self, wish: Wish, listeners: Listeners, folder: Path, console: Console) -> None:
        self._wish = wish
        self._listeners = listeners
        self._folder = folder
        self._console = console
        self._books = read_books(RULEBOOK)
        self._say = Vocabulary(wish.language, self._books[1])
        self._view = FloorView()
        self._lines = None if console.is_terminal else Lines(console, self._say)
        self._head: list[str] = []  # above the tables: the screens' address, the tour's scene
        self._seen = Seen()

    async def run(self) -> None:
        """Until Ctrl-C, or until all was dealt."""
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        wish, listeners = self._wish, self._listeners
        side = floor_side(self._folder, listeners.url, wish.tables, wish.web_port)
        async with side as address:
            self._tell(self._say("open").format(address=address))
            self._print(self._foot())
            async with asyncio.TaskGroup() as group:
                others = [group.create_task(listen(LOOPBACK, listeners.port, self._take))]
                if self._lines is None:
                    others.append(group.create_task(self._draw()))
                await _until(self._tour() if wish.tour else self._evening(), stop)
                for task in others:
                    task.cancel()
        for line in self._summary():
            self._print(line)

    # --- what is dealt ---

    async def _evening(self) -> None:
        """All tables, until each has dealt its hands."""
        async with asyncio.TaskGroup() as group:
            for number in range(self._wish.table_count):
                group.create_task(self._table(number))

    async def _table(self, number: int) -> None:
        wish, rng = self._wish, self._rng(number)
        evening = hands(str(wish.seed), number)
        async with self._at_table(number, rng) as (table, stage):
            for hand in islice(evening, wish.hand_count or None):
                await table.perform(stage.play(hand))
                await asyncio.sleep(rng.uniform(*BETWEEN_HANDS_S) / wish.speed)
            await asyncio.sleep(LAST_WORDS_S)

    async def _tour(self) -> None:
        """One table, scene after scene."""
        speed, titles = self._wish.speed, Titles(self._say)
        async with self._at_table(0, self._rng(0), SEATS) as (table, stage):
            for scene in islice(
                scenes(self._wish.seed, self._books), self._wish.hand_count or None
            ):
                self._tell(titles.of(scene), at=1)
                await asyncio.sleep(READ_S / speed)
                before = set(self._alerts())
                await _shown(scene, table, stage)
                await asyncio.sleep(max(LAST_WORDS_S, LOOK_S / speed))
                alerts = [one for key, one in self._alerts().items() if key not in before]
                self._seen.scenes.append((scene, alerts))

    def _rng(self, number: int) -> random.Random:
        return random.Random(f"{self._wish.seed} {number} hands")

    @asynccontextmanager
    async def _at_table(
        self, number: int, rng: random.Random, seat_count: int = SEATS_MAX
    ) -> AsyncIterator[tuple[LiveTable, Stage]]:
        """A table that is plugged in and watched, and its dealer."""
        name = self._wish.tables[number]
        own = self._folder / name
        own.mkdir()
        table = LiveTable(name, own, self._listeners.url, rng, seat_count)
        async with table.plugged(), _watched(table, self._books):
            await table.ready()
            yield table, table.stage(self._wish.speed)

    # --- what is said ---

    def _take(self, topic: str, payload: bytes) -> None:
        alert = self._view.take(topic, payload)
        if alert is not None and self._lines is not None:
            self._lines.take(alert["table"], alert)

    def _alerts(self) -> dict[str, dict[str, object]]:
        """Every alert so far, as it stands."""
        return {key: one for table in self._view.tables.values()
                for key, one in table.alerts.items()}  # fmt: skip

    def _tell(self, line: str, at: int = 0) -> None:
        """Above the tables in this place, or as a line of its own."""
        self._head[at : at + 1] = [line]
        self._view.changed = True
        if self._lines is not None or not at:
            self._print(line, "bold")

    def _print(self, line: str, style: str | None = None) -> None:
        self._console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)

    async def _draw(self) -> None:
        """The screen, drawn anew when something came, and each second for the ages."""
        view, say, console, drawn_second = self._view, self._say, self._console, -1
        with Live(console=console, screen=True, auto_refresh=False) as live:
            while True:
                now = datetime.now(UTC)
                if view.changed or now.second != drawn_second:
                    view.changed, drawn_second = False, now.second
                    drawn = screen(view, say, console.width, now, self._foot(), head=self._head)
                    live.update(Fitted(drawn, say), refresh=True)
                await asyncio.sleep(DRAWN_S)

    def _foot(self) -> str:
        say, listeners = self._say, self._listeners
        return (
            f"{say('broker')} {LOOPBACK}:{listeners.port} · {say('older')} "
            f"{LOOPBACK}:{listeners.port_older} · floorcall/v1/# · {say('end')}"
        )

    def _summary(self) -> Iterator[str]:
        if self._wish.tour:
            yield from self._seen.told(self._say, Titles(self._say))
        alerts = self._alerts().values()
        yield self._say("summary").format(
            hands=sum(table.hands for table in self._view.tables.values()),
            alerts=len(alerts),
            remedied=sum(alert["state"] == "remedied" for alert in alerts),
        )


async def _until(work: Awaitable[None], stop: asyncio.Event) -> None:
    """Do this work, to its end or until `stop`."""
    working, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([working, stopped], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        for task in (working, stopped):
            task.cancel()
        await asyncio.wait([working, stopped])


async def _shown(scene: Scene, table: LiveTable, stage: Stage) -> None:
    """A scene of the tour, at this table."""
    cable = table.rigs.get(scene.unplugged)
    if cable is not None:
        await cable.unplug()
        await asyncio.sleep(CABLE_S)
    if scene.hand:
        await table.perform(stage.play(scene.hand))
    if cable is not None:
        await cable.replug()
        await asyncio.sleep(CABLE_S)


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
