"""Who may write and read what at the broker as it ships: every user, topic, door and version."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

import aiomqtt
import pytest

from tests.house import OTHERS, TABLES, USERS, V5, V311, WITNESS, House, running_house

# The table is poker-12; w: may write, r: may read. Where a topic ends in a name, it is one of many.
# `.` is the table's own topic: what ends in # in a rule stands for the level above it, too.
RULES = """
topic                  poker-12 poker-13 floor screen surveillance maintenance anna berto
.                      w        -        -     -      r            -           -    -
status                 wr       -        r     r      r            r           -    -
sensors/felt           wr       -        r     -      r            r           -    -
hand                   w        -        r     r      r            -           -    -
coverage               w        -        r     -      r            r           -    -
figures                w        -        r     -      r            r           -    -
events                 w        -        -     -      r            -           -    -
alerts/floor/x         wr       -        r     r      r            -           -    -
alerts/maintenance/x   wr       -        r     -      r            r           -    -
alerts/surveillance/x  wr       -        r     -      r            -           -    -
alerts/log/x           wr       -        -     -      r            -           -    -
log/floor              wr       -        r     r      r            -           -    -
log/maintenance        wr       -        r     -      r            r           -    -
log/surveillance       wr       -        r     -      r            -           -    -
log/log                wr       -        -     -      r            -           -    -
command                wr       -        w     -      r            -           -    -
command/floor          wr       -        w     -      r            -           -    -
command/anna           wr       -        -     -      r            -           w    -
command/berto          wr       -        -     -      r            -           -    w
command/poker-13       wr       -        -     -      r            -           -    -
command/anna/x         w        -        -     -      r            -           -    -
answer                 w        -        r     -      r            -           -    -
answer/anna            w        -        -     -      r            -           r    -
answer/floor           w        -        r     -      r            -           -    -
"""
HEAD, *ROWS = (line.split() for line in RULES.strip().splitlines())
BASE = "floorcall/v1/venezia/poker-12"
TABLE = {
    f"{BASE}/{topic}".removesuffix("/."): dict(zip(HEAD[1:], cells, strict=True))
    for topic, *cells in ROWS
}
ELSEWHERE = (  # where nobody has anything to say, nor to hear
    "floorcall/v1", "floorcall/v2/venezia/poker-12/status", "floorcall", "status", "x/y",
    "floorcall/v1/venezia/status", "$CONTROL/x",
)  # fmt: skip
DOORS = pytest.mark.parametrize("safe", [False, True], ids=["password", "certificate"])
VERSIONS = pytest.mark.parametrize("version", [V5, V311], ids=["5", "3.1.1"])
KEPT = pytest.mark.parametrize("retain", [False, True], ids=["live", "retained"])


def may(user: str, what: str) -> set[str]:
    return {topic for topic, cells in TABLE.items() if what in cells[user]}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with running_house(tmp_path_factory.mktemp("house")) as one:
        for user in USERS:
            one.authority.client(user)
        for number, name in enumerate(NAMES):
            one.authority.client(f"odd-{number}", subject=name)
        one.authority.client("levels", subject=LEVELS)
        yield one


async def all_of(client: aiomqtt.Client) -> dict[str, bytes]:
    """All that has come to this client: what the broker had for it is there once it answers."""
    await client.subscribe("end/of/it")
    found = {}
    while len(client.messages):
        message = await anext(client.messages)
        found[str(message.topic)] = bytes(message.payload)
    return found


async def say(client: aiomqtt.Client, topics: Iterable[str], *, retain: bool) -> None:
    client.pending_calls_threshold = 100
    said = (client.publish(topic, topic.encode(), qos=1, retain=retain) for topic in topics)
    await asyncio.gather(*said)


async def forget(house: House) -> None:
    """Nothing is retained any more."""
    async with house.client(WITNESS) as witness:
        await witness.subscribe("#")
        for topic in await all_of(witness):
            await witness.publish(topic, b"", qos=1, retain=True)


def test_the_table_of_rules_names_everybody() -> None:
    assert tuple(HEAD[1:]) == (*TABLES, *OTHERS)


@pytest.mark.parametrize("user", USERS)
@KEPT
@VERSIONS
@DOORS
async def test_what_a_user_writes_arrives_where_he_may_write_and_nowhere_else(
    house: House, user: str, retain: bool, version: aiomqtt.ProtocolVersion, safe: bool
) -> None:
    """The retain flag makes no difference: no rule of mosquitto's can forbid it."""
    async with house.client(WITNESS) as witness:
        await witness.subscribe("#")
        async with house.client(user, safe=safe, version=version) as client:
            await say(client, (*TABLE, *ELSEWHERE), retain=retain)
        assert set(await all_of(witness)) == may(user, "w")
    if retain:
        async with house.client(WITNESS) as late:
            await late.subscribe("#")
            assert set(await all_of(late)) == may(user, "w")
        await forget(house)


@pytest.mark.parametrize("user", USERS)
@KEPT
@VERSIONS
@DOORS
async def test_what_is_said_comes_to_whom_may_read_it_however_he_asks(
    house: House, user: str, retain: bool, version: aiomqtt.ProtocolVersion, safe: bool
) -> None:
    async with house.client(WITNESS) as witness:
        await say(witness, (*TABLE, *ELSEWHERE[:-1]), retain=True) if retain else None
        for asked in (["#"], ["floorcall/#", "+/+/venezia/#"], [*TABLE, *ELSEWHERE]):
            async with house.client(user, safe=safe, version=version) as client:
                for one in asked:
                    await client.subscribe(one)
                if not retain:
                    await say(witness, (*TABLE, *ELSEWHERE[:-1]), retain=False)
                heard = set(await all_of(client))
                # `surveillance` reads the whole tree, with what nobody writes.
                assert heard - set(ELSEWHERE) == may(user, "r"), asked
                assert user == "surveillance" or not heard & set(ELSEWHERE), asked
    if retain:
        await forget(house)


@pytest.mark.parametrize("user", USERS)
async def test_a_last_will_is_a_word_like_any_other(house: House, user: str) -> None:
    async with house.client(WITNESS) as witness:
        await witness.subscribe("#")
        for topic in TABLE:
            will = aiomqtt.Will(topic, topic.encode(), qos=1, retain=False)
            try:
                async with house.client(user, will=will) as client:
                    assert client._client.socket() is not None
                    client._client._sock_close()  # no DISCONNECT: the broker speaks the will
            except aiomqtt.MqttError:
                continue
        async with house.client(user) as after:
            await after.publish("x", b"", qos=1)
        assert set(await all_of(witness)) == may(user, "w")


# Names that would be wildcards or levels, were they put into a rule as they are.
NAMES = ("+", "#", "venezia", "v1", "+/+", "poker-12/+", "poker-12/#")
LEVELS = "poker-12/status"  # mosquitto puts this into a rule as two levels: no name has a /


@pytest.mark.parametrize("name", NAMES)
async def test_a_certificates_name_is_never_a_wildcard(house: House, name: str) -> None:
    async with house.client(WITNESS) as witness:
        await witness.subscribe("#")
        try:
            async with house.client(f"odd-{NAMES.index(name)}", safe=True) as client:
                await client.subscribe("#")
                await say(client, TABLE, retain=False)
                await say(witness, TABLE, retain=False)
                assert await all_of(client) == {}
        except aiomqtt.MqttError:
            await say(witness, TABLE, retain=False)  # not even let in
        await witness.subscribe("end/of/it")
        assert len(witness.messages) == len(TABLE)  # the witness's own, and no other


async def test_a_name_with_a_slash_reaches_below_another_ones_topic(house: House) -> None:
    """Why docs/operation.md has nobody certify one: no rule can tell it."""
    async with house.client(WITNESS) as witness:
        await witness.subscribe("#")
        async with house.client("levels", safe=True) as client:
            await say(client, TABLE, retain=False)
        assert set(await all_of(witness)) == {f"{BASE}/status"}


@pytest.mark.parametrize(
    "login", [(), ("poker-12", None), ("poker-12", "poker-13"), ("nobody", "")]
)
async def test_nobody_comes_in_without_name_and_password(
    house: House, login: tuple[str | None, ...]
) -> None:
    given = dict(zip(("username", "password"), login, strict=False))
    with pytest.raises(aiomqtt.MqttError):
        async with aiomqtt.Client("127.0.0.1", house.plain, timeout=60, **given):
            pytest.fail("was let in")
