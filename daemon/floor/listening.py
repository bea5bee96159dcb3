"""Who listens at a screen, and what has not been told him yet; whoever is too slow begins anew."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager

from daemon.floor.views import News, Person, Role

WAITING_MAX = 600  # news that a screen may be behind with
TOLD_MAX = 50  # that it is given at a time: what it has is kept until it has read it


class Listener:
    """One screen. What it is told is told in order; beyond `WAITING_MAX` it gets a new picture.

    `picture` makes that for a role, at the moment at which it is told.
    """

    def __init__(self, person: Person, screen: str, picture: Callable[[Role], News]) -> None:
        self.person = person
        self.screen = screen
        self.behind = True  # begins with a picture
        self._picture = picture
        self._waiting: deque[News] = deque()
        self._news = asyncio.Event()
        self._news.set()

    @property
    def role(self) -> Role:
        """What it may see."""
        return self.person.role

    def tell(self, news: Sequence[News]) -> None:
        """One more to be told; nothing as long as a picture is due, which has it in it."""
        if self.behind:
            return
        if len(self._waiting) + len(news) > WAITING_MAX:
            self.renew()
            return
        self._waiting.extend(news)
        self._news.set()

    def renew(self) -> None:
        """The next that is told is the whole picture."""
        self.behind = True
        self._waiting.clear()
        self._news.set()

    def __aiter__(self) -> AsyncIterator[Sequence[News]]:
        return self

    async def __anext__(self) -> Sequence[News]:
        """Some of what there is to be told, as soon as there is any; it ends with whoever asks."""
        while True:
            await self._news.wait()
            self._news.clear()
            if self.behind:
                self.behind = False
                return [self._picture(self.role)]
            if self._waiting:
                count = min(TOLD_MAX, len(self._waiting))
                if count < len(self._waiting):
                    self._news.set()
                return [self._waiting.popleft() for _ in range(count)]


class Listeners:
    """All screens that are open; `picture` makes the whole picture for a role."""

    def __init__(self, picture: Callable[[Role], News]) -> None:
        self._picture = picture
        self._open: set[Listener] = set()

    def __iter__(self) -> Iterator[Listener]:
        return iter(list(self._open))

    def __len__(self) -> int:
        return len(self._open)

    @property
    def roles(self) -> set[Role]:
        """The roles for which views are needed."""
        return {each.role for each in self._open}

    def tell(self, role: Role, news: Sequence[News]) -> None:
        """Tell all screens of this role."""
        if news:
            for each in self._open:
                if each.role == role:
                    each.tell(news)

    def renew(self) -> None:
        """Everybody gets a new picture."""
        for each in self._open:
            each.renew()

    @contextmanager
    def opened(self, person: Person, screen: str) -> Iterator[Listener]:
        """A screen as long as it is open."""
        listener = Listener(person, screen, self._picture)
        self._open.add(listener)
        try:
            yield listener
        finally:
            self._open.discard(listener)
