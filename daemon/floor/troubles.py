"""What is wrong with the service: a key that screens have words for, in every language.

What has no key is told in the words that there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from daemon.access import REFUSALS
from daemon.floor.views import Trouble

CERTIFICATES = ("certificate-begins", "certificate-ends", "certificate-ended")
HISTORY = ("history-unwritten", "history-hung", "history-lost", "history-full")
BROKER = ("not-yet", "own-words", "other-client", "unconfirmed", "broker-away")
UNNAMED = "unnamed"  # what has no key, for those who are not told its words
KEYS = (*REFUSALS, *CERTIFICATES, *HISTORY, *BROKER, UNNAMED)
"""Those that `[trouble_says]` of the screens' words has."""


def trouble(key: str, words: str, detail: str = "", **says: str | int) -> Trouble:
    """One trouble; `says` is filled into the screens' words for its key.

    `words` tell it in English, for the log; `detail` is what a program said of it.
    """
    return Trouble(key=key, words=words, says=says, detail=detail)


def refused(key: str) -> Trouble:
    """Why there is no TLS with the broker, of `daemon.access.REFUSALS`."""
    return trouble(key, REFUSALS[key])


def certificate(whose: str, what: str, when: datetime, words: str) -> Trouble:
    """A certificate that `begins`, `ends` or `ended` then; `whose` as `Papers` has it."""
    return trouble(f"certificate-{what}", words, whose=whose, on=when.isoformat())


def in_words(troubles: Iterable[Trouble]) -> str:
    """All of them in one line of English, as the log has it."""
    return "; ".join(one["words"] for one in troubles)
