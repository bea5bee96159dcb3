"""Which brokers there are, and as whom to come."""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.access import Access
from daemon.messages import Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Which brokers, in turn, and as whom. `client` must be this table's alone."""

    addresses: tuple[Address, ...]
    client: str
    access: Access = field(default_factory=Access)
