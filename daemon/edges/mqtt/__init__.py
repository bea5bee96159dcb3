"""The broker's side of the service."""

from daemon.edges.mqtt.account import Account
from daemon.edges.mqtt.link import Link

__all__ = ["Account", "Link"]
