"""What roles ask of the history: the same from both databases, and never more than they may see."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.floor.history import (
    AlertRow,
    Archive,
    Database,
    Names,
    NotAllowed,
    Question,
    Scribe,
    statements,
)
from daemon.floor.history.rows import EYES, added_up, columns, eyes_of
from daemon.floor.views import AUDIENCES_OF, ROLES, Role, Transition
from tests.floor.history.lines import EVER, OPENED, OPENED_MS, line
from tests.floor.postgres import PASSWORD, Cluster

READERS: tuple[Role, ...] = tuple(role for role in ROLES if role != "wall")
SITES, TABLES = ("roma", "sanremo"), ("poker-1", "poker-2", "poker-3")
IRREGULARITIES = ("turn-premature", "burn-missing", "deal-card-exposed")
SEVERITIES = ("critical", "high", "medium", "low")
AUDIENCES = ("floor", "floor", "maintenance", "surveillance", "log")
DEALERS = (None, "d1", "d2")


def evening(seed: int) -> list[Transition]:
    """Two hundred alerts of two sites, many of them in one and the same millisecond."""
    chance = random.Random(seed)
    lines = []
    for number in range(200):
        at_s = chance.randrange(60)
        row = {
            "site": chance.choice(SITES),
            "table": chance.choice(TABLES),
            "irregularity": chance.choice(IRREGULARITIES),
            "dealer": chance.choice(DEALERS),
            "at_s": at_s,
        }
        audience = chance.choice(AUDIENCES)
        for revision in range(1, chance.randrange(1, 5)):
            if chance.random() < 0.2:
                audience = chance.choice(AUDIENCES)
            if chance.random() < 0.4:
                row["acknowledged_s"] = at_s + chance.randrange(90)
            if chance.random() < 0.3:
                row |= {"verdict": chance.choice(["upheld", "none", "other"]), "state": "closed"}
            severity = chance.choice(SEVERITIES)
            said = {"shelved": {"by": "anna", "until": "2026-11-30T22:00:00.000Z"}}
            more = {"said": said if chance.random() < 0.1 else {}, **row}
            lines.append(line(f"a{number}", revision, audience=audience, severity=severity, **more))
    return lines


EVENING = evening(7)


def seen(role: Role) -> list[dict[str, object]]:
    """The rows that this role may see, made without any database."""
    rows = sorted((columns(one) for one in EVENING), key=lambda row: (row["site"], row["alert"]))
    made = []
    for _, lines in groupby(rows, key=lambda row: (row["site"], row["alert"])):
        made += [row for row in added_up(lines) if row["eyes"] == eyes_of(role)]
    return made


@pytest.fixture(scope="module")
def archives(
    postgres: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Archive, Archive]]:
    """The same evening in both databases."""
    file = tmp_path_factory.mktemp("evening") / "history.db"
    both = (Database(f"sqlite:///{file}"), Database(postgres.database(), PASSWORD))
    for database in both:
        database.bring_up()
        with database.writing() as connection:
            statements.write(connection, [statements.Line(one) for one in EVENING])
    yield (Archive(both[0], dealers=True), Archive(both[1], dealers=True))
    for database in both:
        database.close()


def some(values: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from((*values, "nothing")), max_size=2, unique=True)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    role = draw(st.sampled_from(READERS))
    answer = st.none() | st.integers(0, 90_000)
    return Question(
        role=role,
        since_ms=OPENED_MS + draw(st.integers(-1, 60)) * 1000,
        until_ms=OPENED_MS + draw(st.integers(0, 61)) * 1000,
        sites=draw(some(SITES)),
        tables=draw(some(TABLES)),
        irregularities=draw(some(IRREGULARITIES)),
        severities=draw(some(SEVERITIES)),
        states=draw(some(("raised", "closed"))),
        verdicts=draw(some(("upheld", "none", "other"))),
        answer_min_ms=draw(answer),
        answer_max_ms=draw(answer),
        answered=draw(st.sampled_from([None, True, False])),
        slower_ms=draw(answer),
        called=draw(st.booleans()),
        by=draw(st.sampled_from([None, "anna", "bruno"])),
        dealer=draw(st.sampled_from(DEALERS)) if role == "administer" else None,
    )


def is_wanted(question: Question, row: dict[str, object]) -> bool:
    """The same filter, said once more."""
    named = {
        "site": question.sites,
        "table_name": question.tables,
        "irregularity": question.irregularities,
        "severity": question.severities,
        "state": question.states,
        "verdict": question.verdicts,
    }
    took, looked = row["answer_ms"], row["acknowledged_ms"] is not None
    low, high, slower = question.answer_min_ms, question.answer_max_ms, question.slower_ms
    return (
        question.since_ms <= row["raised_ms"] < question.until_ms
        and all(row[name] in wanted for name, wanted in named.items() if wanted)
        and (row["called"] or not question.called)
        and (question.answered is None or looked is question.answered)
        and (low is None or (took is not None and took >= low))
        and (high is None or (took is not None and took <= high))
        and (slower is None or not looked or (took is not None and took > slower))
        and (question.by is None or question.by in (row["acknowledged_by"], row["closed_by"]))
        and (question.dealer is None or row["dealer"] == question.dealer)
    )


def paged(archive: Archive, question: Question, most: int) -> list[AlertRow]:
    found, after = [], None
    while True:
        page = archive.page(question, after, most)
        assert len(page.rows) <= most
        found += page.rows
        if page.then is None:
            return found
        after = page.then


@given(questions(), st.integers(1, 40))
@settings(max_examples=60)
def test_both_databases_answer_the_same_and_what_was_asked(
    archives: tuple[Archive, Archive], question: Question, most: int
) -> None:
    wanted = [row for row in seen(question.role) if is_wanted(question, row)]
    wanted.sort(key=lambda row: (row["raised_ms"], row["site"], row["alert"]), reverse=True)
    names = [(row["site"], row["alert"]) for row in wanted]
    answers = [paged(archive, question, most) for archive in archives]
    assert answers[0] == answers[1]
    assert [(row.site, row.alert) for row in answers[0]] == names
    for archive in archives:
        assert archive.count(question) == len(names)
        assert list(archive.alerts(question)) == answers[0]
    first, second = (archive.shelvings(question) for archive in archives)
    assert first == second
    assert {(one.site, one.alert) for one in first} <= set(names)


@pytest.mark.parametrize("role", READERS)
def test_a_role_is_told_nothing_that_was_not_for_it(
    archives: tuple[Archive, Archive], role: Role
) -> None:
    question = Question(role=role, since_ms=0, until_ms=EVER, called=False)
    for archive in archives:
        rows = list(archive.alerts(question))
        assert rows
        assert {row.audience for row in rows} <= AUDIENCES_OF[role]
        told = {(row.site, row.alert) for row in rows}
        for one in EVENING:
            lines = archive.lines(role, one.site, one.alert)
            assert {each.audience for each in lines} <= AUDIENCES_OF[role]
            assert bool(lines) is ((one.site, one.alert) in told)


@pytest.mark.parametrize("role", READERS)
def test_a_row_says_nothing_of_lines_that_its_role_was_not_told(role: Role) -> None:
    lines = [one for one in EVENING if one.audience in AUDIENCES_OF[role]]
    rows = sorted((columns(one) for one in lines), key=lambda row: (row["site"], row["alert"]))
    alone = []
    for _, own in groupby(rows, key=lambda row: (row["site"], row["alert"])):
        alone += [row for row in added_up(own) if row["eyes"] == eyes_of(role)]
    whole = [{**row, "gone": False} for row in seen(role)]
    assert whole == [{**row, "gone": False} for row in alone]


def test_every_role_but_the_wall_has_eyes_of_its_own_audiences() -> None:
    for role in READERS:
        eyes = eyes_of(role)
        assert eyes is not None
        assert EYES[eyes] == AUDIENCES_OF[role]
    assert eyes_of("wall") is None


def test_a_wall_has_no_history(archives: tuple[Archive, Archive]) -> None:
    question = Question(role="wall", since_ms=0, until_ms=EVER)
    for ask in (archives[0].page, archives[0].count, archives[0].hands, archives[0].shelvings):
        with pytest.raises(NotAllowed):
            ask(question)
    with pytest.raises(NotAllowed):
        archives[0].lines("wall", "roma", "a1")


def test_dealers_are_told_to_administrators_only_and_only_where_the_house_allows_it(
    archives: tuple[Archive, Archive],
) -> None:
    allowed = archives[0]
    off = Archive(allowed._database)
    named = Archive(allowed._database, dealers=True, names={"d1": "Bruno Verdi"})
    for role in READERS:
        question = Question(role=role, since_ms=0, until_ms=EVER)
        dealers = {row.dealer for row in allowed.alerts(question)}
        assert dealers == ({None, "d1", "d2"} if role == "administer" else {None})
        assert {row.dealer for row in off.alerts(question)} == {None}
        asked = Question(role=role, since_ms=0, until_ms=EVER, dealer="d1")
        if role != "administer":
            with pytest.raises(NotAllowed):
                allowed.page(asked)
        with pytest.raises(NotAllowed):
            off.page(asked)
    asked = Question(role="administer", since_ms=0, until_ms=EVER, dealer="Bruno Verdi")
    assert {row.dealer for row in named.alerts(asked)} == {"Bruno Verdi"}
    assert named.count(asked) > 0


def test_the_audit_is_for_administrators_and_surveillance(
    archives: tuple[Archive, Archive],
) -> None:
    for role in ROLES:
        if role in ("administer", "surveillance"):
            assert archives[0].audit(role) == []
        else:
            with pytest.raises(NotAllowed):
                archives[0].audit(role)


@given(st.text(), st.integers(), st.text(), st.integers())
@settings(max_examples=40)
def test_no_question_is_too_strange_to_be_answered(
    archives: tuple[Archive, Archive], text: str, number: int, other: str, most: int
) -> None:
    question = Question(
        role="administer", since_ms=-number, until_ms=number, sites=[text], tables=[other] * 300,
        severities=[text], answer_min_ms=number, answer_max_ms=most, slower_ms=number, dealer=text,
    )  # fmt: skip
    everything = Question(role="administer", since_ms=0, until_ms=EVER)
    for archive in archives:
        archive.page(question, (number, text, other), most)
        archive.page(everything, (number, text, other), most)
        archive.hands(question)
        archive.shelvings(question)
        assert archive.lines("administer", text, other) == []
        archive.audit("administer", number, most, text)


def test_both_databases_know_the_same_names_and_each_role_its_own(
    archives: tuple[Archive, Archive],
) -> None:
    for role in READERS:
        first, second = (archive.names(role) for archive in archives)
        assert first == second
        rows = [row for row in seen(role) if row["called"]]
        assert set(first.irregularities) == {row["irregularity"] for row in rows}
        assert set(first.tables) == {row["table_name"] for row in seen(role)}
        assert list(first.sites) == sorted(SITES)


def test_a_table_that_ended_a_hand_is_known_without_any_alert(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'history.db'}")
    scribe = Scribe(database)
    for table in ("quiet-10", "quiet-9"):
        scribe.hands("roma", table, 1, OPENED)
    assert scribe.close(60)
    names = Archive(database).names("supervise")
    assert (list(names.sites), list(names.tables)) == (["roma"], ["quiet-9", "quiet-10"])
    assert names.irregularities == {}
    database.close()


KNOWN = Names(
    sites=["roma"],
    tables=["1", "11", "Poker-2"],
    irregularities={
        "turn-premature": {"en": "Turn too early", "it": "Turn prima del tempo"},
        "river-premature": {"en": "River too early", "it": "River prima del tempo"},
        "turn": {},
    },
)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("turn-premature", ["turn-premature"]), ("turn", ["turn"]), ("TURN", ["turn"]),
        ("turn too early", ["turn-premature"]),
        (" Prima del ", ["turn-premature", "river-premature"]),
        ("premature", ["turn-premature", "river-premature"]), ("flop", []), (" ", []),
    ],
)  # fmt: skip
def test_what_fits_whole_is_meant_before_what_fits_in_part(said: str, meant: list[str]) -> None:
    assert list(KNOWN.irregularities_meant(said)) == meant


def test_a_site_is_named_whole_and_a_table_by_a_part_of_its_name() -> None:
    assert (KNOWN.tables_meant("1"), KNOWN.tables_meant("poker")) == (("1",), ("Poker-2",))
    assert (KNOWN.sites_meant("ROMA"), KNOWN.sites_meant("rom")) == (("roma",), ())


def test_where_more_is_known_than_is_listed_a_name_is_taken_as_it_is_said() -> None:
    many = Names(sites=[], tables=[f"t{number}" for number in range(500)], irregularities={})
    assert many.tables_meant("another") == ("another",)
