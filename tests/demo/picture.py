"""The demo's screen as a still: two tables, one of them in the middle of a remedy.

python -m tests.demo.picture docs/demo.svg
"""

from __future__ import annotations

import io
import random
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.terminal_theme import MONOKAI

from daemon.demo.dealing import lawful
from daemon.demo.evening import evening
from daemon.demo.floor_view import FloorView
from daemon.demo.mischief import incident
from daemon.demo.show import screen
from tests.demo.heard import Heard, premature_turn

WIDTH = 134
# As rich draws it, without the web fonts: a still asks nobody for anything.
FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px;
  line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def drawn(folder: Path) -> str:
    """The still as SVG; the same every time."""
    view = FloorView()
    first, second = folder / "1", folder / "2"
    first.mkdir()
    second.mkdir()
    faulty = Heard(first, name="poker-12", view=view)
    faulty.deal(
        premature_turn(random.Random("still"), "118"),
        lambda alert: [step.state for step in alert.remedy].count("done") == 4,
    )
    calm = Heard(second, name="poker-14", view=view)
    for events in earlier(random.Random("still")):
        calm.deal(events)
    last = max(alert["at"] for alert in view.tables["poker-12"].present())
    console = Console(record=True, width=WIDTH, force_terminal=True, file=io.StringIO())
    now = datetime.fromisoformat(last) + timedelta(seconds=74)
    console.print(screen(view, faulty.say, WIDTH, now))
    still = console.export_svg(
        title="floorcall demo --tables 2", theme=MONOKAI, code_format=FORMAT, unique_id="floorcall"
    )
    return "".join(f"{row.rstrip()}\n" for row in still.splitlines())


def earlier(rng):
    """Two hands with something to report, and most of a third."""
    deals = evening(rng, 9)
    wanted = [("deal-single-card-exposed", "right"), ("cut-skipped", "remedy-no-shuffle")]
    for number, (name, handling) in enumerate(wanted, 41):
        named = (replace(deal, hand=str(number)) for deal in islice(deals, 400))
        tries = (incident(name, handling, deal, rng) for deal in named)
        yield next(happened.events for happened in tries if happened is not None)
    deal = next(deal for deal in deals if deal.board == 5 and len(deal.deal_order) > 6)
    events = lawful(replace(deal, hand="43"), rng)
    yield events[: len(events) - 8]


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        Path(sys.argv[1]).write_text(drawn(Path(made)))
