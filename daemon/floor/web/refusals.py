"""Every word by which the web says no: its status, and what it means. People read it in their own.

Words for people stand in `[mistake]` of config/screens/<language>.toml, one line for each.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# fmt: off
WORDS: dict[str, tuple[int, str]] = {
    # of the request
    "malformed":          (400, "it is not of the form that this address takes"),
    "host":               (400, "this service is not known by that name"),
    "origin":             (403, "it does not come from a page of ours"),
    "csrf":               (403, "the page is of another session: load it anew"),
    "media":              (415, "it is not of the kind that this address takes"),
    "too-large":          (413, "it is too large"),
    "too-slow":           (408, "it did not come in time"),
    "not-found":          (404, "there is nothing here"),
    "method":             (405, "that cannot be done here"),
    # of who somebody is
    "sign-in":            (401, "nobody is signed in here"),
    "not-allowed":        (403, "this role may not see or do that"),
    "password-first":     (403, "the password must be changed first"),
    "proxy":              (403, "this service is reached through its proxy only"),
    "not-known":          (403, "nobody of this name may sign in"),
    "elsewhere":          (403, "the demo is for this machine only"),
    "by-proxy":           (404, "the proxy says who is there: there is no form to sign in with"),
    # of a password
    "login":              (403, "login or password are wrong"),
    "expired":            (403, "the form is too old: once more, please"),
    "old":                (403, "the old password is wrong"),
    "differ":             (400, "the two new passwords differ"),
    "short":              (400, "the new password is too short"),
    "long":               (400, "the new password is too long"),
    "easy":               (400, "the new password is too easy"),
    "same":               (400, "the new password is the old one"),
    # of how often
    "slow-down":          (429, "too many tries: wait a moment"),
    "too-many":           (429, "there are too many of these already"),
    "crowded":            (503, "too many people are signing in: once more in a moment"),
    # of people
    "unknown-person":     (404, "there is nobody of this login"),
    "taken":              (409, "there is somebody of this login already"),
    "name-taken":         (409, "there is somebody whose name looks like this one already"),
    "last-administrator": (409, "the last administrator must stay one"),
    # of the rest
    "unknown-alert":      (404, "there is no such alert, or none any more"),
    "unknown-export":     (404, "there is no such file, or none any more"),
    "not-ready":          (409, "the file is still being made"),
    "no-dealers":         (403, "this house tells nothing of dealers, or not to this role"),
    "period":             (400, "the time ends before it begins, or is longer than a year"),
    "unknown-name":       (400, "nothing of that name stands in the history"),
    "history":            (503, "the history does not answer: once more in a moment"),
    "starting":           (503, "the service is starting"),
    "broken":             (500, "something is wrong in this service, and stands in its log"),
}
# fmt: on

WRONG = ("moment", "form", "missing", "order", "long", "unknown", "unknown-none")
"""What can be wrong with a field; people read it as `[wrong]` of the words has it."""

_BY_STATUS = {404: "not-found", 405: "method", 413: "too-large", 415: "media"}


@dataclass(frozen=True, slots=True)
class Wrong:
    """A field that cannot be taken: its name, which of WRONG, and what is filled in there."""

    field: str
    what: str
    says: Mapping[str, str] = dataclasses.field(default_factory=dict)


class Refusal(Exception):  # noqa: N818 - an answer, no fault
    """No, by one of WORDS, and by which fields.

    `wait_s` says when it may be tried again, 0 that it says nothing.
    """

    def __init__(self, word: str, wait_s: float = 0.0, wrong: Sequence[Wrong] = ()) -> None:
        super().__init__(word)
        self.word = word
        self.wait_s = wait_s
        self.wrong = tuple(wrong)

    @property
    def status(self) -> int:
        """Its number in HTTP."""
        return WORDS[self.word][0]


def of_status(status: int) -> Refusal:
    """What the router refuses by itself."""
    return Refusal(_BY_STATUS.get(status, "malformed" if status < 500 else "broken"))
