"""The house's own time: the zone of this machine, with its summers and winters."""

from __future__ import annotations

import os
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

LOCAL = Path("/etc/localtime")


def house_zone() -> tzinfo:
    """The zone of `TZ`, else of /etc/localtime; where neither is one, today's offset."""
    name = os.environ.get("TZ", "").removeprefix(":")
    try:
        if name:
            return ZoneInfo(name)
        with LOCAL.open("rb") as file:
            return ZoneInfo.from_file(file, key=str(LOCAL))
    except (OSError, ValueError, KeyError):  # a name that is none is a KeyError
        return datetime.now().astimezone().tzinfo or UTC
