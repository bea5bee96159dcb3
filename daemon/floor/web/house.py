"""What a house says of its web: by which names it is reached, whom it trusts to name people.

Pure: addresses and names in, answers out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from daemon.floor.document import Sounds

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address

_HOST = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::\d{1,5})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """How the screens are reached.

    `hosts` are names that browsers know this service by, lower case, beside the addresses it
    listens at. `secure` says that they come by TLS, to us or to the proxy. `proxies` are the
    networks of proxies whose word is taken; where `identity` names a header, they say in it who
    somebody is, and nobody else is let in. `demo`: no login, from this machine only. `sounds` says
    which alerts sound for whom, until he chooses otherwise.
    """

    site: str = ""
    version: str = ""
    hosts: tuple[str, ...] = ()
    secure: bool = False
    proxies: tuple[Network, ...] = ()
    identity: str = ""
    demo: bool = False
    undo_s: float = 4.0
    shelve_max_min: int = 240
    dealer_identity: bool = False
    sounds: Sounds = field(default_factory=Sounds)

    @property
    def scheme(self) -> str:
        """How a browser's addresses of ours begin."""
        return "https" if self.secure else "http"

    @property
    def cookie(self) -> str:
        """The session's cookie."""
        return self.cookie_named("floorcall")

    def cookie_named(self, name: str) -> str:
        """A cookie's name. By its prefix a browser keeps it to this host, and to TLS."""
        return f"__Host-{name}" if self.secure else name


def address_of(text: str | None) -> Address | None:
    """An address, IPv4 where it is one in IPv6's clothes; None where it is none."""
    try:
        found = ip_address((text or "").strip().partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def is_trusted(house: House, peer: str | None) -> bool:
    """Whether a connection's other end is one of the house's proxies."""
    address = address_of(peer)
    return address is not None and any(address in network for network in house.proxies)


def client_of(house: House, peer: str | None, forwarded: Sequence[str]) -> str:
    """Whose request it is: the other end, or what trusted proxies say, the last of them first.

    `forwarded` are all headers of `X-Forwarded-For`: some proxies add a line of their own behind
    what whoever asks has written himself.
    """
    if not is_trusted(house, peer):
        return str(address_of(peer) or peer or "?")
    for told in reversed(",".join(forwarded).split(",")):
        address = address_of(told)
        if address is None:
            break
        if not is_trusted(house, str(address)):
            return str(address)
    return str(address_of(peer) or "?")


def is_ours(house: House, host: str, local: str | None) -> bool:
    """Whether a Host header names this service, so that nobody's name can be bent to it.

    An address is ours if the connection came to it; `localhost` if it came to this machine's own.
    """
    match = _HOST.fullmatch(host)
    if match is None:
        return False
    name = (match["six"] or match["name"]).casefold().rstrip(".")
    if name in house.hosts:
        return True
    here = address_of(local)
    if name == "localhost":
        return here is not None and here.is_loopback
    return here is not None and address_of(name) == here


def is_same_origin(house: House, origin: str, host: str) -> bool:
    """Whether a browser sent it from a page of ours."""
    return origin.casefold() == f"{house.scheme}://{host}".casefold()


def is_inside(path: str) -> bool:
    """Whether an address to go to next is one of ours, and not the beginning of another's."""
    return re.fullmatch(r"/(?![/\\])[^\\\x00-\x20\x7f]*", path) is not None
