"""What a new connection has to show: our own words come back, and what stands there is ours."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from daemon.messages import Message, Topics
from daemon.rules.vocabulary import AUDIENCES

SELF_TEST = "self-test"
FOUND_MAX = 4096


class Welcome:
    """The probes of a connection, and the retained messages found on our own topics.

    A broker's access rules may refuse what it confirms: only what comes back is proof. The probes
    go below `alerts/<audience>` and `log/<audience>`, empty and not retained: nobody is disturbed.
    A broker sends what it has retained before what is published after the subscription: once all
    probes are back, all that is retained is known.
    """

    def __init__(self, topics: Topics, greeting: Message) -> None:
        self.probes = [
            Message(topics.at(level, audience, SELF_TEST), b"")
            for level in ("alerts", "log")
            for audience in AUDIENCES
        ]
        self._due = {(message.topic, message.payload) for message in [greeting, *self.probes]}
        self._found: dict[str, None] = {}
        self._root = topics.at("")
        self._greeting = greeting

    def subscriptions(self) -> list[str]:
        """What must be listened to until all is proven."""
        return [f"{self._root}{level}/#" for level in ("alerts", "sensors", "log")]

    def take(self, topic: str, payload: bytes, *, retained: bool) -> None:
        """Note what came back."""
        if not retained:
            self._due.discard((topic, payload))
        elif payload and topic != self._greeting.topic and len(self._found) < FOUND_MAX:
            self._found[topic] = None

    @property
    def proven(self) -> bool:
        """Whether everything has come back."""
        return not self._due

    def missing(self) -> list[str]:
        """The levels below the table's topic from which nothing came back."""
        levels = {topic.removeprefix(self._root) for topic, _ in self._due}
        return sorted(level.removesuffix(f"/{SELF_TEST}") for level in levels)

    def stale(self, standing: Collection[str]) -> Iterator[Message]:
        """What clears the retained messages that no longer stand, an earlier run's too."""
        for topic in self._found:
            if topic not in standing:
                yield Message(topic, b"", retain=True)
