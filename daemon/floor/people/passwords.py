"""Passwords: argon2 in threads, a bounded number at a time, the same work for people nobody knows.

One hash takes 64 MiB and tens of milliseconds: without a bound a crowd at the door would take the
machine's memory, and in the loop each would hold back every screen.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

AT_ONCE = 2
WAITING_MAX = 16
LENGTH_MIN = 10
LENGTH_MAX = 256
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that is read for something else
GROUPS, GROUP = 4, 5
TRIED_FIRST = (
    "password", "passwort", "passw0rd", "administrator", "administer", "admin", "supervisor",
    "surveillance", "floorcall", "casino", "poker", "cardroom", "dealer", "welcome", "benvenuto",
    "letmein", "iloveyou", "changeme", "qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "qwerty",
)  # fmt: skip
OWN_MIN = 6  # letters and signs beside a word that is tried first, and digits

Given = TypeVar("Given")


class Crowded(Exception):  # noqa: N818 - a state of the door, no fault
    """More people are at the door than can be looked at."""


def made_up() -> str:
    """A new password to be written down once: 20 letters and digits, 99 bits, in four groups."""
    groups = ["".join(secrets.choice(ALPHABET) for _ in range(GROUP)) for _ in range(GROUPS)]
    return "-".join(groups)


def weakness(new: str, again: str, login: str) -> str | None:
    """What is wrong with a password that somebody chose, as a word of `refusals`, or None."""
    if new != again:
        return "differ"
    if len(new) < LENGTH_MIN:
        return "short"
    if len(new) > LENGTH_MAX:
        return "long"
    if len(set(new)) < 4 or (login in new.casefold() and len(new) < len(login) + LENGTH_MIN):
        return "easy"
    return "easy" if _is_tried_first(new.casefold()) else None


def _is_tried_first(new: str) -> bool:
    """Whether it is one of those that anybody tries: a row of keys, or a known word with digits."""
    steps = [abs(ord(later) - ord(earlier)) for earlier, later in pairwise(new)]
    if sum(step > 1 for step in steps) < 3:
        return True
    rest = new
    for word in TRIED_FIRST:
        rest = rest.replace(word, "")
    return rest != new and sum(not one.isdigit() for one in rest) < OWN_MIN


class Passwords:
    """Makes and verifies hashes. `hasher` says how dear they are."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="argon2")
        self._waiting = 0
        # What a login that nobody has is verified against: it takes as long and is never right.
        self._nobody = self._hasher.hash(secrets.token_urlsafe(32))

    async def hash(self, password: str) -> str:
        """A hash of it, with a salt of its own; raises Crowded."""
        return await self._in_thread(self._hasher.hash, password)

    async def verify(self, stored: str | None, password: str) -> bool:
        """Whether it is the one; with `stored` None or empty the same work is done for nothing.

        Raises Crowded.
        """
        right = await self._in_thread(self._is_right, stored or self._nobody, password)
        return right and bool(stored)

    def is_outdated(self, stored: str) -> bool:
        """Whether it was made more cheaply, or otherwise, than hashes are made now."""
        return self._hasher.check_needs_rehash(stored)

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _is_right(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (Argon2Error, InvalidHashError):
            return False

    async def _in_thread(self, work: Callable[..., Given], *said: str) -> Given:
        if self._waiting >= WAITING_MAX:
            raise Crowded
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, work, *said)
        finally:
            self._waiting -= 1
