"""What a table's senses let it see of a rulebook: spots, follows once called, cannot see."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from daemon.payloads import Coverage
from daemon.rules.naming import is_misdeal
from daemon.rules.rulebook import Rulebook, Ruling
from daemon.rules.texts import Texts
from daemon.rules.vocabulary import BETTING_LEVELS, UNSEEN
from daemon.table.events import Betting

How = Literal["spotted", "called", "unseen", "nowhere", "silent"]

KEYS = "floor"
"""The sense of the floor's, the misdeal and the premature key."""

WIDTH = 88


class Lack(Struct, frozen=True, order=True):
    """What would have to be added: senses, and the betting level from an independent source."""

    senses: tuple[str, ...] = ()
    betting: str = ""


class Covered(Struct, frozen=True):
    """How far one irregularity is covered; `lack` is the least that would make it spotted."""

    id: str
    how: How
    lack: Lack = Lack()


def coverage(book: Rulebook, sees: frozenset[str], betting: Betting) -> tuple[Covered, ...]:
    """Every irregularity of the rulebook, in its order, as this table covers it.

    Spotted: the senses are there, and of the betting as much is known as it takes, from a source
    other than the dealer's own keys (a dealer who errs believes that betting is closed). Called:
    a key tells of it and its remedy is followed from there on. Nowhere: no sensor could show it.
    """
    return tuple(_covered(ruling, sees, betting) for ruling in book.rulings.values())


def _covered(ruling: Ruling, sees: frozenset[str], betting: Betting) -> Covered:
    if ruling.id in UNSEEN:
        return Covered(ruling.id, "nowhere")
    if not ruling.enabled:
        return Covered(ruling.id, "silent")
    lack = Lack(_missing(ruling, sees), _betting_missing(ruling, betting))
    if lack == Lack():
        return Covered(ruling.id, "spotted")
    # A misdeal is followed from its key on, a premature street from the floor's or its own.
    told = is_misdeal(ruling.remedy) or (bool(ruling.remedy) and not lack.senses)
    return Covered(ruling.id, "called" if told and KEYS in sees else "unseen", lack)


def _missing(ruling: Ruling, sees: frozenset[str]) -> tuple[str, ...]:
    """The fewest senses that would do; the first of the row where several are as few."""
    lacks = [tuple(sense for sense in senses if sense not in sees) for senses in ruling.needs]
    return min(lacks, key=len, default=())


def _betting_missing(ruling: Ruling, betting: Betting) -> str:
    needed = BETTING_LEVELS.index(ruling.betting)
    known = BETTING_LEVELS.index(betting.level)
    if needed and (known < needed or betting.source != "independent"):
        return ruling.betting
    return ""


def payload(
    covered: tuple[Covered, ...], book: Rulebook, texts: Texts, languages: Sequence[str]
) -> Coverage:
    """The coverage for the topic of that name (docs/topics.md), titled in each of the languages."""

    def these(how: How) -> list[str]:
        return [one.id for one in covered if one.how == how]

    titles = {
        language: {
            ruling.id: texts.text(language, ruling, ruling.remedy)[0]
            for ruling in book.rulings.values()
        }
        for language in languages
    }
    return {
        "v": 1,
        "rulebook": book.name,
        "spots": these("spotted"),
        "called": these("called"),
        "unseen": [
            {"irregularity": one.id, "add": _added(one.lack)}
            for one in covered
            if one.how == "unseen"
        ],
        "never": these("nowhere"),
        "silent": these("silent"),
        "text": titles,
    }


def _added(lack: Lack) -> list[str]:
    return [*lack.senses, *([f"betting-{lack.betting}"] if lack.betting else [])]


def gains(covered: tuple[Covered, ...]) -> dict[Lack, tuple[str, ...]]:
    """What each addition would let the table spot: the smallest additions first, then the best."""
    found: dict[Lack, tuple[str, ...]] = {}
    for one in covered:
        if one.lack != Lack():
            found[one.lack] = (*found.get(one.lack, ()), one.id)
    return dict(sorted(found.items(), key=_worth))


def _worth(gain: tuple[Lack, tuple[str, ...]]) -> tuple[int, int, Lack]:
    lack, ids = gain
    return len(lack.senses) + bool(lack.betting), -len(ids), lack


def told(covered: tuple[Covered, ...], texts: Texts, language: str) -> str:
    """The coverage as people of this language read it: plain text, its last line ended."""

    def word(key: str) -> str:
        return texts.word(language, "coverage", key)

    lines: list[str] = []
    for how in ("spotted", "called", "unseen"):
        these = tuple(one for one in covered if one.how == how)
        lines.append(f"{word(how)} ({len(these)}):")
        if how == "spotted":
            lines += _paragraph([one.id for one in these], "  ")
            continue
        for lack, ids in gains(these).items():
            lines.append(f"  {word('with')} {', '.join(_additions(lack, texts, language))}:")
            lines += _paragraph(ids, "    ")
    for how in ("nowhere", "silent"):
        ids = tuple(one.id for one in covered if one.how == how)
        if ids:
            lines.append(f"{word(how)} ({len(ids)}):")
            lines += _paragraph(ids, "  ")
    return "\n".join(lines) + "\n"


def _additions(lack: Lack, texts: Texts, language: str) -> Iterator[str]:
    yield from lack.senses
    if lack.betting:
        yield texts.word(language, "coverage", lack.betting)


def _paragraph(ids: Iterable[str], indent: str) -> list[str]:
    return textwrap.wrap(
        " ".join(ids),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
