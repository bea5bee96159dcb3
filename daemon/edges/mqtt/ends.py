"""How a connection ended, or why there was none: what the errors of aiomqtt and paho tell."""

from __future__ import annotations

import aiomqtt


def first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first of the errors in a group, and of the groups in it."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def reason_code(error: BaseException | None) -> int | None:
    """The reason code of MQTT 5 with which a connection ended, of the error or its cause."""
    while error is not None:
        code = getattr(error, "rc", None)
        value = getattr(code, "value", code)
        if isinstance(value, int):
            return value
        error = error.__cause__
    return None


def may_speak_older(error: aiomqtt.MqttError) -> bool:
    """Whether the broker may be one that does not know MQTT 5: it says so, or just hangs up."""
    said = str(error).lower()
    return "protocol version" in said or "timed out" in said or "protocol error" in said
