"""Addresses on the network: who is at `socket://HOST:PORT` is called, at `listen://` we are."""

from __future__ import annotations

from urllib.parse import urlsplit

CALLED, LISTENING = "socket", "listen"
SCHEMES = {CALLED, LISTENING}
FOREIGN = {"tcp", "udp", "http", "https", "mqtt", "ws", "telnet", "serial", "file"}


def scheme(address: str) -> str:
    """What stands before `://`, in lower case; empty for a path."""
    before, mark, _ = address.partition("://")
    return before.lower() if mark else ""


def host_and_port(address: str) -> tuple[str, int]:
    """Of an address on the network; raises ValueError with what is wrong with it."""
    kind = scheme(address)
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise ValueError(f"must be {kind}://HOST:PORT, with a port from 1 to 65535")
    return host, port


def mistake(address: str) -> str | None:
    """What is wrong with a port's address as far as that shows without opening it, or None."""
    kind = scheme(address)
    if kind not in SCHEMES:
        what = f"{kind}:// is not understood: a path, socket://HOST:PORT or listen://HOST:PORT"
        return what if kind in FOREIGN else None
    try:
        host_and_port(address)
    except ValueError as error:
        return str(error)
    return None
