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
    """Every irregularity that must be found, with its last state (`any` where the book is silent).

    `stated` is False where the book leaves room: then only the first of `found` is certain.
    """

    found: Mapping[str, str]
    self_corrected: bool = False
    stated: bool = True


@dataclass(frozen=True, slots=True)
class Mischief:
    """One kind of mischief: `commit` deals the whole hand with it, or None where it cannot be.

    `at_demo` says that a demo table's devices can tell it; `rulebook` whose irregularity it is.
    """

    commit: Callable[[Dealer, str], Outcome | None]
    handlings: tuple[str, ...]
    acts_seen: bool = True
    at_demo: bool = True
    rulebook: str = "robert-classic"
