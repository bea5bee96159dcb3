"""`make bench`: what floorcall costs, each figure beside a floor of the same run."""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path

import click

from tests.bench import judged, latency, product
from tests.bench.broker import mosquitto


def contenders(floor_only: bool) -> list[latency.Contender]:
    return [latency.FLOOR] if floor_only else [latency.FLOOR, product.PRODUCT]


@click.command()
@click.option("--alerts", default=300, show_default=True, help="Alerts a run.")
@click.option("--gap-ms", default=20.0, show_default=True, help="From one trigger to the next.")
@click.option("--runs", default=3, show_default=True, help="Runs of each, of which the median.")
@click.option("--hands", default=1000, show_default=True, help="Hands to judge; 0: none.")
@click.option("--floor-only", is_flag=True, help="Measure the floor alone.")
def main(alerts: int, gap_ms: float, runs: int, hands: int, floor_only: bool) -> None:
    """Measure the latency of alerts and the speed of judging."""
    click.echo(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}:"
        " read the ratios, not the absolutes"
    )
    click.echo(
        f"From the last byte on a pty to a subscriber on mosquitto: {alerts} alerts,"
        f" {gap_ms:g} ms apart, median of {runs} runs"
    )
    found: dict[str, list[latency.Figures]] = {}
    for _ in range(runs):
        for who in contenders(floor_only):
            with tempfile.TemporaryDirectory() as name, mosquitto(Path(name)) as port:
                figures = latency.run(who, port, Path(name), alerts, gap_ms)
                found.setdefault(who.name, []).append(figures)
    rows = {name: latency.median(of_runs) for name, of_runs in found.items()}
    for line in latency.table(rows, latency.FLOOR.name):
        click.echo(line)
    if hands and not floor_only:
        click.echo("")
        for line in judged.table(hands):
            click.echo(line)


if __name__ == "__main__":
    main()
