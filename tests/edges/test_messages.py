"""Which messages an alert becomes, and what is kept of them while the broker is away."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.alarms.alert import Alert, line
from daemon.edges.outbox import NoShelf, Outbox
from daemon.messages import Address, Announcer, Message, Topics, address

TOPICS = Topics("venezia", "poker-12")
BELOW = "floorcall/v1/venezia/poker-12"
Make = Callable[..., Alert]


def told(announcer: Announcer, alert: Alert) -> list[Message]:
    return list(announcer.messages(alert, line(alert)))


def shown(messages: list[Message]) -> list[tuple[str, bool, bool]]:
    return [(m.topic.removeprefix(BELOW), m.retain, bool(m.payload)) for m in messages]


def test_an_alert_is_retained_while_it_stands_and_surveillance_has_a_copy(make_alert: Make) -> None:
    announcer, alert = Announcer(TOPICS), make_alert()
    at = f"/{alert.id}"
    messages = told(announcer, alert)
    assert shown(messages) == [
        (f"/alerts/floor{at}", True, True),
        ("/log/floor", False, True),
        (f"/alerts/surveillance{at}", True, True),
        ("/log/surveillance", False, True),
    ]
    assert {m.payload for m in messages} == {line(alert)}
    assert shown(told(announcer, make_alert(revision=2, state="closed"))) == [
        (f"/alerts/floor{at}", True, False),
        (f"/alerts/surveillance{at}", True, False),
        ("/log/floor", False, True),
        ("/log/surveillance", False, True),
    ]


def test_the_log_is_never_retained(make_alert: Make) -> None:
    messages = told(Announcer(TOPICS), make_alert(audience="log"))
    assert shown(messages) == [("/log/log", False, True), ("/log/surveillance", False, True)]


def test_what_only_surveillance_may_know_goes_nowhere_else(make_alert: Make) -> None:
    messages = told(Announcer(TOPICS), make_alert(audience="surveillance"))
    assert shown(messages) == [
        (f"/alerts/surveillance/{make_alert().id}", True, True),
        ("/log/surveillance", False, True),
    ]


def test_a_change_of_audience_clears_the_old_topic_first(make_alert: Make) -> None:
    announcer = Announcer(TOPICS)
    told(announcer, make_alert(audience="maintenance"))
    alert = make_alert(revision=2)
    first, second, *_ = told(announcer, alert)
    assert first == Message(f"{BELOW}/alerts/maintenance/{alert.id}", b"", retain=True)
    assert second.topic == f"{BELOW}/alerts/floor/{alert.id}"


def test_what_stands_is_bounded_and_the_oldest_is_cleared(make_alert: Make) -> None:
    announcer = Announcer(TOPICS, standing_max=2)
    for number in (1, 2):
        told(announcer, make_alert(number))
    cleared = [m.topic for m in told(announcer, make_alert(3)) if not m.payload]
    oldest = make_alert(1).id
    assert cleared == [f"{BELOW}/alerts/{who}/{oldest}" for who in ("floor", "surveillance")]


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("mqtt://broker", Address("broker", 1883, tls=False)),
        ("mqtts://[::1]", Address("::1", 8883, tls=True)),
        ("mqtt://10.0.0.1:1/", Address("10.0.0.1", 1, tls=False)),
    ],
)
def test_a_broker_is_told_by_a_url(url: str, found: Address) -> None:
    assert address(url) == found


@pytest.mark.parametrize(
    "url",
    ["", "broker", "http://x", "mqtt://", "mqtt://x:99999", "mqtt://x:0", "mqtt://a:Zq9@x",
     "mqtt://a@x", "mqtt://x/y", "mqtt://x?y", "mqtt://x y", "mqtt://[x"],
)  # fmt: skip
def test_what_is_no_brokers_url_is_refused_and_not_repeated(url: str) -> None:
    what = address(url)
    assert isinstance(what, str)
    assert "Zq9" not in what


def drained(outbox: Outbox) -> list[tuple[int, Message]]:
    taken = []
    while (found := outbox.take()) is not None:
        taken.append(found)
    return taken


puts = st.lists(
    st.one_of(
        st.builds(
            Message, st.just("log"), st.binary(min_size=1, max_size=2), st.just(False), st.just("k")
        ),
        st.builds(Message, st.sampled_from("abc"), st.binary(max_size=1), st.just(True)),
    ),
    max_size=30,
)


@given(puts, puts, st.sets(st.integers(0, 60)))
def test_transitions_keep_their_order_and_the_newest_state_always_follows(
    before: list[Message], after: list[Message], confirmed: set[int]
) -> None:
    outbox = Outbox(NoShelf())
    for message in before:
        outbox.put(message)
    sent = drained(outbox)
    for place, (number, _) in enumerate(sent):
        if place in confirmed:
            outbox.done(number)
    for message in after:
        outbox.put(message)
    outbox.rewind()
    again = [message for _, message in drained(outbox)]
    unconfirmed = [m for place, (_, m) in enumerate(sent) if place not in confirmed]
    transitions = [m for m in unconfirmed + after if not m.retain]
    assert [m for m in again if not m.retain] == transitions
    newest = {m.topic: m.payload for m in before + after if m.retain}
    got = {m.topic: m.payload for m in again if m.retain}
    assert {topic: got.get(topic) for topic, payload in newest.items() if payload} == {
        topic: payload for topic, payload in newest.items() if payload
    }


def test_an_absent_broker_costs_no_memory_for_what_changes_all_the_time() -> None:
    outbox = Outbox(NoShelf())
    for number in range(10_000):
        outbox.put(Message("hand", str(number).encode(), retain=True))
    assert [m.payload for _, m in drained(outbox)] == [b"9999"]


def test_beyond_its_bound_the_oldest_transitions_are_dropped_and_counted() -> None:
    outbox = Outbox(NoShelf(), pending_max=3)
    outbox.put(Message("alert", b"x", retain=True))
    for number in range(5):
        outbox.put(Message("log", str(number).encode(), key=str(number)))
    assert outbox.lost == 3
    assert [m.payload for _, m in drained(outbox)] == [b"x", b"3", b"4"]
