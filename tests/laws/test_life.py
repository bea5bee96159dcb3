"""An alert's life: what every stream of lines obeys, whatever the events were."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.alarms.alert import line
from daemon.table.events import TableBegan, read, write
from tests.laws.arbitrary import ANY_EVENT, streams, tables
from tests.laws.line import SOAK, judgement, told
from tests.laws.schema import watched
from tests.laws.streams import hands

HANDS = 10_000 if SOAK else 250
EXAMPLES = 10_000 if SOAK else 200


def _wrong(events, table):
    judge = judgement()
    judge.take(table, 1)
    return watched(judge, events, line).wrong


@given(ANY_EVENT)
def test_every_event_made_here_is_of_the_public_format(event):
    assert read(write(event)) == event


def test_the_lines_of_a_spoilt_hand_obey_the_format():
    for _, one in hands("life", HANDS):
        wrong = _wrong(one.events, TableBegan(table="t", betting=one.betting))
        assert not wrong, "\n".join([told(one.events, one.betting), *wrong])


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), streams())
def test_whatever_happens_nothing_breaks_and_the_lines_obey_the_format(table, events):
    wrong = _wrong(events, table)
    assert not wrong, "\n".join([told(events, table.betting), *wrong])


@settings(max_examples=EXAMPLES // 10, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(tables(), streams(max_size=15)), min_size=2, max_size=3))
def test_a_table_begun_anew_knows_nothing_of_the_one_before(sessions):
    judge = judgement()
    for number, (table, events) in enumerate(sessions):
        mine = [[line(a) for a in judge.take(e, at)] for at, e in enumerate([table, *events])]
        alone = judgement()
        its = [[line(a) for a in alone.take(e, at)] for at, e in enumerate([table, *events])]
        name = f":judge-{number + 1}:".encode() if number else b":judge:"
        assert [[one.replace(name, b":judge:") for one in some] for some in mine] == its
