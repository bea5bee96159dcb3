"""The log, set once: a fixed phrase and its facts a line, for operators only."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any, TextIO

import msgspec
import structlog

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}
WORDS_MAX = 300
_encode = msgspec.json.Encoder(enc_hook=str).encode


def configure(level: str = "info", stream: TextIO | None = None) -> None:
    """Write to `stream` (standard error): JSON lines, or for eyes where it is a terminal.

    Other libraries' warnings (paho, asyncio) come out in the same form. Bytes are never written:
    they may tell a card or a tag.
    """
    stream = sys.stderr if stream is None else stream
    number = LEVELS[level]
    if stream.isatty():
        show: Any = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    else:
        show = structlog.processors.JSONRenderer(serializer=_json)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            _without_bytes,
            structlog.processors.format_exc_info,
            show,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers = [_Passed()]
    root.setLevel(logging.WARNING)


def get(name: str) -> structlog.stdlib.BoundLogger:
    """The log of one part of the service."""
    log: structlog.stdlib.BoundLogger = structlog.get_logger(part=name)
    return log


def _json(event: Mapping[str, Any], **_: object) -> str:
    return _encode(event).decode()


def _without_bytes(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    for key, value in event.items():
        match value:
            case bytes() | bytearray() | memoryview():
                event[key] = f"{len(value)} bytes"
            case str() if len(value) > WORDS_MAX:
                event[key] = value[:WORDS_MAX] + "…"
            case _:
                pass
    return event


class _Passed(logging.Handler):
    """Another library's word, passed on as a line of ours: its text cut, its arguments not kept."""

    def emit(self, record: logging.LogRecord) -> None:
        words = record.getMessage().replace("\n", " ")[:WORDS_MAX]
        log = get(record.name)
        if record.levelno >= logging.ERROR:
            log.error("library error", words=words, exc_info=record.exc_info or None)
        else:
            log.warning("library warning", words=words)
