"""What the tests of the floor's side share: databases of both kinds, a card room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.floor.history import Database
from tests.floor.postgres import PASSWORD, Cluster, running_cluster
from tests.floor.rooms import Stage


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL for the whole run (of each worker): each test has a database of its own."""
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str | None]:
    """The URL and the password of an empty database, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'history.db'}", None
    return request.getfixturevalue("postgres").database(), PASSWORD


@pytest.fixture
def database(place: tuple[str, str | None]) -> Iterator[Database]:
    """An empty history, of either kind."""
    one = Database(*place)
    one.bring_up()
    yield one
    one.close()


@pytest.fixture
def stage() -> Stage:
    """A card room in which one table is open and one alert stands."""
    stage = Stage()
    stage.opens()
    stage.raises()
    return stage
