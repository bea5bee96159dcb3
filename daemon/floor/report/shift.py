"""A shift out of the history: its figures, with word of how far that is, and an end on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import tzinfo
from typing import TypeVar

from daemon.floor.history import AlertRow, Archive, Question
from daemon.floor.report.figures import Figures, figures

Progress = Callable[[int, int], None]
"""Told how much is done, of how much; raises `Cancelled` where nobody wants it any more."""

EVERY = 200  # rows between two words

_Row = TypeVar("_Row")


class Cancelled(Exception):  # noqa: N818 - it is what it says
    """Nobody wants it any more."""


def unheard(done: int, of: int) -> None:
    """Progress that nobody looks at."""
    del done, of


def told(rows: Iterable[_Row], of: int, progress: Progress) -> Iterator[_Row]:
    """The same rows, telling how many of them have gone by."""
    for done, row in enumerate(rows):
        if done % EVERY == 0:
            progress(min(done, of), of)
        yield row
    progress(of, of)


def alerts(
    archive: Archive, question: Question, progress: Progress = unheard
) -> Iterator[AlertRow]:
    """The alerts of this question, with word of how far that is."""
    return told(archive.alerts(question), archive.count(question), progress)


def shift(
    archive: Archive, question: Question, zone: tzinfo, progress: Progress = unheard
) -> Figures:
    """The figures of this question; people for surveillance, dealers for whom they are told."""
    return figures(
        alerts(archive, question, progress),
        archive.hands(question),
        archive.shelvings(question),
        since_ms=question.since_ms,
        until_ms=question.until_ms,
        zone=zone,
        people=question.role == "surveillance",
        dealers=archive.tells_dealers(question.role),
    )
