"""The doctor's screen, and the words that he shares with other commands."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from daemon.doctor.findings import NOTE, OK, WARNING, WRONG, Finding
from daemon.doctor.run import _screen, _told
from daemon.doctor.words import counted, said
from daemon.edges.settings import Settings
from daemon.spoken import ITALIAN, Count, reason
from daemon.table.layout import Sensor
from drivers.port.reasons import (
    CALLED_ANEW,
    HUNG_UP,
    NO_CALL,
    REASONS,
    SILENT,
    TAKES_NOTHING,
)
from drivers.port.reasons import reason as port_reason
from tests.edges.tables import GOOD, read

PATH = "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A50285BI_with_a_longer_name-if00-port0"
FINDINGS = (
    Finding(OK, "config", "config-ok", facts={"sensors": 1, "decks": 2, "rulebook": "robert"}),
    Finding(WRONG, "sensor", "port-no-tty", "felt", {"port": PATH}),
    Finding(WARNING, "sensor", "reader-silent", "felt", {"port": "/dev/x", "driver": "feig"}),
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read(tmp_path, GOOD)


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("columns", [20, 80, 120])
def test_no_word_is_broken_and_nothing_is_left_out(
    settings: Settings, language: str, columns: int
) -> None:
    whole = click.unstyle(" ".join(_screen(settings, FINDINGS, language, None))).split()
    lines = [click.unstyle(line) for line in _screen(settings, FINDINGS, language, columns)]
    assert " ".join(lines).split() == whole
    if columns >= 80:
        assert all(len(line) <= columns or PATH in line for line in lines)


def test_what_is_folded_stands_below_itself(settings: Settings) -> None:
    lines = [line for line in _screen(settings, FINDINGS, "en", 80) if line.startswith("   ")]
    assert len(lines) > 3
    assert len({len(line) - len(line.lstrip()) for line in lines}) == 1


def test_where_nobody_looks_each_finding_is_one_line(settings: Settings) -> None:
    lines = list(_screen(settings, FINDINGS, "en", None))
    assert len(lines) == 2 + len(FINDINGS) + 2 + 2  # head, findings, advice, end
    assert lines[-1] == "1 wrong, 1 warning."


def test_of_readers_at_seats_none_is_held_wrong_for_another() -> None:
    sensors = [Sensor(f"seat-{n}", "pn532", {1: f"seat:{n}"}) for n in (1, 2, 3)]
    status = {"state": "online", "troubles": ["sensors at seats: silent"]}
    for sensor in sensors:
        ((level, what),) = [(one.level, one.what) for one in _told(sensor, status, "poker-12")]
        assert (level, what) == (NOTE, "daemon-seat")


# --- words ---


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 hands"), (1, "1 hand"), (2, "2 hands"), (-1, "-1 hands")]
)
def test_a_number_takes_its_noun(number: int, told: str) -> None:
    assert f"{Count(number):hand|hands}" == told
    assert f"{Count(number):>4}|{Count(number)}" == f"{number:>4}|{number}"


def test_one_of_a_thing_is_not_said_as_many() -> None:
    assert counted("all-well", "en", warnings=1) == "All is well (1 warning)."
    assert counted("not-well", "it", wrong=1, warnings=2) == "1 guasto, 2 avvisi."
    one = Finding(WARNING, "sensor", "tags-unknown", "felt", {"count": 1})
    assert said(one, "en")[0] == "of no deck of this configuration: 1 tag"


def test_every_reason_of_a_port_has_its_italian() -> None:
    ours = {*REASONS.values(), HUNG_UP, SILENT, TAKES_NOTHING, NO_CALL, CALLED_ANEW}
    ours |= {port_reason(error) for error in (ValueError(), TimeoutError(), RuntimeError())}
    assert ours <= ITALIAN.keys()
    for word in ours:
        assert reason(word, "en") == word
        assert reason(word, "it") not in (word, "")
    only = "no permission: only group dialout may open it"
    assert reason(only, "it") == "nessun permesso: può aprirla solo il gruppo dialout"
    assert reason("something new", "it") == "something new"


def test_what_makes_no_sense_is_told_in_the_language() -> None:
    facts = {"driver": "feig", "garbled": {"stray bytes": 3, "bad sum": 1}}
    found = Finding(WRONG, "sensor", "reader-garbled", "felt", facts)
    assert said(found, "it")[0].endswith("come feig: somma errata 1, byte sparsi 3")


def test_a_trouble_of_the_daemons_is_told_in_the_language() -> None:
    found = Finding(WRONG, "sensor", "daemon-lost", "felt", {"trouble": "sensor felt: hung up"})
    assert said(found, "it")[0] == "il demone dice: sensor felt: ha chiuso la linea"
    assert said(found, "en")[0] == "the daemon says: sensor felt: hung up"
