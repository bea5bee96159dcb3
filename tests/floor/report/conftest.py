"""The shift that the reports are about, in a history."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from daemon.floor.history import Archive, Database, Scribe
from daemon.floor.report.figures import Figures
from daemon.floor.report.shift import shift
from daemon.floor.report.words import LANGUAGES, Speech, speech
from tests.floor.report import shifts
from tests.floor.report.shifts import ROME, shift_of


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A history with the shift in it, which nobody changes."""
    database = Database(f"sqlite:///{tmp_path_factory.mktemp('shift') / 'history.db'}")
    scribe = Scribe(database)
    shifts.write(scribe)
    scribe.close()
    yield database
    database.close()


@pytest.fixture(scope="session")
def archive(shelf: Database) -> Archive:
    """The shift's history, in a house that tells dealers."""
    return Archive(shelf, dealers=True)


@pytest.fixture(params=LANGUAGES)
def spoken(request: pytest.FixtureRequest) -> Speech:
    return speech(request.param, ROME)


@pytest.fixture(scope="session")
def whole(archive: Archive) -> Figures:
    return shift(archive, shift_of("surveillance"), ROME)
