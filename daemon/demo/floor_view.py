"""What a floor screen knows of each table: only what came over MQTT."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from daemon.messages import ROOT

FOR_THE_FLOOR = ("floor", "maintenance")
PAST_MAX = 6
_LEVELS = 5  # floorcall/v1/<site>/<table>/<kind>


@dataclass(slots=True)
class TableView:
    """One table: the payloads of its topics, its alerts by id, the oldest first."""

    name: str
    status: dict[str, Any] = field(default_factory=dict)
    hand: dict[str, Any] = field(default_factory=dict)
    sensors: dict[str, str] = field(default_factory=dict)
    alerts: dict[str, dict[str, Any]] = field(default_factory=dict)
    board: list[str] = field(default_factory=list)
    dealt_in: list[int] = field(default_factory=list)
    hands: int = 0

    @property
    def hand_name(self) -> str | None:
        """The hand in progress."""
        name = self.hand.get("hand")
        return name if isinstance(name, str) else None

    def present(self) -> list[dict[str, Any]]:
        """The alerts of the last hand there was, in the order in which they were raised."""
        last = self._last_hand
        return [alert for alert in self.alerts.values() if alert["hand"] == last]

    def past(self) -> list[dict[str, Any]]:
        """The latest alerts of the hands before it, the latest first."""
        last = self._last_hand
        before = [alert for alert in self.alerts.values() if alert["hand"] != last]
        return before[::-1][:PAST_MAX]

    @property
    def _last_hand(self) -> str | None:
        if self.hand_name is not None:
            return self.hand_name
        return next((alert["hand"] for alert in reversed(self.alerts.values())), None)


class FloorView:
    """All tables, by name; `changed` says whether anything came since it was last set to False."""

    def __init__(self) -> None:
        self.tables: dict[str, TableView] = {}
        self.changed = True

    def take(self, topic: str, payload: bytes) -> dict[str, Any] | None:
        """Take a message; an alert's transition is returned, for whoever writes lines."""
        levels = topic.split("/")
        if not topic.startswith(f"{ROOT}/") or len(levels) < _LEVELS:
            return None
        name, kind, below = levels[3], levels[4], levels[5:]
        if name.startswith("."):  # the floor's own words, no table's
            return None
        self.changed = True
        table = self.tables.setdefault(name, TableView(name))
        said = msgspec.json.decode(payload) if payload else None
        match kind, below:
            case "status", []:
                table.status = said or {}
            case "sensors", [sensor]:
                table.sensors[sensor] = (said or {}).get("state", "lost")
            case "hand", []:
                _follow(table, said or {})
            case "log", [audience] if audience in FOR_THE_FLOOR and said:
                table.alerts[said["id"]] = said
                return dict(said)
            case _:
                pass
        return None


def _follow(table: TableView, hand: dict[str, Any]) -> None:
    """The board in the order in which its cards became public; the seats that had cards at all."""
    if hand.get("hand") is not None and hand.get("hand") != table.hand_name:
        table.hands += 1
        table.board, table.dealt_in = [], []
    table.hand = hand
    table.dealt_in = sorted({*table.dealt_in, *hand.get("seats_in", [])})
    lying = [card for card, place in hand.get("public", []) if place == "board"]
    table.board = [card for card in table.board if card in lying]
    table.board += [card for card in lying if card not in table.board]
