"""What is still to be sent, in memory and on disk."""

from daemon.edges.outbox.outbox import Outbox
from daemon.edges.outbox.shelf import NoShelf, Row, Shelf

__all__ = ["NoShelf", "Outbox", "Row", "Shelf"]
