"""aiomqtt's client and the socket below it: opened, written at once, closed without a farewell."""

from __future__ import annotations

import asyncio
import math
import socket
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress

import aiomqtt
from paho.mqtt.client import Client as Paho
from paho.mqtt.client import ConnectFlags, MQTTMessage
from paho.mqtt.enums import MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

READS_MAX = 4096
UNCONFIRMED_MAX = 20


def paho_of(client: aiomqtt.Client) -> Paho:
    """The client that aiomqtt wraps."""
    return client._client  # noqa: SLF001 - the only way to its socket


def heed(client: aiomqtt.Client) -> None:
    """Let the client heed what aiomqtt passes over.

    A broker of MQTT 5 says how many messages it takes before it has confirmed them, and may hang up
    where there are more. A topic that is no UTF-8, which a lax broker lets by, would end the
    connection, and where it is retained every one; it counts as not said.
    """
    paho = paho_of(client)
    connected: Callable[..., None] | None = paho.on_connect
    heard = paho.on_message
    assert connected is not None
    assert heard is not None

    def on_connect(
        paho: Paho,
        userdata: object,
        flags: ConnectFlags,
        reason: ReasonCode,
        about: Properties | None,
    ) -> None:
        most = getattr(about, "ReceiveMaximum", UNCONFIRMED_MAX)
        # paho refuses to set it now, when it is known: nothing is on its way yet
        paho._max_inflight_messages = min(most, UNCONFIRMED_MAX)  # noqa: SLF001
        connected(paho, userdata, flags, reason, about)

    def on_message(paho: Paho, userdata: object, message: MQTTMessage) -> None:
        with suppress(UnicodeDecodeError):
            _ = message.topic
            heard(paho, userdata, message)

    paho.on_connect, paho.on_message = on_connect, on_message


async def opened(client: aiomqtt.Client) -> None:
    """Connect; raises MqttError. The connecting thread cannot be stopped, so it is waited for."""
    opening = asyncio.ensure_future(client.__aenter__())
    try:
        await asyncio.shield(opening)
    except BaseException:
        await asyncio.wait({opening})
        if not opening.cancelled():
            opening.exception()
        await abandon(client)
        raise


def certificate_of(client: aiomqtt.Client) -> bytes | None:
    """What the broker has shown of itself, in DER; None without TLS."""
    sock = paho_of(client).socket()
    return sock.getpeercert(binary_form=True) if isinstance(sock, ssl.SSLSocket) else None


async def subscribe(
    client: aiomqtt.Client, topics: Sequence[str], within_s: float, *, flagged: bool = False
) -> None:
    """Subscribe at QoS 1; a refusal shows in that nothing comes.

    With `flagged` and MQTT 5 a message that is to be retained says so also while it is new; else it
    does at the next connection only. Without aiomqtt's time-out: under Python 3.11 its wait
    swallows a cancellation that comes at the same moment as the answer.
    """
    flagged = flagged and paho_of(client).protocol == MQTTProtocolVersion.MQTTv5
    options = SubscribeOptions(qos=1, retainAsPublished=True)
    with suppress(aiomqtt.MqttError, TimeoutError):
        async with asyncio.timeout(within_s):
            if flagged:
                await client.subscribe([(topic, options) for topic in topics], timeout=math.inf)
            else:
                await client.subscribe([(topic, 1) for topic in topics], timeout=math.inf)


def write_at_once(client: aiomqtt.Client) -> None:
    """Let a packet leave in the call that makes it.

    aiomqtt asks the loop first whether the socket can be written, which costs two rounds of the
    loop; here the loop is asked only where the socket does not take all of it.
    """
    loop = asyncio.get_running_loop()

    def write(paho: Paho, _userdata: object, _sock: object) -> None:
        paho.loop_write()
        sock = paho.socket()
        if sock is not None and paho.want_write():
            loop.add_writer(sock.fileno(), paho.loop_write)

    paho_of(client).on_socket_register_write = write


async def abandon(client: aiomqtt.Client) -> BaseException | None:
    """Close the socket without DISCONNECT, whatever state it is in; a closed one stays closed.

    Returns why the connection ended, as far as the broker said so.
    """
    await asyncio.sleep(0)  # lets run what aiomqtt has put on the loop with this descriptor
    paho = paho_of(client)
    sock = paho.socket()
    if isinstance(sock, socket.socket):
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
    for _ in range(READS_MAX):
        if paho.socket() is None:
            break
        paho.loop_read()  # reads on to the end of the stream, where paho closes the socket
    ended = client._disconnected  # noqa: SLF001 - asked, so that asyncio does not complain of it
    return ended.exception() if ended.done() and not ended.cancelled() else None
