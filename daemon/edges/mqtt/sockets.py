"""aiomqtt's client and the socket below it: opened, written at once, closed without a farewell."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

import aiomqtt
from paho.mqtt.client import Client as Paho

READS_MAX = 4096


def paho_of(client: aiomqtt.Client) -> Paho:
    """The client that aiomqtt wraps."""
    return client._client  # noqa: SLF001 - the only way to its socket


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
