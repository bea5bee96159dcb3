"""The table of irregularities for docs/irregularities.md: `python -m tests.catalogue` writes it."""

from collections import Counter
from pathlib import Path

from daemon.edges.books import read_rulebook, read_texts
from daemon.rules.vocabulary import IDS, UNSEEN
from tests.scenario import read_cases

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "irregularities.md"
SCENARIOS = ROOT / "tests" / "scenarios"
BOOKS = ("robert-classic", "robert", "tda-2024")

SECTIONS = {  # by the first irregularity of each
    "deck-duplicate-card": "Deck, shuffle and cut",
    "deal-first-card-exposed": "The deal",
    "flop-premature": "Burns and board",
    "hand-wrong-count-after-window": "Hands and showdown",
    "remedy-burned-when-forbidden": "Faults in remedies",
}

HEAD = """\
# Irregularities

Every irregularity, in the order of a hand: what a table must sense to spot it, its remedy under
each rulebook, and the scenarios in `tests/scenarios` (those that find it + near misses that stay
quiet). Written by `python -m tests.catalogue`; a test keeps it in step with the rulebooks.

In the cells: *silent* the text does not have it · *none* no steps of its own · *as classic* the
same as robert-classic · **fact:** what a fact changes · **late:** once the window is closed ·
† not confirmed. What the steps and facts mean is told in [rulebooks.md](rulebooks.md), the words
for people by `floorcall rules`.
"""

COLUMNS = ("irregularity", "needs", *BOOKS, "scenarios")


def page():
    """The whole page as text."""
    books = [read_rulebook(name) for name in BOOKS]
    english = read_texts(["en"]).languages["en"]
    counts = scenarios()
    lines = [HEAD]
    for irregularity in IDS:
        if irregularity in SECTIONS:
            lines += [f"\n## {SECTIONS[irregularity]}\n", row(COLUMNS), row(["---"] * len(COLUMNS))]
        rulings = [book.rulings[irregularity] for book in books]
        classic, *others = (remedies(ruling) for ruling in rulings)
        told = f"`{irregularity}`<br>{english.entries[irregularity].title}"
        same = ["*as classic*" if other == classic else other for other in others]
        lines.append(row([told, needs(rulings[0]), classic, *same, counts(irregularity)]))
    lines += ["\n## Seen by no table\n", "No dealing event can show these:\n"]
    lines += [f"- `{irregularity}`: {reason}." for irregularity, reason in UNSEEN.items()]
    return "\n".join(lines) + "\n"


def row(cells):
    return f"| {' | '.join(cells)} |"


def needs(ruling):
    """The sets of senses, and how much of the betting."""
    senses = [" ".join(one) for one in ruling.needs]
    betting = {"none": [], "closes": ["betting: ends of rounds"], "acts": ["betting: every act"]}
    parts = [" or ".join(senses)] if senses else []
    return "; ".join(parts + betting[ruling.betting]) or "nothing"


def remedies(ruling):
    """The remedy, what each fact makes of it, and what is left once it is too late."""
    if not ruling.enabled:
        return "*silent*"
    parts = said(ruling, "")
    for variant in ruling.when:
        parts += said(variant.ruling, variant.fact, ruling)
    return "<br>".join(parts)


def said(ruling, fact, plain=None):
    """The ruling's lines; of a fact's only those that differ from the plain ruling's."""
    dagger = " †" if ruling.unconfirmed and not (plain and plain.unconfirmed) else ""
    lines = [f"{f'**{fact}:** ' if fact else ''}{steps(ruling.remedy)}{dagger}"]
    if ruling.after_remedy is not None and (
        plain is None or plain.after_remedy != ruling.after_remedy
    ):
        heading = f"{fact}, late" if fact else "late"
        lines.append(f"**{heading}:** {steps(ruling.after_remedy)}")
    return lines


def steps(remedy):
    return ", ".join(remedy) if remedy else "*none*"


def scenarios():
    """How many cases find an irregularity, and how many of its own file stay quiet about it."""
    finding, near = Counter(), Counter()
    for path in sorted(SCENARIOS.glob("*.txt")):
        for case in read_cases(path):
            names = {name for name, _, _ in case.finds}
            finding.update(names)
            near[path.stem] += path.stem not in names
    return lambda irregularity: f"{finding[irregularity]} + {near[irregularity]}"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
