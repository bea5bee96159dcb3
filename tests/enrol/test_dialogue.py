from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.enrol.arrivals import Arrivals
from daemon.enrol.ceremony import Ceremony
from daemon.enrol.dialogue import GARBLED_MAX, QUIT, Checking, Enrolling
from daemon.enrol.enrolment import ORDER, Enrolment
from daemon.enrol.verification import LISTEN_MS, Verification
from daemon.enrol.words import LANGUAGES, Speech
from daemon.table.layout import Sensor
from drivers.readings import Garbled
from tests.enrol.decks import BLUE, RED, SPARE, TAGS, TERMS, poll

ENTRIES = tuple(TAGS.items())


@dataclass
class Desk:
    """An enrolment in which all that is said and kept is noted, in its order."""

    count: int = 0
    sample: tuple[str, ...] = ()
    language: str = "en"
    said: list[str] = field(default_factory=list)
    now_ms: int = 0

    def __post_init__(self) -> None:
        self.ceremony = Ceremony(Enrolment(TERMS, ENTRIES[: self.count]), self.sample)
        self.dialogue = Enrolling(
            self.ceremony,
            Arrivals(Sensor("felt", "feig")),
            Speech(self.language),
            self.said.append,
            lambda: self.said.append(f"kept {len(self.ceremony.enrolment.entries)}"),
        )
        self.dialogue.begin()

    def lay(self, *uids: str) -> list[str]:
        before = len(self.said)
        for _ in range(5):
            self.now_ms += 100
            self.dialogue.hear(poll(uids), self.now_ms)
        return self.said[before:]


def test_a_card_is_kept_before_it_is_told() -> None:
    assert Desk().lay(TAGS["2c"]) == [
        "kept 1", " 1 of 52  2c (two of clubs)", "Lay 3c (three of clubs).",
    ]  # fmt: skip


def test_what_cannot_be_kept_is_not_told() -> None:
    desk = Desk()

    def refuse() -> None:
        raise OSError(28, "No space left on device")

    desk.dialogue._keep = refuse
    with pytest.raises(OSError, match="No space"):
        desk.lay(TAGS["2c"])
    assert desk.said == ["kept 0", "Lay 2c (two of clubs)."]


@pytest.mark.parametrize("word", QUIT)
@pytest.mark.parametrize("sample", [(), ("2c",)])
def test_whoever_wants_to_leave_may_at_any_time(word: str, sample: tuple[str, ...]) -> None:
    desk = Desk(3, sample)
    desk.dialogue.take(word.upper())
    assert desk.dialogue.is_over
    before = list(desk.said)
    desk.lay(TAGS["5c"])
    desk.dialogue.take("undo")
    assert desk.said == before
    assert desk.ceremony.enrolment.entries == ENTRIES[:3]


def test_a_reader_that_is_gone_and_back_is_told_and_what_lay_there_is_looked_at_anew() -> None:
    desk = Desk(50)
    desk.dialogue.port(None)
    desk.dialogue.hear(poll([TAGS["Ks"]]), 0)
    desk.dialogue.port("hung up")
    desk.dialogue.wake(1000)
    desk.dialogue.port(None)
    assert desk.said[2:] == ["Reader not there: hung up. Waiting for it.", "Reader there."]
    assert desk.lay(TAGS["Ks"])[0] == "kept 51"


def test_a_line_that_makes_no_sense_at_all_is_told_once() -> None:
    desk = Desk()
    for _ in range(3 * GARBLED_MAX):
        desk.dialogue.hear(Garbled("dirt"), 0)
    assert desk.said[2:] == [Speech("en")("garbled")]
    healthy = Desk()
    healthy.lay()
    for _ in range(3 * GARBLED_MAX):
        healthy.dialogue.hear(Garbled("dirt"), 0)
    assert len(healthy.said) == 2


STEPS = st.lists(
    st.one_of(
        st.lists(st.sampled_from([*RED, SPARE, next(iter(BLUE))]), max_size=2),
        st.sampled_from(["Anna", "Bruno", "", "undo", "undo Ks", "missing", "As", "Td", "\x00"]),
        st.sampled_from([None, "missing"]).map(lambda why: ("port", why)),
    ),
    max_size=25,
)


@given(STEPS, st.sampled_from([(), ("2c", "As")]), st.sampled_from(LANGUAGES))
def test_no_line_of_the_dialogue_shows_a_tag(
    steps: list, sample: tuple[str, ...], language: str
) -> None:
    desk = Desk(50, sample, language)
    for step in steps:
        match step:
            case str():
                desk.dialogue.take(step)
            case ("port", why):
                desk.dialogue.port(why)
            case _:
                desk.lay(*step)
    said = "\n".join(desk.said).lower()
    assert not any(uid in said for uid in (*RED, *BLUE, SPARE))
    cards = [card for card, _ in desk.ceremony.enrolment.entries]
    assert len(set(cards)) == len(cards)


def test_a_check_tells_its_count_and_ends_by_itself_or_when_told() -> None:
    said: list[str] = []
    checking = Checking(Verification(RED, {}), Speech("it"), said.append)
    checking.begin()
    checking.hear(poll(list(RED)[:51]), 0)
    checking.hear(poll(list(RED)), 100)
    assert said[1:] == ["51 di 52", "52 di 52"]
    assert not checking.is_over
    checking.wake(100 + LISTEN_MS)
    assert checking.is_over
    assert checking.result.is_good
    early = Checking(Verification(RED, {}), Speech("it"), said.append)
    early.take("")
    assert early.is_over
    assert Speech("it").result("rosso", early.result)[0] == "Mazzo rosso: 0 di 52."
    assert not early.result.is_good


def test_what_a_check_found_is_told_in_both_languages() -> None:
    verification = Verification(RED, {"blue": BLUE})
    uids = [TAGS[card] for card in ORDER[2:]]
    for nth in range(30):
        here = uids[1:] if nth % 3 else uids
        verification.hear(poll([*here, SPARE, next(iter(BLUE))]), nth * 100)
    found = verification.result()
    assert Speech("en").result("red", found) == [
        "Deck red: 50 of 52.", "2 missing: 2c 3c", "Read badly, 1: 4c", "Of deck blue: 1",
        "Not of any deck: 1",
    ]  # fmt: skip
    assert len(Speech("it").result("rosso", found)) == 5
