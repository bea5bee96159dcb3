"""Which brokers there are, as whom to come, and what a broker must show."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from daemon.messages import Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Which brokers, in turn, and as whom. `client` must be this table's alone."""

    addresses: tuple[Address, ...]
    client: str
    username: str | None = None
    password_file: Path | None = None
    ca: Path | None = None


class _Tidy(ssl.SSLSocket):
    """paho forgets a socket whose handshake failed: it is closed here."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except (OSError, ValueError):
            self.close()
            raise


def password(account: Account) -> str | None:
    """The account's password, read from its file each time; raises OSError."""
    return account.password_file.read_text().strip() if account.password_file else None


def tls(account: Account) -> ssl.SSLContext:
    """What the broker must show, read from the disk; raises OSError."""
    context = ssl.create_default_context(cafile=account.ca)
    context.sslsocket_class = _Tidy
    return context
