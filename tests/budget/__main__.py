"""`make budget`: false alerts and finds at a table whose readers misread, overhear and repeat."""

from __future__ import annotations

import os
import sys

import click

from tests.budget.air import Noise
from tests.budget.measure import FALSE_PER_THOUSAND_MAX, FOUND_PERCENT_MIN, Plan, measure


def printed(plan, budget):
    noise = plan.noise
    yield (
        f"{plan.hands} hands, seed {plan.seed!r}: {noise.misreads:.1%} of tags missed a poll,"
        f" {noise.ghosts:.1%} overheard from the antenna beside, {noise.repeats:.1%} of polls"
        f" told twice, up to {noise.jitter:.0%} late; pace {plan.speed:g}x"
    )
    yield (
        f"{budget.clean} clean hands: {budget.false.total()} false alerts,"
        f" {budget.false_per_thousand:.2f} per 1,000 (at most {FALSE_PER_THOUSAND_MAX:g})"
    )
    for (name, audience), times in sorted(budget.false.items()):
        yield f"  {name} ({audience}) {times}"
    yield f"{'irregularity':36}{'dealt':>7}{'found':>7}{'%':>8}  told besides"
    for name, row in sorted(budget.rows.items()):
        share = 100 * row.found / row.dealt
        beside = ", ".join(f"{other} {times}" for other, times in sorted(row.beside.items()))
        yield f"{name:36}{row.dealt:7}{row.found:7}{share:8.2f}  {beside or '-'}"
    dealt = sum(row.dealt for row in budget.rows.values())
    found = sum(row.found for row in budget.rows.values())
    share = 100 * found / max(dealt, 1)
    yield f"{'all of them':36}{dealt:7}{found:7}{share:8.2f}  (each at least {FOUND_PERCENT_MIN:g})"


@click.command()
@click.option("--hands", default=20_000, show_default=True, help="Clean ones and others, together.")
@click.option("--seed", default="budget", show_default=True, help="The same one, the same evening.")
@click.option("--misreads", default=0.01, show_default=True, help="Of one tag in one poll.")
@click.option("--ghosts", default=0.01, show_default=True, help="Of a tag at an antenna beside.")
@click.option("--repeats", default=0.01, show_default=True, help="Of polls.")
@click.option("--jitter", default=0.4, show_default=True, help="Of a poll's period.")
@click.option("--speed", default=4.0, show_default=True, help="Of the dealer, not of readers.")
@click.option("--workers", default=os.cpu_count() or 1, show_default=True, help="Processes.")
def main(hands, seed, speed, workers, **noise):
    """Deal hands in noisy air and print what it costs; status 1 where it is over the budget."""
    plan = Plan(hands=hands, noise=Noise(**noise), speed=speed, seed=seed)

    def heed(budget):
        done = budget.clean + sum(row.dealt for row in budget.rows.values())
        if sys.stderr.isatty():
            click.echo(f"\r{done} of {hands} hands", nl=False, err=True)

    budget = measure(plan, workers, heed)
    if sys.stderr.isatty():
        click.echo("\r", nl=False, err=True)
    click.echo("\n".join(printed(plan, budget)))
    for row in budget.rows.values():
        for hand in row.odd:
            click.echo(hand, err=True)
    for hand in budget.false_in:
        click.echo(f"false alert in: {hand}", err=True)
    for words in budget.broken():
        click.echo(f"over the budget: {words}", err=True)
    sys.exit(1 if budget.broken() else 0)


if __name__ == "__main__":
    main()
