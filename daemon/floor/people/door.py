"""The door: how long whoever wants in must wait after having been wrong.

Tries are counted by the login and by where they come from, so whoever tries what is not his makes
everybody wait who comes from elsewhere with that login, its owner too. But a browser in which the
owner has signed in before holds a token that nobody else can make, and has tries of its own: nobody
keeps him out there.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from daemon.floor.people.accounts import Account
from daemon.floor.people.limits import Patience

NAME_FREE, NAME_MOST_S = 5, 60.0  # tries that cost nothing, and the longest wait
ADDRESS_FREE, ADDRESS_MOST_S = 20, 900.0
IPV6_PREFIX = 64  # what one house has: each of its machines has as many addresses as it wants

NUMBER_LETTERS, PROOF_LETTERS = 16, 32
TOKENS_MAX = 8  # people who sign in in one browser


@dataclass(frozen=True, slots=True)
class Tries:
    """One who wants in, and all that counts against him, each with whether success clears it."""

    counted: Sequence[tuple[Patience, str, bool]]

    def wait_s(self, now_s: float) -> float:
        """How long he must still wait; 0 where he may try."""
        return max(patience.wait_s(key, now_s) for patience, key, _ in self.counted)

    def failed(self, now_s: float) -> None:
        """He was wrong, or it is not known yet."""
        for patience, key, _ in self.counted:
            patience.failed(key, now_s)

    def right(self) -> None:
        """It was he."""
        for patience, key, clears in self.counted:
            patience.forgive(key, all_of_them=clears)


class Door:
    """Counts everybody's tries; `now_s` is a clock that nobody sets."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.now_s = now_s
        self._by_name = Patience(free=NAME_FREE, most_s=NAME_MOST_S)
        self._by_address = Patience(free=ADDRESS_FREE, most_s=ADDRESS_MOST_S)
        self._by_browser = Patience(free=NAME_FREE, most_s=NAME_MOST_S)
        self._inside = Patience(free=NAME_FREE, most_s=NAME_MOST_S)

    def tries(self, login: str, account: Account | None, address: str, browser: str) -> Tries:
        """The tries of one who says that it is his login; `browser` holds his browser's tokens."""
        known = known_browser(browser, login, account.secret if account else "")
        if known:
            return Tries([(self._by_browser, known, True)])
        origin = origin_of(address)
        return Tries([(self._by_name, login, True), (self._by_address, origin, False)])

    def tries_inside(self, login: str) -> Tries:
        """The tries of one who is signed in, and is asked for his password once more."""
        return Tries([(self._inside, login, True)])

    def forget(self, login: str) -> None:
        """He has another password: what was tried before says nothing."""
        for patience in (self._by_name, self._inside):
            patience.forgive(login, all_of_them=True)


def origin_of(address: str) -> str:
    """By what tries from this address are counted."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return str(ip_network((found, IPV6_PREFIX), strict=False))
    return address


def browser_token(account: Account) -> str:
    """What a browser is given in which he has just signed in; another password makes it void."""
    number = secrets.token_hex(NUMBER_LETTERS // 2)
    return number + _proof(account.login, account.secret, number)


def with_token(held: str, token: str) -> str:
    """The tokens that a browser is to hold from now on: those of the last who signed in there."""
    others = [one for one in held.split(".") if _is_whole(one)]
    return ".".join([*others[-(TOKENS_MAX - 1) :], token])


def known_browser(held: str, login: str, secret: str) -> str:
    """The number of the token among those held that was given to this person; "" without any."""
    found = ""
    for token in held.split(".")[-TOKENS_MAX:]:
        number, proof = token[:NUMBER_LETTERS], token[NUMBER_LETTERS:]
        right = hmac.compare_digest(proof.encode(), _proof(login, secret, number).encode())
        if right and secret and _is_whole(token):
            found = number
    return found


def _is_whole(token: str) -> bool:
    return token.isalnum() and len(token) == NUMBER_LETTERS + PROOF_LETTERS


def _proof(login: str, secret: str, number: str) -> str:
    said = f"browser\0{login}\0{number}".encode("utf-8", "replace")
    return hmac.new(secret.encode(), said, hashlib.sha256).hexdigest()[:PROOF_LETTERS]
