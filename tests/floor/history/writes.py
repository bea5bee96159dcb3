"""A process that writes lines until it is killed, and says of which it knows that they are kept.

`python -m tests.floor.history.writes URL [PASSWORD]`.
"""

from __future__ import annotations

import sys
from itertools import count

from daemon.floor.history import Database, Scribe
from tests.floor.history.lines import OPENED, line

LINES_EACH = 37  # in a round: beside groups, not along them


def lines_of(number: int) -> list[tuple[str, int]]:
    """The lines of a round: (alert, revision)."""
    return [(f"a{number}-{each // 3}", each % 3 + 1) for each in range(LINES_EACH)]


def main() -> None:
    """Write round after round."""
    database = Database(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
    database.bring_up()
    scribe = Scribe(database)
    for number in count():
        for alert, revision in lines_of(number):
            scribe.put(line(alert, revision))
        scribe.hands("roma", "poker-1", 1, OPENED)
        if number % 3 == 0:  # the others are under way when the next ones come
            assert scribe.written(60)
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
