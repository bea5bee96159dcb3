"""A departure, and where the hand stood when it came: what the oracle looks at."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.table import events as dealing
from daemon.table.places import seat_of
from daemon.table.ranking import strength
from tests.exploration.departures import BOARD_SIZE, Departure, lying
from tests.exploration.hands import Row


class Seen:
    """A departure, and where the hand stood when it came."""

    def __init__(self, departure: Departure, book: str) -> None:
        self.departure = departure
        self.book = book
        rows = departure.hand.rows
        self.order = departure.hand.order
        before = departure.rows[: departure.at]
        self.before = before
        self.after = departure.rows[departure.at :]
        own = next((row for row in rows if row.name == departure.step), rows[-1])
        self.row = own if departure.kind in ("left-out", "astray", "instead", "shown") else None
        self.near: Row = rows[min(departure.at, len(rows) - 1)]
        self.phase = self.near.phase
        self.kind = departure.step.partition("@")[0].rstrip("0123456789")
        self.where = lying(before)
        self.live = set(self.order) - set(folded(before))
        self.all_in = {
            e.seat for row in before if isinstance(e := row.event, dealing.Acted) and e.all_in
        }

    @property
    def run_out(self) -> bool:
        """Whether nobody can bet any more."""
        return len(self.live - self.all_in) < 2 and not self.near.owing

    @property
    def over(self) -> bool:
        """Whether the hand is decided: one hand left, hands shown after the river, pot gone."""
        names = {row.name for row in self.before}
        rounds_done = "river5" in names and not self.near.owing
        return len(self.live) < 2 or "pot" in names or (rounds_done and self.phase != "turn")

    @property
    def laid(self) -> int:
        """How many cards lie on the board."""
        return sum(place == "board" for place in self.where.values())

    @property
    def streets_owed(self) -> bool:
        """Whether board cards are still to come, for two hands or more."""
        return self.laid < BOARD_SIZE and not self.over

    def opening(self) -> int:
        """Who opens the first round: left of the big blind; heads-up the button."""
        return self.order[2] if len(self.order) > 2 else self.order[-1]

    @property
    def pitched(self) -> int:
        """How many cards have gone to hands."""
        return sum(row.kind == "pitch" for row in self.before)

    @property
    def dealt(self) -> set[str]:
        return {row.name for row in self.before}

    def is_hunted(self, seat: int) -> bool:
        """Whether board cards come once that seat has folded, and but one hand is left."""
        live = self.live - {seat}
        for row in self.departure.rows[self.departure.at + 1 :]:
            live -= set(folded([row]))
            if len(live) < 2 and getattr(row.event, "to", "") == "board":
                return True
        return False

    def winner_is_killed(self) -> bool:
        """Whether the best of the hands that were shown got no share of the pot.

        Of one hand alone nothing is said: the other may have been shown, and no key pressed.
        """
        rows = self.departure.rows
        board = [card for card, place in lying(rows[:-2]).items() if place == "board"]
        shown = [row.event for row in rows if isinstance(row.event, dealing.HandTabled)]
        paid = next(row.event.seats for row in rows if row.name == "pot")
        value = {hand.seat: strength([*hand.cards, *board]) for hand in shown}
        best = {seat for seat in value if value[seat] == max(value.values())}
        return len(shown) > 1 and not best & set(paid)

    def acts_to_come(self) -> int:
        """How many acts come once it has happened."""
        return sum(isinstance(row.event, dealing.Acted) for row in self.after)

    def rest_ms(self) -> int:
        """How long the hand goes on until it is decided."""
        live, total = set(self.live), 0
        last_act = max(
            (n for n, r in enumerate(self.after) if isinstance(r.event, dealing.Acted)), default=0
        )
        for n, row in enumerate(self.after[1:], 1):
            total += row.pause_ms
            live -= set(folded([row]))
            done = row.name == "pot" or len(live) < 2
            if done or (n >= last_act and "river5" in {r.name for r in self.after[: n + 1]}):
                return total
            if n >= last_act and "river5" in self.dealt:
                return total
        return total


def folded(rows: Iterable[Row]) -> list[int]:
    """Who gave up a hand in these rows, by act or by its second card in the muck."""
    found, mucked = [], {}
    for row in rows:
        event = row.event
        if isinstance(event, dealing.Acted) and event.action == "fold":
            found.append(event.seat)
        elif isinstance(event, dealing.CardMoved) and event.to == "muck":
            seat = seat_of(event.source)
            mucked[seat] = mucked.get(seat, 0) + 1
            if seat and mucked[seat] == 2:
                found.append(seat)
    return found
