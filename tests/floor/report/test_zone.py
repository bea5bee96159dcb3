"""The house's clock: the zone of `TZ`, or of the machine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.floor.report import zone

SUMMER, WINTER = datetime(2026, 7, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)
ROME = Path("/usr/share/zoneinfo/Europe/Rome")


def hours(monkeypatch: pytest.MonkeyPatch, name: str) -> list[timedelta | None]:
    monkeypatch.setenv("TZ", name)
    house = zone.house_zone()
    return [moment.astimezone(house).utcoffset() for moment in (SUMMER, WINTER)]


@pytest.mark.parametrize("name", ["Europe/Rome", ":Europe/Rome"])
def test_the_zone_has_its_summer_and_its_winter(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert hours(monkeypatch, name) == [timedelta(hours=2), timedelta(hours=1)]


def test_without_a_name_the_machines_zone_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    local = tmp_path / "localtime"
    local.symlink_to(ROME)
    monkeypatch.setattr(zone, "LOCAL", local)
    assert hours(monkeypatch, "") == [timedelta(hours=2), timedelta(hours=1)]


def test_where_there_is_no_zone_todays_offset_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(zone, "LOCAL", tmp_path / "nothing")
    first, second = hours(monkeypatch, "")
    assert first == second
    assert hours(monkeypatch, "No/Such") == [first, second]
