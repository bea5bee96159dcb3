"""What a mischief must be found as: each irregularity with the state it ends in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from daemon.demo.dealing import Dealer

RAISED, REMEDIED, WITHDRAWN, ANY = "raised", "remedied", "withdrawn", "any"

# How a fault is dealt with. Any other handling is the name of the `remedy-*` it must raise.
RIGHT = "right"  # the rule book's remedy, whole
IGNORED = "ignored"  # play goes on
CORRECTED = "corrected"  # put right unexposed, within seconds, before the next due step
STOOD = "stood"  # action came first; then what the book says for that


@dataclass(frozen=True, slots=True)
class Outcome:
    """What must be found, each with its last state (`any` where the book is silent)."""

    found: Mapping[str, str]
    self_corrected: bool = False


@dataclass(frozen=True, slots=True)
class Mischief:
    """One kind of mischief: `commit` deals the whole hand with it, or None where it cannot be.

    It is found in each of its `handlings`, and nothing is in its `near_misses`. `at_demo` says that
    a demo table's devices can tell it; `rulebook` whose irregularity it is, a shipped book's or a
    house's. `senses` are those that its table needs beside the usual ones.
    """

    commit: Callable[[Dealer, str], Outcome | None]
    handlings: tuple[str, ...]
    near_misses: tuple[str, ...] = ()
    acts_seen: bool = True
    at_demo: bool = True
    rulebook: str = "robert-classic"
    senses: frozenset[str] = frozenset()
